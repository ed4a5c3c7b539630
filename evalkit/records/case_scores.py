"""scores.jsonl: what code decided about each case, column by column: one line for the cases, then one for each row of report.json.

Rows of report.json are sums; a paired comparison needs the cases behind them. A case is one character of a row's line, so 100,000
cases cost little to write and to keep. What a judge decided stands in verdicts.jsonl and is not repeated here, but what code
decided for a judge's row (no output, an empty text) is.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, Self

from pydantic import Field, model_validator

from evalkit.records.base import Record

NOT_HERE, PASS, FAIL, VALUE = ".", "p", "f", "v"
"""Codes of a case on a row: code decided nothing about it; passed; failed; measured without a pass rule."""
REASONS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
"""Codes for why a case was not scored, given out in the order in which reasons come up in a row; the last one is for all others."""
OTHER = "other"
"""What the last of `REASONS` stands for."""
DIGITS = 16
"""Hex digits of each hash."""
NO_OUTPUT = "0" * DIGITS
"""Stands where a case has no output."""


class CaseTable(Record):
    """The first line: the cases that the run covers, in the order of the golden set."""

    cases: tuple[str, ...]
    """Case ids."""
    golden: str
    """16 hex digits a case: the start of the SHA-256 of its line in the golden set, without white space at its end."""
    outputs: str
    """16 hex digits a case: the same of the output's line; zeros where there is none."""
    clusters: tuple[str | None, ...] | None = None
    """The cluster of each case; None where no case has one."""
    lengths: tuple[int, ...] | None = None
    """Characters of each answer, 0 where it is blank or missing; None where the suite asks no judge."""

    @model_validator(mode="after")
    def _aligned(self) -> Self:
        n = len(self.cases)
        if len(self.golden) != n * DIGITS or len(self.outputs) != n * DIGITS:
            raise ValueError(f"golden and outputs must hold {DIGITS} digits for each of the {n} cases")
        for name in ("clusters", "lengths"):
            column = getattr(self, name)
            if column is not None and len(column) != n:
                raise ValueError(f"{name} must hold one entry for each of the {n} cases")
        return self


class RowScores(Record):
    """One row, case by case."""

    row: int
    """Index of the row in report.json."""
    codes: str
    """One character a case: `.` nothing decided here, `p` passed, `f` failed, `v` measured, or one of `reasons`."""
    reasons: dict[str, str] = Field(default_factory=dict)
    """Code -> why such cases were not scored."""
    values: tuple[float, ...] | None = None
    """Of a mean: the value of each case that was scored, in order."""
    asked: str | None = None
    """Of a judge's row in a baseline: 16 hex digits a case, the hash of the answer that was judged."""

    @model_validator(mode="after")
    def _known(self) -> Self:
        unknown = set(self.codes) - {NOT_HERE, PASS, FAIL, VALUE, *self.reasons}
        if unknown or not set(self.reasons) <= set(REASONS):
            raise ValueError(f"a code stands for nothing: {sorted(unknown or self.reasons)}")
        if self.values is None:
            if VALUE in self.codes:
                raise ValueError("a case was measured, but no values are given")
        elif len(self.values) != self.scored:
            raise ValueError(f"{len(self.values)} values for {self.scored} scored cases")
        if self.asked is not None and len(self.asked) != DIGITS * len(self.codes):
            raise ValueError(f"asked must hold {DIGITS} digits a case")
        return self

    @property
    def scored(self) -> int:
        """Cases that were scored."""
        return sum(map(self.codes.count, (PASS, FAIL, VALUE)))

    @property
    def excluded(self) -> int:
        """Cases that were not."""
        return len(self.codes) - self.codes.count(NOT_HERE) - self.scored


class CaseScores(NamedTuple):
    """The whole of scores.jsonl: every row has a code for every case of the table."""

    table: CaseTable
    rows: tuple[RowScores, ...]


def digests(text: str) -> Iterator[str]:
    """Yield the hashes of the cases, one after the other."""
    return (text[start : start + DIGITS] for start in range(0, len(text), DIGITS))
