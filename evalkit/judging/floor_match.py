"""Which source sentences a claim rests on, by weighted overlap, and what the floor judge makes of it.

A source sentence's overlap with a claim is the weight of the content words they share over the weight of all words of the
claim; a word weighs more the fewer sentences of the case's own sources hold it (inverse sentence frequency, Sparck Jones 1972,
https://doi.org/10.1108/eb026526). The best sentence is taken, then at most two more that add what is missing. A claim is

- contradicted, where the overlap is high but a figure differs in the same unit or stands there in another one, a word that is
  denied on one side is plainly said on the other (or by its contrary), or "before" stands for "after";
- supported, where the overlap is high, each number with its unit, date and name of the claim stands in the sentences taken,
  nothing weighty is negated on one side only, and the claim is not one of the sentences with a word exchanged;
- unsupported otherwise.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from evalkit.judging.floor_claims import AnswerClaim
from evalkit.judging.floor_contrast import (
    Flips,
    flips,
    substituted,
    unfounded_only,
    unstated_unit,
    wrong_measure,
)
from evalkit.judging.floor_polarity import contrary_relation
from evalkit.judging.floor_terms import Terms, read_names, read_stems, read_terms
from evalkit.records.verdicts import ClaimStatus
from evalkit.text.sentences import Sentence, sentence_spans

OVERLAP = 0.55
"""Share of a claim's weight that the quoted sentences must hold."""
NEGATED = 2 / 3
"""Share of the matched weight, names apart, that must be negated on one side only for a contradiction."""
_CLASH = 1 / 4
"""The same share, names included, beyond which a claim is no longer supported."""
QUOTES = 3
"""Source sentences quoted for one claim."""
ELLIPTIC = 3
"""Content words below which an answer leans on its question ("30 days.", "No.")."""
_GAIN = 0.12
"""Share of a claim's weight that a further sentence must add, where it adds no missing figure or name."""
_FREQUENT = 500
"""Sentences of one source that hold a word, beyond which the word finds nothing there (keeps long sources linear)."""
_MEMO_CHARS = 20_000
_SURROGATE = re.compile("[\ud800-\udfff]")
_NEGATIVE = re.compile(r"\b(?:not|no|never|none|neither|nor|cannot|without|only)\b|n['’]t\b", re.IGNORECASE)
_SAYS_SOMETHING = re.compile(r"\w.*\w|[^\W\x00-\x7f]", re.DOTALL)
"""What a quote must hold to be evidence: two characters of words, or one of a script in which one is a word."""


class SourceIndex(NamedTuple):
    """A source cut into sentences, and which of them hold a stem."""

    sentences: tuple[Sentence, ...]
    holders: Mapping[str, tuple[int, ...]]
    vocabulary: frozenset[str]
    """All its stems, addresses and months included."""
    title: frozenset[str]
    """Stems of its first sentence: what the source is about."""
    names: frozenset[str]
    """Stems that it capitalises inside sentences."""


class Span(NamedTuple):
    """A sentence of a source."""

    source: str
    quote: str


class Match(NamedTuple):
    """What became of a claim."""

    status: ClaimStatus
    spans: tuple[Span, ...]
    why: str
    """In a few words, for the rationale."""
    close: bool = True
    """Whether the source is about what the claim says, whatever it says of it."""


def index_source(text: str) -> SourceIndex:
    """Return the index of a source; sources of ordinary length are kept, since cases share them."""
    return _kept_index(text) if len(text) <= _MEMO_CHARS else _build_index(text)


@lru_cache(maxsize=256)
def _kept_index(text: str) -> SourceIndex:
    return _build_index(text)


def _build_index(text: str) -> SourceIndex:
    found = tuple(s for s in sentence_spans(text) if not _SURROGATE.search(s.text) and _SAYS_SOMETHING.search(s.text))
    holders: dict[str, list[int]] = {}
    for position, sentence in enumerate(found):
        for word in read_stems(sentence.text):
            holders.setdefault(word, []).append(position)
    title = read_stems(found[0].text) if found else frozenset()
    return SourceIndex(
        found, {word: tuple(where) for word, where in holders.items()}, frozenset(holders), title, read_names(text)
    )


class _Pair(NamedTuple):
    """A claim and what stands in the sentences taken for it."""

    terms: Terms
    taken: tuple[Span, ...]
    found: Terms
    known: frozenset[str]
    """Stems that count as held: those found, those of the sources' titles, and contraries of those found."""
    names: frozenset[str]
    strangers: frozenset[str]
    """Names that stand neither in the sources taken nor, unknown to all sources, in the question."""
    flipped: Flips

    @property
    def shared(self) -> frozenset[str]:
        """The claim's words that the sentences hold, as they are or by their contrary."""
        return (self.terms.words & self.found.words) | self.flipped.said.keys()


class Matcher:
    """The sources of one case."""

    def __init__(self, sources: Mapping[str, str], question: str) -> None:
        usable = {name: text for name, text in sources.items() if not _SURROGATE.search(name)}
        self.indexes = {name: index_source(text) for name, text in usable.items()}
        self.titles = {name: index.title | read_stems(name.replace("_", " ")) for name, index in self.indexes.items()}
        self.vocabularies = {name: index.vocabulary | self.titles[name] for name, index in self.indexes.items()}
        self.question = read_terms(question[-1000:])
        self.spoken = frozenset().union(*(index.vocabulary for index in self.indexes.values()))
        self.names = frozenset().union(*(index.names for index in self.indexes.values()))
        self.weights = _Weights(list(self.indexes.values()))

    def match(self, claim: AnswerClaim) -> Match:
        """Return the status of a claim with its quotes: from the sources it cites together, else from one other source."""
        cited = [name for name in claim.cites if name in self.indexes]
        first = self._match_in(claim, cited)
        if first.status != "unsupported":
            return first
        fallback = first if cited else None
        for name in self.indexes:
            if name in cited:
                continue
            found = self._match_in(claim, [name])
            if found.status == "supported":
                return found
            if fallback is None or (not cited and _rank(found) > _rank(fallback)):
                fallback = found
        return fallback or first

    def _match_in(self, claim: AnswerClaim, names: list[str]) -> Match:
        wanted = self._wanted(claim.terms)
        leaning = len(wanted) + len(claim.terms.figures) < ELLIPTIC
        query = wanted | self.question.words if leaning else wanted
        if not leaning and not self._could_hold(wanted, names):
            return Match("unsupported", (), "too few of its words stand in any one source", close=False)
        taken = self._take(query, claim.terms, names)
        if not taken:
            return Match("unsupported", (), "no source sentence shares its words", close=False)
        found = _merged([read_terms(span.quote) for span in taken])
        known = found.words | frozenset().union(*(self.titles[span.source] for span in taken))
        judged = wanted or query
        share = self._weight(judged & known) / max(self._weight(judged), 1e-9)
        if leaning and claim.polarity is not None:
            answered = self._yes_or_no(claim, taken, self._weight(query & known) / max(self._weight(query), 1e-9))
            if not wanted or answered.status == "contradicted":
                return answered
        return self._decide(claim, taken, found, known, share, leaning=leaning)

    def _decide(
        self,
        claim: AnswerClaim,
        taken: tuple[Span, ...],
        found: Terms,
        known: frozenset[str],
        share: float,
        *,
        leaning: bool,
    ) -> Match:
        terms = claim.terms
        flipped = flips(terms, found, read_terms(taken[0].quote))
        known |= flipped.said.keys()
        enough = share >= OVERLAP or (leaning and bool(terms.figures) and not terms.words - self.question.words - known)
        if not enough:
            return Match("unsupported", (), f"only {share:.0%} of its words stand in the source", close=False)
        names = terms.names | (terms.openers & self.names)
        strangers = frozenset(n for n in names - known if n in self.spoken or n not in self.question.words)
        pair = _Pair(terms, taken, found, known, names, strangers, flipped)
        against = None if strangers else self._contradiction(pair)
        if against:
            return Match("contradicted", taken, against)
        lacking = self._lacking(pair)
        return Match("unsupported", (), lacking) if lacking else Match("supported", taken, "")

    def _contradiction(self, pair: _Pair) -> str | None:
        """Return what the source says otherwise about the same thing."""
        missing = pair.terms.values - pair.found.values
        wrong = [f for f in sorted(pair.terms.figures) if f.value in missing and _differs(f.unit, f.value, pair.found)]
        if wrong:
            return f"{wrong[0].value} {wrong[0].unit}".strip() + " differs from the source"
        measure = wrong_measure(pair.terms.figures - self.question.figures, pair.found)
        if measure:
            return f"the source gives {measure[0].value} in {measure[1]!r}, not in {measure[0].unit!r}"
        flipped = self._weight(pair.flipped.words - pair.names)
        if pair.flipped.heads or (flipped and flipped >= NEGATED * self._weight(pair.shared - pair.names)):
            return "what it shares with the source is negated on one side only"
        relation = contrary_relation(pair.terms.relations, pair.found.relations)
        return f"the source has the contrary of {relation!r}" if relation else None

    def _lacking(self, pair: _Pair) -> str | None:
        """Return what a claim states and the source does not."""
        terms = pair.terms
        months = {word for word in terms.words - pair.known if word.startswith("month ")}
        absent = (terms.values - pair.found.values - self.question.values) | months | pair.strangers
        if absent:
            return f"{min(absent)!r} stands in no matching source sentence"
        unit = unstated_unit(terms.figures - self.question.figures, pair.found, pair.known)
        if unit:
            return f"{unit.value} stands in the source, but not as {unit.value} {unit.unit}"
        other = substituted(terms, (read_terms(span.quote) for span in pair.taken), pair.known, self.names)
        if other:
            return f"it says {other[0]!r} where the source says {other[1]!r}"
        if pair.flipped.words and self._weight(pair.flipped.words) >= _CLASH * self._weight(pair.shared):
            return f"the source says the opposite of {min(pair.flipped.words)!r}"
        return "it says 'only' and the source does not" if unfounded_only(terms, pair.found) else None

    def _yes_or_no(self, claim: AnswerClaim, taken: tuple[Span, ...], share: float) -> Match:
        """Decide a bare yes or no by whether the sentence that is closest to the question is a negative one."""
        if share < OVERLAP * 0.8:
            return Match("unsupported", (), "no source sentence is close to the question")
        negative = _NEGATIVE.search(taken[0].quote) is not None
        if negative is claim.polarity:
            return Match("contradicted", taken[:1], "the closest source sentence says the opposite")
        return Match("supported", taken[:1], "")

    def _could_hold(self, wanted: frozenset[str], names: list[str]) -> bool:
        """Tell whether these sources, read whole, could reach the overlap; if not, their sentences need not be ranked."""
        held = frozenset().union(*(wanted & (self.vocabularies[n]) for n in names))
        return self._weight(held) >= OVERLAP * self._weight(wanted)

    def _wanted(self, terms: Terms) -> frozenset[str]:
        """Return the words that a source must hold: all but those that only the question uses."""
        return terms.words - (self.question.words - self.spoken)

    def _take(self, query: frozenset[str], terms: Terms, names: list[str]) -> tuple[Span, ...]:
        scores: dict[tuple[str, int], float] = {}
        for name in names:
            holders = self.indexes[name].holders
            for word in query:
                where = holders.get(word, ())
                if len(where) > _FREQUENT:
                    continue
                weight = self.weights[word]
                for position in where:
                    scores[name, position] = scores.get((name, position), 0.0) + weight
        if not scores:
            return ()
        ranked = sorted(scores, key=lambda place: (-scores[place], names.index(place[0]), place[1]))[:6]
        least = _GAIN * self._weight(query)
        taken: list[Span] = []
        missing, figures = set(query), set(terms.values)
        while ranked and len(taken) < QUOTES:
            held = [read_terms(self._sentence(place)) for place in ranked]
            gains = [self._weight(missing & terms.words) for terms in held]
            worth = [
                gain + self.weights[""] * len(figures & terms.values) for gain, terms in zip(gains, held, strict=True)
            ]
            best = max(range(len(ranked)), key=lambda at: (worth[at], -at))
            if taken and gains[best] < least:
                break
            place = ranked.pop(best)
            taken.append(Span(place[0], self._sentence(place)))
            missing -= held[best].words
            figures -= held[best].values
        return tuple(taken)

    def _sentence(self, place: tuple[str, int]) -> str:
        return self.indexes[place[0]].sentences[place[1]].text

    def _weight(self, words: Iterable[str]) -> float:
        # Exact, so that the order of a set cannot move a claim over a threshold.
        return math.fsum(map(self.weights.__getitem__, words))


class _Weights(dict[str, float]):
    """Inverse sentence frequency over the sources of one case, computed for the words that are asked for."""

    def __init__(self, indexes: Sequence[SourceIndex]) -> None:
        super().__init__()
        self.holders = [index.holders for index in indexes]
        self.total = sum(len(index.sentences) for index in indexes)

    def __missing__(self, word: str) -> float:
        holding = sum(len(holders[word]) for holders in self.holders if word in holders)
        # A word that no source uses says less than a rare one that is found: paraphrase brings many of them.
        weight = math.log(1 + self.total / holding) if holding else 0.5 * math.log(1 + self.total)
        self[word] = weight
        return weight


def _merged(parts: Sequence[Terms]) -> Terms:
    merged = parts[0]
    for part in parts[1:]:
        # A later sentence says whether its own words are negated, not those of the sentence before.
        merged = Terms(
            merged.words | part.words,
            merged.names | part.names,
            merged.openers,
            merged.figures | part.figures,
            merged.negated | (part.negated - merged.words),
            merged.plain | (part.plain - merged.words),
            merged.heads | (part.heads - merged.words),
            merged.relations | part.relations,
            merged.exclusive or part.exclusive,
            merged.order,
        )
    return merged


def _rank(match: Match) -> int:
    """Return how much a match that gives no support says: a contradiction, what is lacking in a close source, nothing."""
    return 2 if match.status == "contradicted" else int(match.close)


def _differs(unit: str, value: str, found: Terms) -> bool:
    return unit != "" and any(figure.unit == unit and figure.value != value for figure in found.figures)
