"""Differences of two rates: paired (Tango's interval, McNemar's mid-p test) and unpaired (Newcombe's hybrid).

A paired table is (b, c, n): b cases pass only under the first, c only under the second, n in all. Win, loss and tie counts of
pairs are the same table.
"""

from __future__ import annotations

from math import comb, hypot, sqrt

from evalkit.stats.intervals import Z95, wilson
from evalkit.stats.results import Estimate, Refused, too_few

ENOUGH_UNPAIRED = 30
"""Cases on each side from which a difference over different cases is read."""


def mcnemar_midp(b: int, c: int) -> float:
    """Return the two-sided mid-p value of "b and c are equally likely": 2 P(X <= min) - P(X = min), X ~ Bin(b + c, 1/2).

    Range: b >= 0, c >= 0; b = c gives 1, also 0 and 0. Exact integer arithmetic. Below b + c = 5 it cannot reach .05.
    Fagerland, Lydersen & Laake 2013. Raises ValueError outside the range.
    """
    if b < 0 or c < 0:
        raise ValueError(f"discordant counts are not negative, got {b} and {c}")
    if b == c:
        return 1.0
    n, smaller = b + c, min(b, c)
    point = term = comb(n, smaller)
    tail = 0
    for k in range(smaller, -1, -1):
        tail += term
        term = term * k // (n - k + 1)
    return (2 * tail - point) / (1 << n)


def tango(b: int, c: int, n: int, z: float = Z95) -> tuple[float, float]:
    """Return Tango's score interval of the paired difference (b - c)/n, in [-1, 1].

    All delta with |b - c - n delta| <= z sqrt(n (2 q + delta (1 - delta))), q the constrained maximum-likelihood estimate, found
    by bisection. Range: b, c >= 0, b + c <= n, n >= 1, z > 0; for a one-sided 95 % bound pass z = 1.645. Edges: b = c = 0 gives
    -/+ z^2/(n + z^2); b = n an upper end of 1. It excludes 0 if and only if McNemar's uncorrected chi-square rejects.
    Tango 1998. Raises ValueError outside the range.
    """
    if not (b >= 0 and c >= 0 and n >= 1 and b + c <= n):
        raise ValueError(f"a paired table needs b, c >= 0 and b + c <= n, got b={b}, c={c}, n={n}")
    # The interval of (c, b) is the mirror of that of (b, c), so one search for an upper end serves both.
    return -_tango_upper(c, b, n, z), _tango_upper(b, c, n, z)


def _tango_upper(b: int, c: int, n: int, z: float) -> float:
    inside, outside = (b - c) / n, 1.0
    if _within(1.0, b, c, n, z):
        return 1.0
    middle = (inside + outside) / 2
    while inside < middle < outside:
        if _within(middle, b, c, n, z):
            inside = middle
        else:
            outside = middle
        middle = (inside + outside) / 2
    return middle


def _within(delta: float, b: int, c: int, n: int, z: float) -> bool:
    """Whether the score test keeps `delta`; compared as squares, so that a variance of 0 needs no division."""
    linear = -b - c + (2 * n - b + c) * delta
    constant = -c * delta * (1 - delta)
    root = sqrt(max(0.0, linear * linear - 8 * n * constant))
    # The larger root of 2n q^2 + linear q + constant, in the form that does not cancel.
    q = -2 * constant / (linear + root) if linear > 0 else (root - linear) / (4 * n)
    variance = n * (2 * q + delta * (1 - delta))
    return (b - c - n * delta) ** 2 <= z * z * variance


def newcombe(passed_1: int, n_1: int, passed_2: int, n_2: int, z: float = Z95) -> tuple[float, float]:
    """Return the interval of passed_1/n_1 - passed_2/n_2 for different cases, in [-1, 1].

    d - sqrt((p1 - l1)^2 + (u2 - p2)^2) to d + sqrt((u1 - p1)^2 + (p2 - l2)^2) with Wilson's limits. Range: n >= 1 and
    0 <= passed <= n on both sides, z > 0. Never zero width. Newcombe 1998, method 10. Raises ValueError outside the range.
    """
    low_1, high_1 = wilson(passed_1, n_1, z)
    low_2, high_2 = wilson(passed_2, n_2, z)
    p_1, p_2 = passed_1 / n_1, passed_2 / n_2
    difference = p_1 - p_2
    low = difference - hypot(p_1 - low_1, high_2 - p_2)
    high = difference + hypot(high_1 - p_1, p_2 - low_2)
    return max(-1.0, low), min(1.0, high)


def unpaired(passed_1: int, n_1: int, passed_2: int, n_2: int) -> Estimate | Refused:
    """Return passed_1/n_1 - passed_2/n_2 of different cases with `newcombe`'s 95 % interval; say so wherever it is printed.

    Range: 0 <= passed <= n. Refuses where a side has no cases. Insufficient below 30 cases on either side. Raises ValueError
    outside the range.
    """
    if not n_1 or not n_2:
        return Refused("a side has no cases")
    interval = newcombe(passed_1, n_1, passed_2, n_2)
    insufficient = too_few(min(n_1, n_2), ENOUGH_UNPAIRED, "cases on the smaller side")
    return Estimate(passed_1 / n_1 - passed_2 / n_2, interval, insufficient)
