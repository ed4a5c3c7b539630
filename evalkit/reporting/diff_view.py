"""A comparison of two runs: the instruments first, then per criterion the cases, then the difference and what it can carry."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from evalkit.records.diffs import CountRatio, Instrument, RowDiff, RowName, RunDiff
from evalkit.records.reports import Interval
from evalkit.reporting import figures
from evalkit.reporting.escape import one_line
from evalkit.reporting.page import Page

CASES_SHOWN = 8
SMALLEST_P = 0.001
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


def place(row: RowName) -> str:
    """Return capability, scorer and criterion, each name once."""
    return one_line("/".join(dict.fromkeys((row.capability, row.scorer, row.criterion))), 120)


def _instrument(found: Instrument) -> str:
    rate = "" if found.judge_error_rate is None else f" ({figures.percent(found.judge_error_rate)})"
    budget = "" if found.within_budget else ", OVER THE BUDGET"
    errors = f"{found.judge_errors} judge errors of {found.judged}{rate}{budget}"
    return f"judge of {one_line(found.run, 80)}: self-agreement {one_line(found.self_agreement)}; {errors}"


def _row(page: Page, row: RowDiff) -> None:
    word = {"better": "  BETTER", "worse": "  WORSE", None: ""}[row.moved]
    style = {"better": "bold green", "worse": "bold red", None: "bold"}[row.moved]
    judged = f" (judge{f': {one_line(row.caution)}' if row.caution else ''})" if row.kind == "judge" else ""
    page.line(f"{place(row)}{judged}{word}{direction_words(row)}", style=style)
    for label, ids in (("fixed", row.fixed), ("broken", row.broken), ("still failing", row.still_failing)):
        if ids:
            page.line(f"{label} {len(ids)}: {_ids(ids)}", indent=4)
    if row.drift:
        text = f"INSTRUMENT DRIFT {len(row.drift)} of {row.unchanged} unchanged outputs: {_ids(row.drift)}"
        page.line(f"{text}; not in the difference", style="bold yellow", indent=4)
    page.line("; ".join(_figures(row)), indent=4)
    for reason, ids in row.unpaired.items():
        if reason not in NOTHING_ASKED:
            page.line(f"unpaired, {one_line(reason)} {len(ids)}: {_ids(ids)}", style="dim", indent=4)


def direction_words(row: RowDiff) -> str:
    """Return which way a row gets better where that is not up; empty where it is."""
    return {"higher": "", "lower": " (fewer is better)", "neither": " (ranks nothing)"}[row.better]


def _figures(row: RowDiff) -> Iterator[str]:
    if row.value_a is None or row.value_b is None or row.difference is None:
        yield one_line(row.note)
        return
    rate = row.estimate == "rate"
    shown = figures.percent if rate else figures.number
    yield f"n {row.n} ({row.n - row.unchanged} changed outputs): {shown(row.value_a)} -> {shown(row.value_b)}"
    limits = row.interval_clustered or row.interval
    kind = f"t over {row.clusters} clusters" if row.interval_clustered else "Tango" if rate else "t"
    spread = f" ({kind}, 95 %: {_limits(limits, rate=rate)})" if limits else ""
    yield f"difference {_signed(row.difference, rate=rate)}{spread}"
    if row.ratio is not None:
        yield _ratio(row.ratio)
    if row.p is not None:
        test = "t" if row.interval_clustered or not rate else "mid-p"
        adjusted = "" if row.q is None or row.p_holm is None else f", q {_p(row.q)}, Holm {_p(row.p_holm)}"
        yield f"{test} {_p(row.p)}{adjusted}"
    if row.detectable is not None:
        yield f"detectable {_signed(row.detectable, rate=rate).removeprefix('+')}"
    if row.note:
        yield one_line(row.note, 300)


def _p(value: float) -> str:
    return "<0.001" if value < SMALLEST_P else f"{value:.3f}"


def _ratio(found: CountRatio) -> str:
    """Return how many times as much B counts as A."""
    if found.value is None:
        return f"B/A not given: {one_line(found.note, 200)}"
    spread = f" (95 %: {found.interval[0]:.2f} to {found.interval[1]:.2f})" if found.interval else ""
    few = f", {one_line(found.note, 200)}" if found.note else ""
    return f"B/A {found.value:.2f} times{spread}{few}"


def _limits(limits: Interval, *, rate: bool) -> str:
    return f"{_signed(limits[0], rate=rate)} to {_signed(limits[1], rate=rate)}"


def _signed(amount: float, *, rate: bool) -> str:
    return f"{100 * amount:+.1f} points" if rate else f"{amount:+.3f}"


def _ids(ids: Sequence[str]) -> str:
    more = f", ... ({len(ids) - CASES_SHOWN} more)" if len(ids) > CASES_SHOWN else ""
    return ", ".join(one_line(name, 60) for name in ids[:CASES_SHOWN]) + more


def _only(page: Page, where: str, rows: Sequence[RowName]) -> None:
    if rows:
        page.line(f"{where}: {', '.join(place(row) for row in rows)}", style="yellow")
