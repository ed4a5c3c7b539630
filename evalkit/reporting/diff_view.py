"""A comparison of two runs: the instruments first, then per criterion the cases, then the difference and what it can carry."""

from __future__ import annotations

from collections.abc import Sequence

from evalkit.records.diffs import Instrument, RowDiff, RowName, RunDiff
from evalkit.reporting import figures
from evalkit.reporting.diff_words import direction_words, drift_words, figures_in_words, place, who
from evalkit.reporting.escape import one_line
from evalkit.reporting.page import Page

CASES_SHOWN = 8
NOTHING_ASKED = frozenset({"not_applicable in both", "no_expectation in both"})
"""Cases that a criterion asks nothing of; they stand in the JSON only."""


def print_diff(page: Page, diff: RunDiff) -> None:
    """Print a comparison."""
    names = f"{one_line(diff.run_a, 80)} (A) against {one_line(diff.run_b, 80)} (B)"
    page.line(f"{one_line(diff.suite)}: {names}; differences are B - A", style="bold")
    for instrument in diff.instruments:
        page.line(_instrument(instrument), style="" if instrument.within_budget else "bold red", indent=2)
    for note in diff.notes:
        page.line(f"note: {one_line(note, 600)}", style="yellow", indent=2)
    for refused in diff.refused:
        page.line(f"NOT COMPARABLE: {place(refused)}", style="bold red")
        for reason in refused.reasons:
            page.line(one_line(reason, 400), indent=4)
    page.line()
    for row in diff.rows:
        _row(page, row)
    _only(page, "only in A", diff.only_a)
    _only(page, "only in B", diff.only_b)
    page.line(
        f"q: Benjamini-Hochberg over the {diff.family} tests of this comparison, Holm beside it; a criterion is called better or "
        "worse only where q is at most .05 and its pairs suffice"
    )


def _instrument(found: Instrument) -> str:
    rate = "" if found.judge_error_rate is None else f" ({figures.percent(found.judge_error_rate)})"
    budget = "" if found.within_budget else ", OVER THE BUDGET"
    errors = f"{found.judge_errors} judge errors of {found.judged}{rate}{budget}"
    return f"judge of {one_line(found.run, 80)}: self-agreement {one_line(found.self_agreement)}; {errors}"


def _row(page: Page, row: RowDiff) -> None:
    word = {"better": "  BETTER", "worse": "  WORSE", None: ""}[row.moved]
    style = {"better": "bold green", "worse": "bold red", None: "bold"}[row.moved]
    judged, direction = (f" ({said})" if said else "" for said in (who(row), direction_words(row)))
    page.line(f"{place(row)}{judged}{word}{direction}", style=style)
    for label, ids in (("fixed", row.fixed), ("broken", row.broken), ("still failing", row.still_failing)):
        if ids:
            page.line(f"{label} {len(ids)}: {_ids(ids)}", indent=4)
    if row.drift:
        text = f"INSTRUMENT DRIFT {len(row.drift)} of {row.unchanged} unchanged outputs: {_ids(row.drift)}"
        text += f"; decided by {drift_words(row)}" if row.drift_by else ""
        page.line(f"{text}; not in the difference", style="bold yellow", indent=4)
    page.line("; ".join(figures_in_words(row)), indent=4)
    for reason, ids in row.unpaired.items():
        if reason not in NOTHING_ASKED:
            page.line(f"unpaired, {one_line(reason)} {len(ids)}: {_ids(ids)}", style="dim", indent=4)


def _ids(ids: Sequence[str]) -> str:
    more = f", ... ({len(ids) - CASES_SHOWN} more)" if len(ids) > CASES_SHOWN else ""
    return ", ".join(one_line(name, 60) for name in ids[:CASES_SHOWN]) + more


def _only(page: Page, where: str, rows: Sequence[RowName]) -> None:
    if rows:
        page.line(f"{where}: {', '.join(place(row) for row in rows)}", style="yellow")
