"""No invented number: every number, date and time in the answer stands in a source of its case.

Compared by value, not by letters: $1,200.00 is 1200 dollars, thirty days is 30 days, 5 March 2024 is 2024-03-05. Where both sides
name a unit they must agree, so "$30" is not covered by "30 days"; units are not converted. "Q4 2024" is a figure of its own,
covered by neither "Q3 2024" nor "2024". No claims are: list numbers and step numbers, citation
markers, figures inside names, addresses and links, and small numbers in words ("two options") unless they have a unit or
count what a source counts. A number that follows from others (a sum, a difference) stands in no source and fails.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Annotated

from pydantic import Field

from evalkit.records.base import Json, Record
from evalkit.records.cases import Case
from evalkit.records.outputs import Output
from evalkit.records.scores import CriterionSpec, Result, Score, Signature, Unscored
from evalkit.scoring.answer import without_text
from evalkit.scoring.excerpt import around
from evalkit.scoring.number_sources import SourceName, Sources, blanked, sources_of, stated
from evalkit.scoring.settings import Resources, read_settings
from evalkit.text.citation_markers import marker_spans
from evalkit.text.numbers import Number

SMALL = 12
"""Numbers in words up to here are claims only with a unit or where a source counts the same thing."""

SHOWN = 10
"""Invented numbers named in a failure's text; the metadata has them all."""

_LIST_NUMBER = re.compile(r"^[ \t>*-]*(\d{1,3})[.)](?=[ \t]+\S)", re.MULTILINE)
_STEP = re.compile(
    r"\b(?:step|option)[ \t]{1,3}#?\d{1,2}\b|^[ \t>*#_-]*(?:part|phase|tip|example)[ \t]{1,3}\d{1,2}\b",
    re.IGNORECASE | re.MULTILINE,
)
# A question's number, where a quarter would be a claim.
_QUESTION = re.compile(r"^[ \t>*#_-]*Q\d{1,2}[.:)][^\n?]{0,300}\?", re.MULTILINE)
_QUESTION_NUMBER = re.compile(r"Q\d{1,2}")


class NoInventedNumbersSettings(Record):
    """Settings of `no_invented_numbers`."""

    sources: Annotated[tuple[SourceName, ...], Field(min_length=1)] = ("context", "evidence", "input")
    """Where a number may come from."""
    allow: tuple[str | int | float, ...] = ()
    """Numbers, dates or texts with them that are never inventions, e.g. `24/7`."""


class NoInventedNumbers:
    """1 where everything numeric in the answer stands in a source, 0 where something does not."""

    criteria = (CriterionSpec(id="no_invented_numbers"),)

    def __init__(self, settings: Mapping[str, Json], resources: Resources) -> None:
        self._settings = read_settings(NoInventedNumbersSettings, "no_invented_numbers", settings, resources)
        self.signature = Signature(
            scorer="no_invented_numbers", version="1", settings=self._settings.model_dump(mode="json")
        )

    def score(self, case: Case, output: Output) -> tuple[Result, ...]:
        """Return one Score; `not_applicable` where the answer states nothing numeric."""
        missing = without_text(output, calls_suffice=True)
        if missing is not None:
            return (missing,)
        text = output.text or ""
        sources = sources_of(case, self._settings.sources)
        sources.add_json(list(self._settings.allow))
        claims = invented = 0
        found: list[dict[str, Json]] = []
        for start, end, is_stated in _claims(text, [document.id for document in case.context], sources):
            claims += 1
            if not is_stated:
                invented += 1
                found.append({"text": text[start:end], "offset": start, "around": around(text, start, end)})
        if not claims:
            return (Unscored("not_applicable", "the answer states no number"),)
        if not invented:
            return (Score(1.0, passed=True),)
        named = "; ".join(f"{one['text']!r} at {one['offset']} ({one['around']})" for one in found[:SHOWN])
        more = f"; and {invented - SHOWN} more" if invented > SHOWN else ""
        where = ", ".join(self._settings.sources)
        reason = f"in no source ({where}): {named}{more}"
        return (Score(0.0, passed=False, reason=reason, metadata={"invented": found}),)


def _claims(text: str, documents: list[str], sources: Sources) -> Iterator[tuple[int, int, bool]]:
    """Yield each numeric claim of an answer: start, end, whether a source states it."""
    prose = _without_numbering(blanked(text, marker_spans(text, documents)))
    found = stated(prose)
    claims: list[tuple[int, int, bool]] = []
    claims += [(date.start, date.end, sources.has_date(date)) for date in found.dates]
    claims += [(time.start, time.end, not sources.minutes.isdisjoint(time.minutes)) for time in found.times]
    claims += [(one.start, one.end, sources.has_period(one)) for one in found.periods if sources.is_claim(one)]
    claims += [(start, end, digits in sources.dotted) for start, end, digits in found.dotted]
    claims += [(n.start, n.end, sources.has_number(n)) for n in found.numbers if _is_claim(n, sources)]
    yield from sorted(claims)


def _is_claim(number: Number, sources: Sources) -> bool:
    if not number.spelled or number.unit:
        return True
    if number.values[0] == 1:
        return False
    return number.values[0] > SMALL or bool(number.counted and number.counted in sources.counted)


def _without_numbering(text: str) -> str:
    """Blank the numbers of list items, which count up from 1, and of steps."""
    spans: list[tuple[int, int]] = []
    expected = {1}
    for match in _LIST_NUMBER.finditer(text):
        number = int(match[1])
        if number in expected:
            expected.add(number + 1)
            spans.append(match.span(1))
    text = blanked(text, spans)
    text = blanked(text, (match.span() for match in _STEP.finditer(text)))
    questions = (_QUESTION_NUMBER.search(text, match.start()) for match in _QUESTION.finditer(text))
    return blanked(text, (number.span() for number in questions if number is not None))
