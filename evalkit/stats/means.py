"""The t interval of a mean that is not a rate (token F1, nDCG, latency), from sums, so that values need not be kept.

Sums of squares cancel where values are large and close together; callers sum differences from any value of the sample
(its first), which also makes the SD of equal values exactly 0.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import sqrt

from evalkit.stats.distributions import t_quantile
from evalkit.stats.intervals import clopper_pearson_upper

ROUNDING = 1e-12


def t_interval(n: int, total: float, squares: float, level: float = 0.95) -> tuple[float, float] | None:
    """Return mean -/+ t_{n-1} * s/sqrt(n) from n, the sum and the sum of squares, on the scale of the sums.

    Range: n >= 0, 0 < level < 1. None where there is no interval: n < 2, or SD = 0 (n equal values say nothing about spread,
    and a width of 0 would say everything). The ends are not clipped to the range of the measure. Student 1908.
    """
    if n < 2:
        return None
    mean = total / n
    variance = (squares - total * mean) / (n - 1)
    if variance <= 0:
        return None
    half = t_quantile((1 + level) / 2, n - 1) * sqrt(variance / n)
    return mean - half, mean + half


def t_interval_of(values: Iterable[float], level: float = 0.95) -> tuple[float, float] | None:
    """Return the t interval of the mean of finite values; None for fewer than two, or where all are equal."""
    listed = list(values)
    if not listed:
        return None
    origin = listed[0]
    offsets = [value - origin for value in listed]
    interval = t_interval(len(listed), sum(offsets), sum(d * d for d in offsets), level)
    return None if interval is None else (origin + interval[0], origin + interval[1])


def are_equal(values: Sequence[float]) -> bool:
    """Whether finite values are equal but for rounding (1e-12, relative to values above 1), whose spread says nothing either."""
    low, high = min(values), max(values)
    return high - low <= ROUNDING * max(1.0, abs(low), abs(high))


def lower_of_equal(value: float, n: int, lowest: float, level: float = 0.95) -> float:
    """Return the one-sided lower bound of a mean of which n equal values were seen, in [lowest, value].

    Equal values have no spread, yet further ones may differ: at this level at most a share p = 1 - (1 - level)^(1/n) of them (Clopper &
    Pearson 1934, none of n), each at worst `lowest`, so the mean is at least (1 - p) value + p lowest. Range: n >= 1, lowest <= value,
    0 < level < 1; values are independent. Never `value` itself unless that is the lowest. Raises ValueError outside the range.
    """
    if lowest > value:
        raise ValueError(f"the lowest value {lowest} is above the value {value} that was seen")
    share = clopper_pearson_upper(0, n, level)
    return (1 - share) * value + share * lowest
