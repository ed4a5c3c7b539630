"""A suite's baseline, and a report's differences from it, as words."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from evalkit.records.reports import Report
from evalkit.reporting import figures
from evalkit.reporting.escape import one_line
from evalkit.reporting.page import Page

if TYPE_CHECKING:
    # Every run asks for its differences; only a suite with a baseline imports the records of one.
    from evalkit.records.baselines import Baseline, BaselineDiff, BaselineRow, LengthChange


def print_baseline(page: Page, baseline: Baseline, sha256: str) -> None:
    """Print which run is the baseline, and its rows."""
    page.line(f"{one_line(baseline.suite)}: the baseline is run {one_line(baseline.run_id)}", style="bold")
    page.line(f"outputs: {one_line(baseline.outputs)}, {baseline.outputs_sha256}", indent=2)
    page.line(f"golden set: {baseline.golden_sha256}", indent=2)
    page.line(f"baseline.json: {sha256}", indent=2)
    page.line()
    page.columns(
        [
            (
                (
                    one_line(f"{row.capability}/{figures.criterion(row)}", 80),
                    figures.passed(row),
                    figures.value(row),
                    figures.interval(row, row.interval),
                ),
                "",
            )
            for row in baseline.rows
            if row.kind != "policy"
        ]
    )


def baseline_of(report: Report) -> BaselineDiff | None:
    """Return a report's differences from the baseline, where it has any."""
    if report.baseline is None:
        return None
    from evalkit.records.baselines import BaselineDiff

    return BaselineDiff.model_validate(report.baseline, strict=False)


def baseline_lines(found: BaselineDiff) -> Iterator[str]:
    """Yield each row that changed, drifted or could not be compared, then how many rows are as they were."""
    yield f"against the baseline, run {one_line(found.run_id)}:"
    same = 0
    for row in found.rows:
        if reason := not_compared(row):
            yield f"{_name(row)}: {'NOT COMPARABLE' if row.not_comparable else 'NOT COMPARED'}: {one_line(reason, 300)}"
        elif row.difference or row.fixed or row.broken or row.drift:
            yield f"{_name(row)}: {_change(row)}"
        else:
            same += 1
    if same:
        yield f"compared and without a difference: {same} {'row' if same == 1 else 'rows'}"
    for change in found.length:
        if change.alarm and change.interval is not None:
            yield (
                f"LENGTH: {_name(change)}: length goes with passing otherwise than in the baseline: Somers' D {change.baseline:+z.2f} -> "
                f"{change.value:+z.2f} (difference {change.interval[0]:+z.2f} to {change.interval[1]:+z.2f}, n {change.n}); "
                "measure it with: evalkit bias verbosity SUITE"
            )


def _change(row: BaselineRow) -> str:
    limits = "" if row.interval is None else f" ({_signed(row.interval[0])} to {_signed(row.interval[1])})"
    p = "" if row.p is None else f", p {row.p:.3f}"
    cases = f", fixed {row.fixed}, broken {row.broken}" if row.fixed or row.broken else ""
    if row.drift:
        cases += f", INSTRUMENT DRIFT {drifted(row)}"
    return f"{_number(row.baseline)} -> {_number(row.value)}, difference {_signed(row.difference)}{limits}{p}, n {row.n}{cases}"


def _number(amount: float | None) -> str:
    return "no data" if amount is None else figures.number(amount)


def _signed(amount: float | None) -> str:
    return "no data" if amount is None else f"{figures.written(amount):+z.3f}"


def drifted(row: BaselineRow) -> str:
    """Return in how many cases the instrument moved."""
    return f"{row.drift} of {row.unchanged} unchanged outputs, in the value and not in the difference"


def not_compared(row: BaselineRow) -> str:
    """Return why a row has no difference; empty where it has one."""
    if row.not_comparable:
        return "; ".join(row.not_comparable)
    return "no case was scored in both runs" if row.difference is None else ""


def _name(row: BaselineRow | LengthChange) -> str:
    return one_line("/".join(dict.fromkeys((row.capability, row.scorer, row.criterion))), 120)
