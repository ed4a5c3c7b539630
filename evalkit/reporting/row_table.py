"""A report's rows on one screen: what failed and what passed a line each, the long tail folded.

Means without a pass rule that stand on the same cases (a retrieval metric at several ranks) share a paragraph, and so do criteria
without data. report.md holds every row with its interval.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from evalkit.records.base import Json
from evalkit.records.reports import Row
from evalkit.reporting import figures, wording
from evalkit.reporting.escape import one_line
from evalkit.reporting.page import Cells, Page

FOLDED_FROM = 3
"""Means of one scorer that are worth folding."""
LABEL_CELLS = 30
"""Cells of a row's name; with two reasons of exclusion a row then takes 110."""

Line = tuple[Cells, str]


def print_rows(page: Page, rows: Sequence[Row]) -> None:
    """Print the rows of a report, policy conditions left out."""
    measured = [row for row in rows if row.kind != "policy"]
    page.columns(_table(measured), label=LABEL_CELLS)
    without = "; ".join(_without_data([row for row in measured if not row.n]))
    if without:
        page.line(f"no data: {without}", style="dim")


def _table(rows: Sequence[Row]) -> Iterator[Line]:
    """Yield a header, then capability by capability a title and its rows; a capability of one line needs no title."""
    scored = [row for row in rows if row.n]
    if scored:
        yield ("", "passed", "value", "95 % interval", "remarks"), "dim"
    for capability in dict.fromkeys(row.capability for row in scored):
        groups = list(_folded([row for row in scored if row.capability == capability]))
        name = one_line(capability, 80)
        if len(groups) == 1:
            yield _line(groups[0], f"{name}: ", within=True)
            continue
        yield (name,), "bold"
        for group in groups:
            yield _line(group, "  ", within=False)


def _folded(rows: Sequence[Row]) -> Iterator[list[Row]]:
    """Yield rows one by one, but means of one scorer over the same cases together, where there are several."""
    for _, found in groupby(rows, key=_sameness):
        group = list(found)
        if len(group) >= FOLDED_FROM and group[0].passed is None and group[0].mode != "triage":
            yield group
        else:
            yield from ([row] for row in group)


def _sameness(row: Row) -> tuple[Json, ...]:
    return (
        row.scorer,
        row.estimate,
        row.passed is None,
        row.n,
        tuple(row.excluded.items()),
        row.trust,
        row.insufficient,
    )


def _line(group: Sequence[Row], before: str, *, within: bool) -> Line:
    """Return one line; `within` leaves out a scorer's name that is the capability's, because it stands before it."""
    row = group[0]
    remarks = one_line("; ".join((*_clustered(row), *wording.remarks(row))))
    if len(group) > 1:
        told = f" ({remarks})" if remarks else ""
        title = before if within and row.scorer == row.capability else f"{before}{one_line(row.scorer, 80)}: "
        return (f"{title}means of {figures.cases(row.n)}{told}: {_means(group)}",), _style(row)
    label = one_line(figures.criterion_within(row) if within else figures.criterion(row), 80)
    cells = (f"{before}{label}", figures.passed(row), figures.value(row), figures.interval(row, row.interval), remarks)
    return cells, _style(row)


def _clustered(row: Row) -> Iterator[str]:
    """Yield the interval over clusters: a gate holds the worse end of both."""
    if row.interval_clustered is not None:
        yield f"{figures.counted(row.clusters or 0, 'cluster')}: {figures.interval(row, row.interval_clustered)}"


def _means(rows: Sequence[Row]) -> str:
    """Return names and values; a metric at several ranks (`recall@1`, `recall@5`) is named once."""
    by_metric: dict[str, list[str]] = {}
    for row in rows:
        metric, at, rank = row.criterion.partition("@")
        by_metric.setdefault(metric, []).append(f"{at}{rank} {figures.value(row)}")
    return one_line("; ".join(metric + ", ".join(values) for metric, values in by_metric.items()), 400)


def _without_data(rows: Sequence[Row]) -> Iterator[str]:
    """Yield criteria without data, those of one scorer that have none for the same reasons together."""
    for _, found in groupby(rows, key=lambda row: (row.capability, row.scorer, tuple(row.excluded.items()))):
        row, *others = found
        names = ", ".join((figures.criterion_within(row), *(other.criterion for other in others)))
        why = figures.counts(row.excluded) or "no case"
        yield one_line(f"{row.capability}: {names} ({why})")


def _style(row: Row) -> str:
    if row.insufficient:
        return "dim"
    return "green" if row.passed is not None and row.passed == row.n else ""
