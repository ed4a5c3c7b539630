"""Several candidates beside each other, row by row. No difference is tested here: that takes paired statistics."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from evalkit.records.reports import Report, Row
from evalkit.reporting import figures, wording
from evalkit.reporting.escape import one_line
from evalkit.reporting.page import Cells, Page

Key = tuple[str, str, str]

NOT_TESTED = (
    "side by side, not tested: whether one candidate is better takes the paired difference over the same cases, "
    "and intervals that overlap do not show that two candidates are equal"
)


def print_side_by_side(page: Page, reports: Sequence[Report]) -> None:
    """Print the rows of several reports of one suite, a column a candidate."""
    names = [one_line(report.outputs.get("name", "?"), 30) for report in reports]
    page.line("Side by side", style="bold")
    page.columns([(("", *names, ""), "dim"), (("gating", *map(_gating, reports), ""), ""), *_rows(reports)])
    for name, report in zip(names, reports, strict=True):
        for caution in wording.constitutions(report):
            page.line(f"{name}: {caution}", style="yellow", indent=2)
    page.line()
    page.line(NOT_TESTED, style="yellow")


def _gating(report: Report) -> str:
    return "valid" if report.gating.valid else "INVALID"


def _rows(reports: Sequence[Report]) -> Iterator[tuple[Cells, str]]:
    by_key: dict[Key, list[Row | None]] = {}
    for index, report in enumerate(reports):
        for row in report.rows:
            cells = by_key.setdefault((row.capability, row.scorer, row.criterion), [None] * len(reports))
            cells[index] = row
    for capability in dict.fromkeys(key[0] for key in by_key):
        yield (one_line(capability), *("" for _ in reports), ""), "bold"
        for rows in (rows for key, rows in by_key.items() if key[0] == capability):
            label = figures.criterion(next(row for row in rows if row is not None))
            yield (f"  {one_line(label, 80)}", *(_cell(row) for row in rows), _remark(rows)), ""


def _cell(row: Row | None) -> str:
    if row is None:
        return "not measured"
    return f"{figures.passed(row)}  {figures.value(row)}"


def _remark(rows: Sequence[Row | None]) -> str:
    present = [row for row in rows if row is not None]
    said = []
    if any(row.trust == "provisional" for row in present):
        said.append("provisional")
    if any(row.insufficient for row in present):
        said.append("small n")
    first = present[0]
    if any(row.signature != first.signature for row in present):
        said.append("measured differently: not comparable")
    return "; ".join(said)
