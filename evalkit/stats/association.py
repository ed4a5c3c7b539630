"""Does a number (the answer's length) go with a yes or no (the verdict)? Somers' D to be read, Spearman beside its ceiling.

Spearman with a binary variable cannot exceed sqrt(3pq), so it moves whenever the pass rate moves; Somers' D does not.
Counts and ranks are kept as integers, so ties are exact and a variance of 0 is 0.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from itertools import groupby
from math import sqrt
from typing import NamedTuple

from evalkit.stats.intervals import Z95


class SomersD(NamedTuple):
    """Somers' D of a number for one class against the other."""

    d: float
    """2 * AUC - 1 in [-1, 1]; positive where the first class has the larger numbers."""
    se: float | None
    """DeLong standard error of `d`; None where a class has a single member."""

    def interval(self, z: float = Z95) -> tuple[float, float] | None:
        """Return d -/+ z * se, clipped to [-1, 1]; None where se is unknown or 0 (complete separation, all numbers equal)."""
        if not self.se:
            return None
        return max(-1.0, self.d - z * self.se), min(1.0, self.d + z * self.se)


def somers_d(first: Sequence[float], second: Sequence[float]) -> SomersD | None:
    """Return Somers' D: the share of pairs in which the first class is larger, minus the share in which it is smaller.

    Range: any finite numbers; ties count half to each side. None where a class is empty. O(n log n).
    Somers 1962; standard error of the AUC after DeLong, DeLong & Clarke-Pearson 1988, doubled.
    """
    if not first or not second:
        return None
    above = placements(first, sorted(second))
    below = placements(second, sorted(first))
    d = sum(above) / (len(first) * len(second)) - 1
    if len(first) < 2 or len(second) < 2:
        return SomersD(d, None)
    # A placement is twice the count of smaller ones, so placement/size is twice DeLong's component, the scale of D.
    variance = _variance_of_mean(above) / len(second) ** 2 + _variance_of_mean(below) / len(first) ** 2
    return SomersD(d, sqrt(variance))


def placements(values: Sequence[float], others: Sequence[float]) -> list[int]:
    """Return, for each value, twice the number of sorted `others` below it, ties counting once."""
    return [bisect_left(others, value) + bisect_right(others, value) for value in values]


def _variance_of_mean(counts: Sequence[int]) -> float:
    """Return s^2/n of at least two integers."""
    n = len(counts)
    total = sum(counts)
    return (n * sum(count * count for count in counts) - total * total) / (n * n * (n - 1))


def spearman(x: Sequence[float], y: Sequence[float]) -> float | None:
    """Return Spearman's rank correlation in [-1, 1], average ranks for ties.

    Range: two sequences of equal length. None where it is undefined: fewer than two pairs, or one side constant.
    Spearman 1904. Raises ValueError where the lengths differ.
    """
    if len(x) != len(y):
        raise ValueError(f"spearman needs pairs, got {len(x)} and {len(y)} values")
    ranks_x, ranks_y = _centred_ranks(x), _centred_ranks(y)
    spread_x = sum(rank * rank for rank in ranks_x)
    spread_y = sum(rank * rank for rank in ranks_y)
    if not spread_x or not spread_y:
        return None
    shared = sum(a * b for a, b in zip(ranks_x, ranks_y, strict=True))
    return max(-1.0, min(1.0, shared / (sqrt(spread_x) * sqrt(spread_y))))


def _centred_ranks(values: Sequence[float]) -> list[int]:
    """Return twice the average rank of each value, minus its mean n + 1: integers that sum to 0."""
    n = len(values)
    ranks = [0] * n
    start = 0
    for _, tied in groupby(sorted(range(n), key=values.__getitem__), key=values.__getitem__):
        places = list(tied)
        rank = 2 * start + len(places) - n
        for place in places:
            ranks[place] = rank
        start += len(places)
    return ranks


def spearman_ceiling(p: float) -> float:
    """Return sqrt(3pq), what Spearman cannot exceed with a binary variable of pass rate p and untied numbers.

    Range: 0 <= p <= 1; 0 at both ends. Exact up to a factor sqrt(n^2/(n^2 - 1)). Raises ValueError outside the range.
    """
    if not 0 <= p <= 1:
        raise ValueError(f"a pass rate lies in [0, 1], got {p}")
    return sqrt(3 * p * (1 - p))
