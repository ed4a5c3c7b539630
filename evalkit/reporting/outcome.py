"""What came of a run, in plain words, before any figure: policy, what code found, what the judge's rows are worth, validity.

"Valid for gating" alone reads like praise. It only says that the run's figures may be used, so what failed is said first.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from evalkit.records.reports import Report, Row
from evalkit.reporting.escape import one_line
from evalkit.reporting.figures import counted

INVALID = "INVALID FOR GATING"
NO_PRAISE = "this is no word on quality"


def outcome(report: Report) -> str:
    """Return what failed, as one sentence."""
    return "; ".join((_policy(report), *_code(report), *_classifier(report), *_judge(report)))


def validity(report: Report) -> str:
    """Return whether the run may be gated on, and by which rows."""
    if not report.gating.valid:
        return INVALID
    if _provisional(report.rows) and any(row.trust == "trusted" for row in report.rows):
        return f"valid for gating, by the rows decided in code and the judge's trusted ones; {NO_PRAISE}"
    if _provisional(report.rows):
        if not any(row.n and row.kind != "policy" and row.trust != "provisional" for row in report.rows):
            rows = "by its policy conditions only" if report.policy else "but no row may gate: all are provisional"
            return f"valid for gating, {rows}; {NO_PRAISE}"
        return f"valid for gating, by the rows decided in code only; {NO_PRAISE}"
    return f"valid for gating; {NO_PRAISE}"


def broke(report: Report) -> bool:
    """Tell whether a condition that blocks was broken."""
    return any(condition.breaches for condition in report.policy)


def _policy(report: Report) -> str:
    """Nothing is said to be kept where nobody could tell."""
    total = counted(len(report.policy), "condition")
    broken = sum(1 for condition in report.policy if condition.breaches)
    open_ones = sum(1 for condition in report.policy if condition.unknown and not condition.breaches)
    if not report.policy:
        return "no policy conditions"
    if broken:
        return f"policy: {broken} of {total} BREACHED" + (f", {open_ones} could not be decided" if open_ones else "")
    return f"policy: {open_ones} of {total} could not be decided" if open_ones else "policy: 0 breaches"


def _code(report: Report) -> Iterator[str]:
    rows = [row for row in report.rows if row.kind == "deterministic"]
    if not rows and any(row.kind == "classifier" for row in report.rows):
        return  # a suite without a scorer in code promises none
    if not any(row.n for row in rows):
        yield "code scored nothing"
    elif any(row.n and row.passed is not None for row in rows):
        yield _failing(rows, "code")


def _classifier(report: Report) -> Iterator[str]:
    rows = [row for row in report.rows if row.kind == "classifier"]
    if rows and not any(row.n for row in rows):
        yield "the classifier decided nothing"
    elif rows:
        yield "the classifier's rows are provisional"


def _judge(report: Report) -> Iterator[str]:
    rows = [row for row in report.rows if row.kind == "judge"]
    if rows and not any(row.n for row in rows):
        yield "the judge decided nothing"
    elif _provisional(rows):
        trusted = [f"{row.capability}: {row.criterion}" for row in rows if row.trust == "trusted"]
        yield (
            f"trusted: {one_line(', '.join(trusted), 400)}; the judge's other rows are provisional"
            if trusted
            else ("the judge's rows are provisional")
        )
    elif rows:
        yield _failing(rows, "judge")


def _failing(rows: Sequence[Row], who: str) -> str:
    decided = [row for row in rows if row.n and row.passed is not None]
    failing = sum(1 for row in decided if row.passed != row.n)
    verb = "has" if failing == 1 else "have"
    return f"{failing} of {counted(len(decided), f'{who} criterion', f'{who} criteria')} {verb} failures"


def _provisional(rows: Sequence[Row]) -> bool:
    return any(row.trust == "provisional" for row in rows)
