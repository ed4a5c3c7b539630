"""What code decided about each case, from scores.jsonl: passes, measured values, and why a case was not scored."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from evalkit.records.case_scores import FAIL, NOT_HERE, PASS, VALUE, CaseScores, RowScores
from evalkit.records.reports import Row

MEASURED = "measured"
MISSING_OUTPUT = "missing output"
NOT_SCORED = "not scored"

_UNSCORED = {
    "missing_output": MISSING_OUTPUT,
    "null_text": MISSING_OUTPUT,
    "output_error": MISSING_OUTPUT,
    "not_applicable": "not applicable",
    "scorer_error": "scorer error",
}
_OUTCOMES = {PASS: "pass", FAIL: "fail", VALUE: MEASURED}


class CodeResult(NamedTuple):
    """What code decided about one case on one row."""

    place: tuple[str, str, str]
    """Capability, scorer, criterion."""
    outcome: str
    value: float | None
    """Of a mean; None for a rate, and where the case was not scored."""
    reason: str
    """Why the case was not scored; empty where it was."""


def code_results(
    rows: Sequence[Row], scores: CaseScores, wanted: Collection[str] | None
) -> dict[str, list[CodeResult]]:
    """Return case id -> what code decided about it, in the order of the rows; of all cases, or of those `wanted`."""
    found: dict[str, list[CodeResult]] = {}
    for row, line in zip(rows, scores.rows, strict=False):
        place = (row.capability, row.scorer, row.criterion)
        for case_id, (code, value) in zip(scores.table.cases, _codes(line), strict=True):
            if code == NOT_HERE or (wanted is not None and case_id not in wanted):
                continue
            reason = line.reasons.get(code, "")
            outcome = _UNSCORED.get(reason, NOT_SCORED) if reason else _OUTCOMES[code]
            found.setdefault(case_id, []).append(CodeResult(place, outcome, value, reason))
    return found


def _codes(line: RowScores) -> Iterator[tuple[str, float | None]]:
    """Yield the code of each case, and its value where the row is a mean."""
    values = iter(line.values or ())
    for code in line.codes:
        yield code, next(values) if line.values is not None and code in _OUTCOMES else None
