"""Does a rewrite say what the original says? Checked in code on what code can read: figures, dates, citations, names, negations.

A rewrite that fails is left out, so the check is strict where it can be. What it cannot see is a meaning that changed in plain words
alone ("optional" for "required"); whoever supplies rewrites answers for those.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Hashable
from typing import NamedTuple

from evalkit.judging.floor_polarity import NEGATORS, NO_NEGATION
from evalkit.records.outputs import Output
from evalkit.text.citation_markers import marker_spans, without_markers
from evalkit.text.dates import dates, times
from evalkit.text.numbers import numbers
from evalkit.text.sentences import sentence_spans

CONTENT_CHECK_VERSION = "figures-dates-citations-names-negations/1"
_WORD = re.compile(r"[^\W_]+(?:['\u2019][^\W_]+)*")
_SHORTENED_NOT = re.compile(r"n['\u2019]t$")


class _Said(NamedTuple):
    """What code can read of a text; each figure as often as it is said."""

    numbers: Counter[Hashable]
    dates: Counter[Hashable]
    times: Counter[Hashable]
    negations: int


def content_changes(original: Output, rewrite: Output, documents: Collection[str] = ()) -> tuple[str, ...]:
    """Return what a rewrite says otherwise: `numbers`, `dates`, `times`, `negations`, `citations`, `names`; empty where nothing.

    `documents` are the ids of the case's sources, by which citation markers are told from other brackets.
    """
    known = tuple(documents)
    before, after = (without_markers(output.text or "", known) for output in (original, rewrite))
    said, repeated = _said(before), _said(after)
    changed = [name for name, mine, theirs in zip(_Said._fields, said, repeated, strict=True) if mine != theirs]
    if _cited(original, known) != _cited(rewrite, known):
        changed.append("citations")
    if not _same_names(before, after):
        changed.append("names")
    return tuple(changed)


def _said(text: str) -> _Said:
    rest = _without_dates(text)
    return _Said(
        numbers=Counter((frozenset(number.values), number.unit) for number in numbers(rest)),
        dates=Counter(date.readings for date in dates(text)),
        times=Counter(time.minutes for time in times(text)),
        negations=_negations(text),
    )


def _without_dates(text: str) -> str:
    """Return a text with its dates and times blanked out: their figures and months are read as what they are."""
    letters = list(text)
    spans = [date[:2] for date in dates(text)] + [time[:2] for time in times(text)]
    for start, end in spans:
        letters[start:end] = " " * (end - start)
    return "".join(letters)


def _negations(text: str) -> int:
    words = [word.casefold() for word in _WORD.findall(text)]
    following = [*words[1:], ""]
    return sum(
        (word in NEGATORS or _SHORTENED_NOT.search(word) is not None) and after not in NO_NEGATION
        for word, after in zip(words, following, strict=True)
    )


def _cited(output: Output, documents: tuple[str, ...]) -> tuple[Counter[str], frozenset[str]]:
    text = output.text or ""
    markers = Counter(text[start:end] for start, end in marker_spans(text, documents))
    return markers, frozenset(output.citations or ())


def _same_names(before: str, after: str) -> bool:
    """Tell whether each name of either text stands in the other; where a sentence begins, a capital makes no name."""
    words = [{word.casefold() for word in _WORD.findall(text)} for text in (before, after)]
    return _names(_without_dates(before)) <= words[1] and _names(_without_dates(after)) <= words[0]


def _names(text: str) -> set[str]:
    names = set()
    for sentence in sentence_spans(text):
        for position, word in enumerate(_WORD.findall(sentence.text)):
            capitals = sum(letter.isupper() for letter in word)
            if capitals > 1 or (capitals and position and len(word) > 1):
                names.add(word.casefold())
    return names
