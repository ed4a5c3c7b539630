"""How far repeated verdicts on the same items agree with each other: all equal, pairwise, Krippendorff's alpha.

An item is the labels that its runs gave (text: pass, fail, A, tie, ...), their order of no importance; the labels are nominal.
The share of items whose runs are all equal falls with the number of runs and cannot be compared across numbers of runs; pairwise
agreement can. Both are blind to prevalence: 97 of 100 coins agree nicely. Alpha is not, and is undefined where one label is all
there is.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from random import Random
from typing import NamedTuple

from evalkit.stats.intervals import clopper_pearson_lower
from evalkit.stats.means import t_interval_of

Label = Hashable
Item = Sequence[Label]
"""The labels that the runs gave one item."""

REPLICATES = 1000
"""Bootstrap samples of an interval of alpha."""


class Bootstrap(NamedTuple):
    """A percentile interval over resampled items."""

    low: float
    high: float
    undefined: int
    """Replicates in which alpha was undefined (one label only); they are left out of the percentiles."""
    replicates: int


def all_equal(items: Iterable[Item]) -> tuple[int, int]:
    """Return how many items have equal labels in all runs, and how many items there are.

    Range: every item has two labels at least. Raises ValueError otherwise.
    """
    equal = total = 0
    for item in items:
        _check(item)
        total += 1
        equal += len(set(item)) == 1
    return equal, total


def pair_agreement(item: Item) -> float:
    """Return the share of pairs of an item's runs that agree: sum_c n_c (n_c - 1) / (m (m - 1)), in [0, 1].

    Range: two labels at least. With pass and fail only it is [s(s-1) + f(f-1)] / [K(K-1)]. Raises ValueError otherwise.
    """
    _check(item)
    m = len(item)
    return sum(count * (count - 1) for count in Counter(item).values()) / (m * (m - 1))


def pairwise_agreement(items: Iterable[Item]) -> float | None:
    """Return the mean of `pair_agreement` over items; its complement is the chance that two runs differ. None without items."""
    shares = [pair_agreement(item) for item in items]
    return sum(shares) / len(shares) if shares else None


def pairwise_interval(items: Sequence[Item], level: float = 0.95) -> tuple[float, float] | None:
    """Return the two-sided t interval of pairwise agreement over items, cut to [0, 1].

    Where every item agrees (SD = 0) it reaches from the Clopper-Pearson bound of n of n to 1, for pairwise agreement is never
    smaller than the share of items that are all equal. None where there is no interval: no items, one divided item, or items
    that are all divided alike.
    """
    shares = [pair_agreement(item) for item in items]
    if shares and min(shares) == 1.0:
        return clopper_pearson_lower(len(shares), len(shares), (1 + level) / 2), 1.0
    interval = t_interval_of(shares, level)
    return None if interval is None else (max(0.0, interval[0]), min(1.0, interval[1]))


def krippendorff_alpha(items: Iterable[Item]) -> float | None:
    """Return Krippendorff's alpha for nominal labels, in [-1, 1]; None where it is undefined: fewer than two labels in use.

    1 - (N - 1) sum_i [(m_i^2 - sum_c n_ic^2)/(m_i - 1)] / (N^2 - sum_c N_c^2), N the labels of all items with two or more;
    for pass and fail 1 - (N - 1) sum_i [2 s f/(m - 1)] / (2 n1 n0). Items with fewer than two labels say nothing and are left
    out. Krippendorff 2004, chapter 11.
    """
    return _alpha([_pattern(item) for item in items])


def alpha_bootstrap(items: Sequence[Item], seed: int, replicates: int = REPLICATES) -> Bootstrap | None:
    """Return the 95 % percentile interval of alpha over resampled items, drawn with `seed`.

    None where alpha itself is undefined, or where every replicate is. Items, not labels, are drawn: labels of one item hang
    together. Range: replicates >= 1.
    """
    patterns = [_pattern(item) for item in items]
    if _alpha(patterns) is None:
        return None
    draw = Random(seed)  # noqa: S311 - a resampling scheme, not a secret
    found = []
    for _ in range(replicates):
        value = _alpha(draw.choices(patterns, k=len(patterns)))
        if value is not None:
            found.append(value)
    if not found:
        return None
    found.sort()
    return Bootstrap(_quantile(found, 0.025), _quantile(found, 0.975), replicates - len(found), replicates)


_Pattern = tuple[tuple[Label, int], ...]


def _pattern(item: Item) -> _Pattern:
    return tuple(sorted(Counter(item).items(), key=lambda entry: repr(entry[0])))


def _alpha(patterns: Sequence[_Pattern]) -> float | None:
    """Return alpha of items given as counts per label; equal items are counted together, which makes the bootstrap quick."""
    totals: Counter[Label] = Counter()
    disagreement = 0.0
    for pattern, times in Counter(patterns).items():
        m = sum(count for _, count in pattern)
        if m < 2:
            continue
        disagreement += times * (m * m - sum(count * count for _, count in pattern)) / (m - 1)
        for label, count in pattern:
            totals[label] += times * count
    n = totals.total()
    expected = n * n - sum(count * count for count in totals.values())
    return None if not expected else 1 - (n - 1) * disagreement / expected


def _quantile(ordered: Sequence[float], q: float) -> float:
    """Return a quantile of sorted values, between the two nearest (Hyndman & Fan's type 7)."""
    place = q * (len(ordered) - 1)
    below = int(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (place - below) * (ordered[above] - ordered[below])


def _check(item: Item) -> None:
    if len(item) < 2:
        raise ValueError(f"agreement needs two runs at least, got {len(item)}")
