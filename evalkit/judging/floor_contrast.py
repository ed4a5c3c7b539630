"""What sets a claim apart from the sentences that share its words: the opposite, another measure, another word in its place."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from evalkit.judging.floor_polarity import negated_form, partners
from evalkit.judging.floor_terms import Terms
from evalkit.judging.floor_units import Figure, is_measure, other_measure

_START, _END = "<", ">"


class Flips(NamedTuple):
    """Words on which a claim and its source say the opposite."""

    words: frozenset[str]
    """Those of the claim that are flipped."""
    heads: frozenset[str]
    """The ones among them that are denied outright: right after a negator, or said by their contrary."""
    said: Mapping[str, str]
    """From a word of the claim that the source does not hold to its contrary that it does."""


def flips(claim: Terms, found: Terms, first: Terms) -> Flips:
    """Compare the polarity of what a claim and its source share, contraries taken for negations of each other.

    `found` is what stands in all sentences that the claim rests on, `first` what stands in the closest.
    """
    said = _contraries(claim, found, first)
    agreeing = {word for word, other in said.items() if _opposed(claim, word, found, other)}
    opposed = frozenset(said.keys() - agreeing)
    heads = claim.heads | first.heads
    shared = claim.words & found.words
    flipped = frozenset(word for word in shared if _opposed(claim, word, found, word))
    if flipped and (agreeing or _both_deny(claim, found, shared)):
        # "Not available within 30 days" and "unavailable within 30 days": the words after the "not" prove nothing.
        flipped &= heads
    return Flips(flipped | opposed, (flipped & heads) | opposed, said)


def _contraries(claim: Terms, found: Terms, first: Terms) -> dict[str, str]:
    said: dict[str, str] = {}
    theirs = found.words - claim.words
    for word in claim.words - found.words:
        contrary = negated_form(word, theirs)
        if contrary is None:
            beside = _neighbours(claim.order, word)
            # "The window closed" and "this opens a window" speak of two things: partners must stand beside the same word.
            contrary = next((p for p in sorted(partners(word, theirs)) if beside & _neighbours(first.order, p)), None)
        if contrary is not None:
            said[word] = contrary
    return said


def _neighbours(order: tuple[str, ...], word: str) -> set[tuple[int, str]]:
    """Return the words right before and right after a word, with their side."""
    beside = set()
    for at, found in enumerate(order):
        if found == word:
            beside.add((-1, order[at - 1] if at else _START))
            beside.add((1, order[at + 1] if at + 1 < len(order) else _END))
    return beside


def _both_deny(claim: Terms, found: Terms, shared: frozenset[str]) -> bool:
    """Tell whether what one of them negates is not plainly said by the other."""
    return bool(shared & ((claim.negated - found.plain) | (found.negated - claim.plain)))


def _opposed(claim: Terms, word: str, found: Terms, other: str) -> bool:
    here = (word in claim.negated, word in claim.plain)
    there = (other in found.negated, other in found.plain)
    return {here, there} == {(True, False), (False, True)}


def wrong_measure(figures: Iterable[Figure], found: Terms) -> tuple[Figure, str] | None:
    """Return the first figure whose value the source gives in another measure, with that measure, else None."""
    for figure in sorted(figures):
        other = other_measure(figure, found.figures)
        if other is not None:
            return figure, other
    return None


def unstated_unit(figures: Iterable[Figure], found: Terms, known: frozenset[str]) -> Figure | None:
    """Return the first figure whose value the source gives, but not its measure or what it counts, else None."""
    for figure in sorted(figures):
        unit = figure.unit.removeprefix("/")
        units = {f.unit for f in found.figures if f.value == figure.value}
        if not unit or not units or figure.unit in units or unit in known:
            continue
        if is_measure(figure.unit) or units - {""}:
            return figure
    return None


def substituted(
    claim: Terms, spans: Iterable[Terms], known: frozenset[str], names: frozenset[str]
) -> tuple[str, str] | None:
    """Return a word of the claim and the one that a sentence of the source has in its place, between the same two neighbours.

    Asked where everything else that the claim says stands in that one sentence, and of the word that opens the claim where the
    sentence opens with one of `names`. With more strange words a claim is a paraphrase, not a copy with a word exchanged.
    """
    order = (_START, *claim.order, _END)
    strange = [at for at in range(1, len(order) - 1) if order[at] not in known and not order[at][0].isdigit()]
    for span in spans if strange else ():
        copied = len(claim.words - span.words) == 1
        gaps = _gaps(span, claim.words)
        for at in strange if copied else strange[:1]:
            other = gaps.get((order[at - 1], order[at + 1]))
            if other is not None and (copied or (at == 1 and other in names)):
                return order[at], other
    return None


def _gaps(span: Terms, shared: frozenset[str]) -> dict[tuple[str, str], str]:
    """Return a sentence's words that are not shared, by the two that they stand between."""
    order = (_START, *span.order, _END)
    return {
        (order[at - 1], order[at + 1]): order[at]
        for at in range(1, len(order) - 1)
        if order[at] not in shared and not order[at][0].isdigit()
    }


def unfounded_only(claim: Terms, found: Terms) -> bool:
    """Tell whether a claim says "only" where its source neither does nor excludes anything; the reverse is a weaker claim."""
    return claim.exclusive and not found.exclusive and not found.negated
