"""Differences of rows, each as a slope from A to B and with its interval drawn to one scale around no difference."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple, TypedDict

from evalkit.records.baselines import BaselineDiff, BaselineRow
from evalkit.records.diffs import RowDiff, RunDiff
from evalkit.records.reports import Interval
from evalkit.reporting import figures
from evalkit.reporting.baseline_view import drifted, not_compared
from evalkit.reporting.diff_words import who
from evalkit.reporting.html.row_view import EDGE, WIDTH, Ends, cases_address

SCALES = (0.05, 0.1, 0.2, 0.5, 1.0)
"""Differences that a drawing may reach to each side; the smallest that holds all rows is taken."""
SLOPE_TOP, SLOPE_HEIGHT = 3.0, 26.0


class DifferenceDrawing(NamedTuple):
    """A difference and its interval in units of the drawing; its middle is no difference."""

    value: float
    interval: Ends | None
    label: str


class Change(NamedTuple):
    """One row in A and in B."""

    name: str
    filter: str
    """Address of the cases that changed; empty where none did or the page lists none."""
    by: str
    """That a judge gave the row, and with how little behind it; empty where code did."""
    value_a: str
    value_b: str
    slope: Ends | None
    """Heights of both values; None outside 0 to 1."""
    difference: str
    limits: str
    drawing: DifferenceDrawing | None
    n: str
    fixed: str
    broken: str
    drift: str
    moved: str
    """better or worse, where the comparison can carry it; empty elsewhere."""
    note: str


class Changes(NamedTuple):
    """All rows of a comparison, to one scale."""

    rows: tuple[Change, ...]
    scale: str
    """How far the drawing reaches to each side, in words."""


Figures = tuple[float | None, float | None, float | None, Interval | None]
"""Value in A, value in B, difference, its interval."""


def baseline_changes(
    found: BaselineDiff, kinds: Mapping[tuple[str, str, str], str]
) -> tuple[Changes, list[tuple[str, str]]]:
    """Return the rows that have a difference from the baseline, and (row, why) for those that may not be compared.

    `kinds` says of what kind each row of the report is, by capability, scorer and criterion.
    """
    compared = [row for row in found.rows if not not_compared(row)]
    half = _half((row.baseline, row.value, row.difference, row.interval) for row in compared)
    rows = tuple(_from_baseline(row, half, kinds) for row in compared)
    refused = [
        (_name(row.capability, row.scorer, row.criterion), reason)
        for row in found.rows
        if (reason := not_compared(row))
    ]
    return Changes(rows, scale_words(half)), refused


def diff_changes(diff: RunDiff) -> Changes:
    """Return the rows of a comparison of two runs."""
    half = _half(
        (row.value_a, row.value_b, row.difference, row.interval_clustered or row.interval) for row in diff.rows
    )
    return Changes(tuple(_from_diff(row, half) for row in diff.rows if row.n), scale_words(half))


def _from_baseline(row: BaselineRow, half: float, kinds: Mapping[tuple[str, str, str], str]) -> Change:
    place = row.capability, row.scorer, row.criterion
    return Change(
        name=_name(*place),
        filter="",
        by="judge" if kinds.get(place) == "judge" else "",
        n=f"{row.n:,}",
        fixed=str(row.fixed),
        broken=str(row.broken),
        drift=str(row.drift) if row.drift else "",
        moved="",
        note="; ".join(_baseline_notes(row)),
        **_shown((row.baseline, row.value, row.difference, row.interval), half),
    )


def _baseline_notes(row: BaselineRow) -> Iterator[str]:
    if row.drift:
        yield f"INSTRUMENT DRIFT {drifted(row)}"
    if row.p is not None:
        yield f"p {row.p:.3f}"


def _from_diff(row: RowDiff, half: float) -> Change:
    place = row.capability, row.scorer, row.criterion
    said = [row.note, "" if row.q is None else f"q {row.q:.3f}", "" if row.p is None else f"p {row.p:.3f}"]
    changed = row.fixed or row.broken or row.drift
    return Change(
        name=_name(*place),
        filter=cases_address(capability=row.capability, criterion=f"{row.scorer}/{row.criterion}") if changed else "",
        by=who(row),
        n=f"{row.n:,}",
        fixed=str(len(row.fixed)),
        broken=str(len(row.broken)),
        drift=str(len(row.drift)) if row.drift else "",
        moved=row.moved or "",
        note="; ".join(text for text in said if text),
        **_shown((row.value_a, row.value_b, row.difference, row.interval_clustered or row.interval), half),
    )


class _Shown(TypedDict):
    """The fields of a change that its figures make."""

    value_a: str
    value_b: str
    slope: Ends | None
    difference: str
    limits: str
    drawing: DifferenceDrawing | None


def _shown(found: Figures, half: float) -> _Shown:
    value_a, value_b, difference, limits = found
    inside = _drawable(found)
    spread = "" if limits is None else f"{_signed(limits[0], points=inside)} to {_signed(limits[1], points=inside)}"
    text = "" if difference is None else _signed(difference, points=inside)
    drawing = difference_drawing(difference, limits, half) if inside and difference is not None else None
    return {
        "value_a": _value(value_a, inside),
        "value_b": _value(value_b, inside),
        "slope": (_height(value_a), _height(value_b))
        if inside and value_a is not None and value_b is not None
        else None,
        "difference": text,
        "limits": spread,
        "drawing": drawing,
    }


def difference_drawing(difference: float, limits: Interval | None, half: float) -> DifferenceDrawing:
    """Return a difference of shares with its interval; `half` is how far the drawing reaches to each side."""
    ends = None if limits is None else (_at(limits[0], half), _at(limits[1], half))
    spread = "no interval" if limits is None else f"95 % interval {_spread(limits)}"
    return DifferenceDrawing(
        _at(difference, half), ends, f"difference {_signed(difference, points=True)} points, {spread}"
    )


def _spread(limits: Interval) -> str:
    return f"{_signed(limits[0], points=True)} to {_signed(limits[1], points=True)}"


def half_of(amounts: Iterable[float | None]) -> float:
    """Return how far a drawing must reach to each side to hold these differences of shares."""
    most = max((abs(amount) for amount in amounts if amount is not None), default=0.0)
    return next(scale for scale in SCALES if most <= scale)


def _name(capability: str, scorer: str, criterion: str) -> str:
    return " / ".join(dict.fromkeys((capability, scorer, criterion)))


def _drawable(found: Figures) -> bool:
    value_a, value_b, _, limits = found
    inside = all(value is not None and 0 <= value <= 1 for value in (value_a, value_b))
    return inside and (limits is None or (limits[0] >= -1 and limits[1] <= 1))


def _half(all_figures: Iterable[Figures]) -> float:
    return half_of(amount for found in all_figures if _drawable(found) for amount in (found[2], *(found[3] or ())))


def scale_words(half: float) -> str:
    """Return how far a drawing reaches to each side, in points."""
    return f"{100 * half:.0f}"


def _at(difference: float, half: float) -> float:
    return round(WIDTH / 2 + (WIDTH / 2 - EDGE) * difference / half, 2)


def _height(share: float) -> float:
    return round(SLOPE_TOP + SLOPE_HEIGHT * (1 - share), 2)


def _value(value: float | None, share: bool) -> str:  # noqa: FBT001 - what kind of number it is
    if value is None:
        return "no data"
    return f"{100 * figures.written(value):.1f}" if share else figures.number(value)


def _signed(amount: float, *, points: bool) -> str:
    exact = figures.written(amount)
    return f"{100 * exact:+z.1f}" if points else f"{exact:+z,.3f}"


def refused_rows(diff: RunDiff) -> Sequence[tuple[str, str]]:
    """Return (row, why) for the rows of both runs that may not be compared."""
    return [
        (f"{_name(row.capability, row.scorer, row.criterion)} ({row.kind})", "; ".join(row.reasons))
        for row in diff.refused
    ]
