"""Intervals that respect clusters: cases of one document, template or paraphrase are not independent.

The variance is CR1 (Liang & Zeger 1986 with G/(G - 1)); a rate gets Wilson on the effective sample size n/deff with the quantile
of t_{G-1}, a mean gets mean -/+ t_{G-1} * SE. Cases without a cluster are clusters of one and are passed as sums, not one by one.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt
from typing import NamedTuple

from evalkit.stats.distributions import t_quantile
from evalkit.stats.intervals import wilson


class ClusterSum(NamedTuple):
    """The cases of one cluster."""

    size: float
    """Cases, at least 1."""
    total: float
    """Sum of their values; the number that passed, for a rate."""


class Singles(NamedTuple):
    """All cases that belong to no cluster; each counts as a cluster of its own."""

    n: int = 0
    total: float = 0.0
    squares: float = 0.0
    """Sum of the squared values; equal to `total` for a rate."""


NO_SINGLES = Singles()
_ROUNDING = 1e-12
"""A standard error this small beside the values is what summing left over, not a spread."""


class ClusteredRate(NamedTuple):
    """A clustered interval of a rate, with what it rests on."""

    low: float
    high: float
    clusters: int
    deff: float
    """Design effect, at least 1: how many times the variance of independent cases."""
    n_eff: float
    """n/deff: as many independent cases would tell as much."""


def clustered_wilson(
    clusters: Sequence[ClusterSum], singles: Singles = NO_SINGLES, level: float = 0.95
) -> ClusteredRate | None:
    """Return the Wilson interval on n_eff = n/deff, deff = max(1, SE_CR1^2/SE_iid^2), with the quantile of t_{G-1}.

    Range: cluster sizes >= 1, 0 <= total <= size, 0 < level < 1. Refuses (None) for fewer than two clusters, for they show no
    variation between them. All pass, or all fail: deff := mean cluster size, since the sample shows no variance to compare.
    Simulated coverage from 10 clusters of 10 on, intra-cluster correlation .3: .92 to .95 at pass rates up to .9, down to .90 at
    .95 and .97 below some 50 clusters (docs/statistics.md). Miller 2024 (arXiv 2411.00640), appendix A, with G/(G - 1).
    """
    count = len(clusters) + singles.n
    if count < 2:
        return None
    n = sum(cluster.size for cluster in clusters) + singles.n
    passed = sum(cluster.total for cluster in clusters) + singles.total
    if passed in {0, n}:
        deff = n / count
    else:
        rate = passed / n
        deff = max(1.0, _cr1(n, rate, clusters, singles) / (rate * (1 - rate) / n))
    low, high = wilson(passed / deff, n / deff, t_quantile((1 + level) / 2, count - 1))
    return ClusteredRate(low, high, count, deff, n / deff)


def clustered_t_interval(
    clusters: Sequence[ClusterSum], singles: Singles = NO_SINGLES, level: float = 0.95
) -> tuple[float, float] | None:
    """Return mean -/+ t_{G-1} * SE_CR1 over G clusters, on the scale of the sums.

    Range: cluster sizes >= 1, finite totals, 0 < level < 1. None where there is no interval: fewer than two clusters, or
    SE = 0 (every cluster has the same mean).
    """
    count = len(clusters) + singles.n
    if count < 2:
        return None
    n = sum(cluster.size for cluster in clusters) + singles.n
    mean = (sum(cluster.total for cluster in clusters) + singles.total) / n
    variance = _cr1(n, mean, clusters, singles)
    scale = (sum(abs(cluster.total) for cluster in clusters) + abs(singles.total)) / n
    if variance <= (_ROUNDING * scale) ** 2:
        return None
    half = t_quantile((1 + level) / 2, count - 1) * sqrt(variance)
    return mean - half, mean + half


def _cr1(n: float, mean: float, clusters: Sequence[ClusterSum], singles: Singles) -> float:
    """Return SE_CR1^2 = G/(G - 1) * sum over clusters of (sum of x - mean)^2 / n^2; at least two clusters."""
    count = len(clusters) + singles.n
    spread = sum((cluster.total - cluster.size * mean) ** 2 for cluster in clusters)
    spread += singles.squares - 2 * mean * singles.total + singles.n * mean * mean
    return count / (count - 1) * spread / (n * n)
