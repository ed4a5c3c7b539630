"""Arithmetic in an answer, computed again: sums that are written out, and quotients of the case's own evidence.

Written out: "5 plus 3 is 8", "2 x 1,200 = 2,400", "10% of 500 makes 50". From evidence: a number in front of words that the suite names
("a carat") must be one value of the evidence divided by another. A result is right at the precision that it is written with: 3.33
for 10/3, 5,000 for 4,998 (closing zeros may be off by 1 %). Whether a sum was worth saying is nobody's question here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from decimal import Decimal, localcontext
from itertools import pairwise
from typing import Annotated, NamedTuple

from pydantic import Field

from evalkit.records.base import Json, Record
from evalkit.records.cases import Case
from evalkit.records.outputs import Output
from evalkit.records.scores import UNCOUNTED, CriterionSpec, Result, Score, Signature, Unscored
from evalkit.scoring.answer import without_text
from evalkit.scoring.excerpt import around
from evalkit.scoring.settings import Resources, read_settings
from evalkit.text.json_pointer import resolve_pointer
from evalkit.text.numbers import Number, numbers

DIGITS = 40
_OPERATION = re.compile(
    r"\s*(?:(?P<plus>\+|plus|and another)|(?P<minus>[-\u2212\u2013]|minus|less)|(?P<times>[x×*]|times)|(?P<over>[/÷]|divided by|over))\s*"
)
_SHARE = re.compile(r"\s+of\s+")
_RESULT = re.compile(
    r"\s*,?\s*(?:=|is|are|equals|makes|gives|comes to|leaves|that is|that makes)\s+(?:about\s+|roughly\s+)?"
)


class Quotient(Record):
    """A number that the evidence gives by division."""

    says: Annotated[str, Field(min_length=1)]
    """Words right behind the number, e.g. `a carat`."""
    of: Annotated[str, Field(pattern="^/")]
    """JSON Pointer to the dividend."""
    by: Annotated[str, Field(pattern="^/")]
    """JSON Pointer to the divisor."""


class ArithmeticSettings(Record):
    """Settings of `arithmetic`."""

    quotients: tuple[Quotient, ...] = ()
    """What the evidence gives by division."""


class _Step(NamedTuple):
    """One result in the text, and what it should be."""

    start: int
    end: int
    stated: Number
    due: Decimal


class Arithmetic:
    """The number of results in an answer that are wrong; `not_applicable` where nothing can be computed again."""

    criteria = (CriterionSpec(id="arithmetic_errors", estimate="mean", within=(0.0, 1e9), without_output="exclude"),)

    def __init__(self, settings: Mapping[str, Json], resources: Resources) -> None:
        self._settings = read_settings(ArithmeticSettings, "arithmetic", settings, resources)
        self.signature = Signature(scorer="arithmetic", version="1", settings=self._settings.model_dump(mode="json"))

    def score(self, case: Case, output: Output) -> tuple[Result, ...]:
        """Return the count of wrong results; it passes at 0. An empty text holds nothing to count (`no_output`)."""
        missing = without_text(output, calls_suffice=True)
        if missing is not None:
            return (UNCOUNTED if isinstance(missing, Score) else missing,)
        text = output.text or ""
        found = numbers(text)
        steps = [*_written_out(text, found), *self._quotients(text, found, case.evidence)]
        if not steps:
            return (Unscored("not_applicable", "the answer computes nothing that can be computed again"),)
        wrong = [step for step in steps if not _right(step)]
        faults = [
            {
                "text": text[s.start : s.end],
                "offset": s.start,
                "due": _shown(s.due),
                "around": around(text, s.start, s.end),
            }
            for s in wrong
        ]
        named = "; ".join(f"{fault['text']!r} at {fault['offset']} should be {fault['due']}" for fault in faults[:5])
        return (Score(float(len(wrong)), not wrong, named, {"errors": faults} if faults else {}),)

    def _quotients(self, text: str, found: list[Number], evidence: Json) -> Iterator[_Step]:
        for quotient in self._settings.quotients:
            of, by = _number_at(evidence, quotient.of), _number_at(evidence, quotient.by)
            if of is None or not by:
                continue
            words = r"\s+".join(map(re.escape, quotient.says.split()))
            behind = re.compile(rf"\s*{words}\b", re.IGNORECASE)
            for number in found:
                match = behind.match(text, number.end)
                if match:
                    yield _Step(number.start, match.end(), number, _divided(of, by))


def _number_at(evidence: Json, path: str) -> Decimal | None:
    try:
        value = resolve_pointer(evidence, path)
    except (ValueError, LookupError):
        return None
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return Decimal(repr(value))


def _written_out(text: str, found: list[Number]) -> Iterator[_Step]:
    """Yield results behind two numbers with an operation between them."""
    for (one, other), (_, result) in pairwise(pairwise(found)):
        middle, last = text[one.end : other.start], text[other.end : result.start]
        if not _RESULT.fullmatch(last):
            continue
        due = _computed(one, other, middle)
        if due is not None:
            yield _Step(one.start, result.end, result, due)


def _computed(one: Number, other: Number, middle: str) -> Decimal | None:
    a, b = one.values[0], other.values[0]
    if one.unit == "percent" and _SHARE.fullmatch(middle):
        return _divided(a * b, Decimal(100))
    match = _OPERATION.fullmatch(middle)
    if match is None:
        return None
    if match["over"]:
        return _divided(a, b) if b else None
    return {"plus": a + b, "minus": a - b, "times": a * b}[str(match.lastgroup)]


def _divided(a: Decimal, b: Decimal) -> Decimal:
    with localcontext() as context:
        context.prec = DIGITS
        return a / b


def _right(step: _Step) -> bool:
    return any(abs(step.due - value) <= _room(value) for value in step.stated.values)


def _room(value: Decimal) -> Decimal:
    """Return how far the exact value may be off: half of the last written digit; where that is a closing zero, at most 1 %."""
    exponent = value.as_tuple().exponent
    if isinstance(exponent, int) and exponent < 0:
        return Decimal(5).scaleb(exponent - 1)
    digits = str(abs(int(value)))
    zeros = len(digits) - len(digits.rstrip("0")) if value else 0
    return min(Decimal(5).scaleb(zeros - 1), abs(value) / 100) if zeros else Decimal("0.5")


def _shown(value: Decimal) -> str:
    return f"{float(value):.10g}"
