"""Rows beside each other, each with its interval drawn to the scale that all of them share. Geometry only; no statistic."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple
from urllib.parse import quote

from evalkit.records.reports import Interval, Report, Row
from evalkit.reporting import figures, wording

WIDTH = 240.0
"""Units of a drawing; its ends stand `EDGE` further in, so that a mark at 0 or 100 % is whole."""
EDGE = 5.0

Ends = tuple[float, float]


class Drawing(NamedTuple):
    """A value and its intervals in units of the drawing; None where there is nothing to draw."""

    value: float
    interval: Ends | None
    clustered: Ends | None
    bounds: Ends | None
    hollow: bool
    """Too few cases: the mark is drawn hollow."""
    label: str
    """The same in words."""


class RowView(NamedTuple):
    """One row as the page shows it."""

    name: str
    filter: str
    """Address of the cases behind it."""
    passed: str
    value: str
    interval: str
    remarks: tuple[str, ...]
    drawing: Drawing | None
    undrawn: str
    """Why there is no drawing; empty where there is one."""
    sound: bool
    """Every case that was scored passed."""


class Group(NamedTuple):
    """The rows of one capability."""

    capability: str
    rows: tuple[RowView, ...]


def at(share: float) -> float:
    """Return where a share stands in a drawing."""
    return round(EDGE + (WIDTH - 2 * EDGE) * share, 2)


def ends(limits: Interval | None) -> Ends | None:
    """Return where an interval begins and ends in a drawing."""
    return None if limits is None else (at(limits[0]), at(limits[1]))


def groups(report: Report, *, kind: str) -> list[Group]:
    """Return the rows of a kind that have data, capability by capability."""
    rows = [row for row in report.rows if row.kind == kind and row.n]
    return [
        Group(capability, tuple(_view(row) for row in rows if row.capability == capability))
        for capability in dict.fromkeys(row.capability for row in rows)
    ]


def without_data(report: Report) -> list[str]:
    """Return the rows without a case that was scored, each with why."""
    return [
        f"{row.capability}: {figures.criterion_within(row)} ({figures.counts(row.excluded) or 'no case'})"
        for row in report.rows
        if not row.n and row.kind != "policy"
    ]


def readings(report: Report) -> list[tuple[str, tuple[str, ...]]]:
    """Return what single rows cannot say, a text once with all rows it is about."""
    about: dict[str, list[str]] = {}
    for row in report.rows:
        for text in filter(None, (*row.note.split("; "), *row.reading.split("; "))):
            about.setdefault(text, []).append(f"{row.capability}/{row.criterion}")
    return [(text, tuple(dict.fromkeys(names))) for text, names in about.items()]


def cases_address(**filters: str) -> str:
    """Return the address, within the page, of the cases that a filter leaves."""
    return "#" + "&".join(f"{name}={quote(text, safe='', errors='replace')}" for name, text in filters.items() if text)


def _view(row: Row) -> RowView:
    drawing = _drawing(row)
    return RowView(
        name=figures.criterion_within(row),
        filter=_cases_behind(row),
        passed=figures.passed(row),
        value=figures.value(row),
        interval=figures.interval(row, row.interval) or row.note,
        remarks=tuple(_remarks(row)),
        drawing=drawing,
        undrawn="" if drawing else "not between 0 and 1: not drawn",
        sound=row.passed == row.n,
    )


def _cases_behind(row: Row) -> str:
    """Return the address of the cases that failed a row, of all of them where none did or code only measured; empty for a judge's count."""
    if row.passed is None and row.kind == "judge":
        return ""
    outcome = "" if row.passed in {None, row.n} else "failure"
    return cases_address(outcome=outcome, capability=row.capability, criterion=f"{row.scorer}/{row.criterion}")


def _remarks(row: Row) -> Iterator[str]:
    if row.n and row.insufficient:
        yield "small n"
    if row.excluded:
        yield f"excluded of {row.total:,}: {figures.counts(row.excluded)}"
    if row.bounds is not None and row.bounds[0] != row.bounds[1]:
        yield f"worst case {figures.interval(row, row.bounds)}"
    if row.interval_clustered is not None:
        yield f"{figures.counted(row.clusters or 0, 'cluster')}: {figures.interval(row, row.interval_clustered)}"


def _drawing(row: Row) -> Drawing | None:
    if row.value is None or not _fits([(row.value, row.value), row.interval, row.interval_clustered]):
        return None
    limits = figures.interval(row, row.interval)
    label = f"{figures.value(row)}, 95 % interval {limits}" if limits else f"{figures.value(row)}, no interval"
    bounds = row.bounds if row.bounds and row.bounds[0] != row.bounds[1] else None
    return Drawing(
        value=at(row.value),
        interval=ends(row.interval),
        clustered=ends(row.interval_clustered),
        bounds=ends(bounds),
        hollow=row.insufficient,
        label=label,
    )


def _fits(all_limits: Iterable[Interval | None]) -> bool:
    return all(limits is None or 0 <= limits[0] <= limits[1] <= 1 for limits in all_limits)


def policy_lines(report: Report) -> Sequence[tuple[str, str, str]]:
    """Return (state, condition, what came of it) for each condition that blocks."""
    return [
        (
            "fails" if condition.breaches else "care" if condition.unknown else "holds",
            condition.condition,
            wording.breach(condition).removeprefix(condition.condition).strip(),
        )
        for condition in report.policy
    ]
