"""What code decides about each case while a run streams past: a byte a case and row, for scores.jsonl.

This runs once per case and row of every run, so it appends to bytearrays and does nothing else.
"""

from __future__ import annotations

from array import array

from evalkit.aggregation.rows import Counted
from evalkit.records.case_scores import FAIL, NOT_HERE, OTHER, PASS, REASONS, VALUE, CaseScores, CaseTable, RowScores
from evalkit.text.normalise import is_blank

_EMPTY, _PASS, _FAIL, _VALUE = NOT_HERE.encode(), ord(PASS), ord(FAIL), ord(VALUE)


class RowRecord:
    """One row while results come in."""

    __slots__ = ("_codes", "_reasons", "_values")

    def __init__(self, *, mean: bool) -> None:
        self._codes = bytearray()
        self._values: array[float] | None = array("d") if mean else None
        self._reasons: dict[str, int] = {}

    def add(self, position: int, counted: Counted, value: float | str) -> None:
        """Take what the row counted for the case at a position, and its value; what positions skip was not decided here."""
        codes = self._codes
        if len(codes) != position:
            codes += _EMPTY * (position - len(codes))
        if counted is True:
            codes.append(_PASS)
        elif counted is False:
            codes.append(_FAIL)
        elif counted is None:
            codes.append(_VALUE)
        else:
            codes.append(self._reasons.get(counted) or self._new_reason(counted))
            return
        if self._values is not None:
            self._values.append(value)  # type: ignore[arg-type]  # what was counted as scored is a number

    def _new_reason(self, reason: str) -> int:
        if len(self._reasons) < len(REASONS) - 1:
            return self._reasons.setdefault(reason, ord(REASONS[len(self._reasons)]))
        return self._reasons.setdefault(OTHER, ord(REASONS[-1]))

    def scores(self, row: int, cases: int) -> RowScores:
        """Return the line of a row, given its index in report.json and the number of cases."""
        codes = self._codes + _EMPTY * (cases - len(self._codes))
        return RowScores(
            row=row,
            codes=codes.decode("ascii"),
            reasons={chr(code): reason for reason, code in self._reasons.items()},
            values=None if self._values is None else tuple(self._values),
        )


class TableRecord:
    """The cases while they stream past."""

    __slots__ = ("_cases", "_clustered", "_clusters", "_golden", "_lengths", "_outputs")

    def __init__(self, *, judged: bool) -> None:
        """Start; `judged` says whether a judge will be asked, for whom the answers' lengths are kept."""
        self._lengths: array[int] | None = array("q") if judged else None
        self._cases: list[str] = []
        self._golden = bytearray()
        self._outputs = bytearray()
        self._clusters: list[str | None] = []
        self._clustered = False

    def add(self, case_id: str, golden: bytes, output: bytes, cluster: str | None, text: str | None) -> None:
        """Take the next case with the short digests of its line and of its output's, and the answer's text."""
        self._cases.append(case_id)
        self._golden += golden
        self._outputs += output
        self._clusters.append(cluster)
        if cluster is not None:
            self._clustered = True
        if self._lengths is not None:
            self._lengths.append(0 if text is None or is_blank(text) else len(text))

    def scores(self, rows: list[RowRecord]) -> CaseScores:
        """Return the whole of scores.jsonl; `rows` in the order of report.json."""
        table = CaseTable(
            cases=tuple(self._cases),
            golden=self._golden.hex(),
            outputs=self._outputs.hex(),
            clusters=tuple(self._clusters) if self._clustered else None,
            lengths=None if self._lengths is None else tuple(self._lengths),
        )
        lines = (row.scores(index, len(self._cases)) for index, row in enumerate(rows))
        return CaseScores(table, tuple(lines))
