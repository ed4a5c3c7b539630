"""Counts per item (violations per answer, say) from repeated runs: ratio of means, and how much of the spread is rerun noise.

Items are drawn, not counts: the counts of one item hang together. A difference between candidates that is smaller than what a rerun
of the same item changes is no finding, so the variance is split into items and reruns.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import NamedTuple

from evalkit.stats.results import Estimate, Refused, too_few

ENOUGH_ITEMS = 20
ENOUGH_RUNS = 2
REPLICATES = 2000
_ROUNDING = 1e-12
_UNDEFINED_SHARE = 0.025
"""Resampled ratios without a denominator beyond which the upper end of a 95 % interval would be infinite."""


class Pair(NamedTuple):
    """The counts that the runs of two candidates gave one item; a run at least each."""

    first: Sequence[float]
    second: Sequence[float]


class VarianceSplit(NamedTuple):
    """Where the spread of counts comes from."""

    item: float
    """Variance between items, at least 0."""
    rerun: float
    """Variance between runs of one item."""
    insufficient: str | None

    def standard_error(self, items: int, runs: int) -> float:
        """Return the standard error of a mean over that many items with that many runs each; both at least 1."""
        return float((self.item / items + self.rerun / (items * runs)) ** 0.5)


def ratio_of_means(items: Sequence[Pair], seed: int, replicates: int = REPLICATES) -> Estimate | Refused:
    """Return mean(first)/mean(second) over items, each item's runs averaged first, with a 95 % percentile interval.

    Items are resampled in pairs by `seed`. Range: counts >= 0, replicates >= 1. Refuses without items, where the second mean is 0,
    and where more than 2.5 % of the resampled second means are: the upper end is unbounded then. No interval where every
    resample gives the same ratio. Insufficient below 20 items or 2 runs. Efron & Tibshirani 1993. Raises ValueError outside the
    range.
    """
    _check(items, replicates)
    if not items:
        return Refused("no items that both have counts for")
    means = [(sum(pair.first) / len(pair.first), sum(pair.second) / len(pair.second)) for pair in items]
    below = sum(second for _, second in means)
    if not below:
        return Refused("the second mean is 0: no ratio")
    draw = Random(seed)  # noqa: S311 - a resampling scheme, not a secret
    ratios = []
    for _ in range(replicates):
        sample = draw.choices(means, k=len(means))
        bottom = sum(second for _, second in sample)
        if bottom:
            ratios.append(sum(first for first, _ in sample) / bottom)
    undefined = replicates - len(ratios)
    if undefined > _UNDEFINED_SHARE * replicates:
        return Refused(f"the second mean is 0 in {undefined} of {replicates} resamples: the ratio is unbounded")
    ratios.sort()
    low, high = (ratios[round(q * (len(ratios) - 1))] for q in (0.025, 0.975))
    runs = min(min(len(pair.first), len(pair.second)) for pair in items)
    insufficient = too_few(len(items), ENOUGH_ITEMS, "items") or too_few(runs, ENOUGH_RUNS, "runs of an item")
    return Estimate(
        sum(first for first, _ in means) / below, (low, high) if high - low > _ROUNDING * high else None, insufficient
    )


def variance_split(items: Sequence[Sequence[float]]) -> VarianceSplit | Refused:
    """Return the variance between items and between reruns of one: rerun = MSW, item = max(0, (MSB - MSW)/k0).

    k0 = (N - sum k_i^2/N)/(I - 1) stands for the number of runs where it differs. Refuses fewer than two items, and runs of which
    none was repeated. Insufficient below 20 items or where an item has one run. One-way random effects, Searle, Casella &
    McCulloch 1992, 3.6. Raises ValueError for an item without runs.
    """
    if not all(items):
        raise ValueError("an item needs a run")
    n, groups = sum(len(runs) for runs in items), len(items)
    if groups < 2 or n == groups:
        return Refused("items and reruns cannot be told apart: two items at least, and repeated runs, are needed")
    grand = sum(sum(runs) for runs in items) / n
    means = [sum(runs) / len(runs) for runs in items]
    between = sum(len(runs) * (mean - grand) ** 2 for runs, mean in zip(items, means, strict=True)) / (groups - 1)
    within = sum((value - mean) ** 2 for runs, mean in zip(items, means, strict=True) for value in runs) / (n - groups)
    size = (n - sum(len(runs) ** 2 for runs in items) / n) / (groups - 1)
    fewest = min(len(runs) for runs in items)
    insufficient = too_few(groups, ENOUGH_ITEMS, "items") or too_few(fewest, ENOUGH_RUNS, "runs of an item")
    return VarianceSplit(max(0.0, (between - within) / size), within, insufficient)


def _check(items: Sequence[Pair], replicates: int) -> None:
    if replicates < 1:
        raise ValueError(f"an interval needs replicates, got {replicates}")
    for pair in items:
        if not (pair.first and pair.second) or min(*pair.first, *pair.second) < 0:
            raise ValueError(f"an item needs counts of both, none negative, got {pair}")
