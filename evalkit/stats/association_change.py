"""Did the association of a number with a yes or no change between two measurements of the same cases?

The difference of two Somers' D is the mean of per-case influences, so its variance comes from their differences: cases that did not
change cancel out, and what the two measurements share is not counted as noise. That is the infinitesimal jackknife (Jaeckel 1972;
for one D it is DeLong's variance up to n/(n - 1)), which a bootstrap over cases approaches, without its 1,000 sorts a row.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Sequence
from math import sqrt
from typing import NamedTuple

from evalkit.stats.association import placements
from evalkit.stats.intervals import Z95


class Reading(NamedTuple):
    """One measurement of one case."""

    number: float
    passed: bool


class AssociationChange(NamedTuple):
    """Somers' D of the number for passed against failed, before and after."""

    before: float
    after: float
    interval: tuple[float, float] | None
    """95 % of after - before, clipped to [-2, 2]; None where fewer than two units differ."""


def somers_d_change(
    before: Sequence[Reading], after: Sequence[Reading], clusters: Sequence[Hashable] | None = None
) -> AssociationChange | None:
    """Return the change of Somers' D over the same cases in the same order; None where a side has one class only.

    `clusters` groups cases that are not independent, one entry a case. Raises ValueError where the lengths differ.
    """
    if len(before) != len(after) or (clusters is not None and len(clusters) != len(before)):
        raise ValueError(f"the same cases are needed, got {len(before)} before and {len(after)} after")
    first, second = _influences(before), _influences(after)
    if first is None or second is None:
        return None
    sums: defaultdict[Hashable, float] = defaultdict(float)
    for place, (mine, theirs) in enumerate(zip(first.values, second.values, strict=True)):
        sums[place if clusters is None else clusters[place]] += theirs - mine
    units, change = len(sums), second.d - first.d
    if sum(value != 0 for value in sums.values()) < 2:
        return AssociationChange(first.d, second.d, None)
    error = sqrt(units / (units - 1) * sum(value * value for value in sums.values())) / len(before)
    limits = (max(-2.0, change - Z95 * error), min(2.0, change + Z95 * error))
    return AssociationChange(first.d, second.d, limits)


class _Influences(NamedTuple):
    d: float
    values: list[float]
    """Per case; they sum to 0."""


def _influences(readings: Sequence[Reading]) -> _Influences | None:
    passed = [reading.number for reading in readings if reading.passed]
    failed = [reading.number for reading in readings if not reading.passed]
    if not passed or not failed:
        return None
    n, n1, n0 = len(readings), len(passed), len(failed)
    above, below = iter(placements(passed, sorted(failed))), iter(placements(failed, sorted(passed)))
    parts = [next(above) / n0 - 1 if reading.passed else 1 - next(below) / n1 for reading in readings]
    d = sum(part for part, reading in zip(parts, readings, strict=True) if reading.passed) / n1
    values = [(part - d) * n / (n1 if reading.passed else n0) for part, reading in zip(parts, readings, strict=True)]
    return _Influences(d, values)
