"""Gwet's AC1: agreement whose share by chance shrinks where one label is common. To be shown, never to be decided on.

It is no kappa that was mended: it rises with imbalance and may be positive without any association (Vach & Gerke 2023).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import sqrt
from typing import NamedTuple

from evalkit.stats.agreement import Item, Label, pair_agreement
from evalkit.stats.distributions import t_quantile
from evalkit.stats.kappa import ENOUGH_ITEMS
from evalkit.stats.results import Estimate, Refused, too_few


class Ac1(NamedTuple):
    """AC1 with its error."""

    estimate: Estimate
    """AC1 in [-1, 1] and AC1 -/+ t_{n-1} SE cut to that range; no interval for one item or where SE = 0."""
    se: float | None
    """Gwet's linearised standard error over items; None for one item."""
    observed: float
    """Mean pairwise agreement."""
    chance: float
    """The share of agreement ascribed to chance."""


def gwet_ac1(items: Sequence[Item]) -> float | None:
    """Return the value of `ac1`; None where it refuses."""
    found = ac1(items)
    return None if isinstance(found, Refused) else found.estimate.value


def ac1(items: Sequence[Item], level: float = 0.95) -> Ac1 | Refused:
    """Return AC1 = (pa - pe)/(1 - pe), pe = sum_c pi_c (1 - pi_c)/(q - 1), pi_c the mean share of label c over items.

    q counts the labels in use; for pass and fail pe = 2 pi (1 - pi). An item holds the labels of two or more readers or runs. The
    variance is that of the linearised value of each item, (pa_i - pe)/(1 - pe) - 2 (1 - AC1)(pe_i - pe)/(1 - pe), over n.
    Refuses without items and where fewer than two labels are in use. Insufficient below 50 items. Gwet 2008. Raises ValueError
    for an item with fewer than two labels.
    """
    if not items:
        return Refused("no items with two labels")
    agreed = [pair_agreement(item) for item in items]
    shares = [{label: count / len(item) for label, count in Counter(item).items()} for item in items]
    means: dict[Label, float] = {}
    for share in shares:
        for label, part in share.items():
            means[label] = means.get(label, 0.0) + part / len(items)
    if len(means) < 2:
        return Refused(f"undefined: one class only (all labels {next(iter(means))})")
    observed = sum(agreed) / len(items)
    chance = sum(mean * (1 - mean) for mean in means.values()) / (len(means) - 1)
    value = (observed - chance) / (1 - chance)
    linear = [
        (own - chance) / (1 - chance) - 2 * (1 - value) * (_chance_of(share, means) - chance) / (1 - chance)
        for own, share in zip(agreed, shares, strict=True)
    ]
    se = _error_of_mean(linear, value)
    interval = None
    if se:
        half = t_quantile((1 + level) / 2, len(items) - 1) * se
        interval = max(-1.0, value - half), min(1.0, value + half)
    return Ac1(Estimate(value, interval, too_few(len(items), ENOUGH_ITEMS, "items")), se, observed, chance)


def _chance_of(share: dict[Label, float], means: dict[Label, float]) -> float:
    return sum(part * (1 - means[label]) for label, part in share.items()) / (len(means) - 1)


def _error_of_mean(values: Sequence[float], mean: float) -> float | None:
    """Return the standard error of a mean; None for one value, 0 where nothing but rounding is left."""
    n = len(values)
    if n < 2:
        return None
    error = sqrt(sum((value - mean) ** 2 for value in values) / (n * (n - 1)))
    return error if error > 1e-12 else 0.0
