"""A reliability diagram: what was stated against what people said, bin by bin, around the diagonal of true probabilities.

Finished figures in, coordinates out. Beneath the square a strip of bars says how many answers each bin holds.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from evalkit.records.calibrations import ProbabilityBin
from evalkit.reporting import figures
from evalkit.reporting.html.row_view import Ends

LEFT, TOP, SIDE = 40.0, 8.0, 180.0
"""Place and size of the square in units of the drawing."""
STRIP_TOP, STRIP = 214.0, 34.0
"""Where the bars of the counts begin, and the height of the fullest."""


class ReliabilityMark(NamedTuple):
    """One bin that holds a label: its place and its interval."""

    x: float
    y: float
    interval: Ends | None
    """Heights of the lower and the upper end."""


class CountBar(NamedTuple):
    """How many answers a bin holds, to scale."""

    x: float
    y: float
    width: float
    height: float


class ReliabilityPicture(NamedTuple):
    """One curve."""

    marks: tuple[ReliabilityMark, ...]
    line: str
    """Points that join the marks."""
    bars: tuple[CountBar, ...]
    most: str
    """Answers in the fullest bin."""
    label: str


def reliability_picture(bins: Sequence[ProbabilityBin]) -> ReliabilityPicture | None:
    """Return the curve of some bins, in the order of what they state; None where no bin holds a label."""
    labelled = sorted((one for one in bins if one.observed is not None and one.n), key=lambda one: one.stated)
    if not labelled:
        return None
    most = max(one.n for one in bins)
    marks = tuple(_marks(labelled))
    return ReliabilityPicture(
        marks=marks,
        line=" ".join(f"{mark.x},{mark.y}" for mark in marks),
        bars=tuple(_bar(one, most) for one in bins if one.n),
        most=f"{most:,}",
        label="stated against passed by people: " + "; ".join(_words(one) for one in labelled),
    )


def _marks(bins: Sequence[ProbabilityBin]) -> Iterator[ReliabilityMark]:
    for one in bins:
        limits = None if one.interval is None else (_up(one.interval[0]), _up(one.interval[1]))
        yield ReliabilityMark(_across(one.stated), _up(one.observed or 0.0), limits)


def _bar(one: ProbabilityBin, most: int) -> CountBar:
    height = round(STRIP * one.n / most, 2)
    left, right = _across(one.low), _across(one.high)
    return CountBar(left + 1, round(STRIP_TOP + STRIP - height, 2), round(right - left - 2, 2), height)


def _words(one: ProbabilityBin) -> str:
    return f"{one.stated:.2f} stated, {figures.percent(one.observed or 0.0)} of {one.n} passed"


def _across(share: float) -> float:
    return round(LEFT + SIDE * share, 2)


def _up(share: float) -> float:
    return round(TOP + SIDE * (1 - share), 2)
