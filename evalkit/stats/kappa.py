"""Cohen's kappa of two readers who label the same items, with the two indices that explain its paradoxes.

To be shown, never to be decided on: kappa falls where one label is common although the readers err no more often (Feinstein &
Cicchetti 1990). Prevalence index, bias index and the largest kappa that these margins allow stand beside it for that reason.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import sqrt
from typing import NamedTuple

from evalkit.stats.agreement import Label
from evalkit.stats.intervals import Z95
from evalkit.stats.results import Estimate, Refused, too_few

ENOUGH_ITEMS = 50
"""Items from which a coefficient of agreement is read."""
Pairs = Mapping[tuple[Label, Label], int]
"""How many items got this label of the first reader and this one of the second."""


class Kappa(NamedTuple):
    """Kappa with what is needed to read it."""

    estimate: Estimate
    """Kappa in [-1, 1] and kappa -/+ z SE cut to that range; no interval where SE = 0 (complete agreement)."""
    se: float
    """Fleiss, Cohen & Everitt's standard error (not that of the hypothesis kappa = 0)."""
    observed: float
    """Share of items with equal labels."""
    largest: float
    """The kappa that the margins allow: both readers' shares of labels kept, agreement as high as it can be."""


class Indices(NamedTuple):
    """Why kappa of a two-by-two table is low or high."""

    prevalence: float
    """(both yes - both no)/n in [-1, 1]: near the ends one label is nearly all there is, and kappa is small."""
    bias: float
    """(only first yes - only second yes)/n in [-1, 1]: how far the readers' shares of yes differ."""


def cohen_kappa(pairs: Pairs, z: float = Z95) -> Kappa | Refused:
    """Return Cohen's kappa (po - pe)/(1 - pe) for any number of labels, pe from each reader's own shares.

    Var = {sum_i p_ii [(1 - pe) - (p_i. + p_.i)(1 - po)]^2 + (1 - po)^2 sum_{i != j} p_ij (p_.i + p_j.)^2 - (po pe - 2 pe + po)^2}
    / (n (1 - pe)^4). Range: counts >= 0, z > 0. Refuses where there are no items and where both readers use one and the same
    label throughout (0/0). Insufficient below 50 items. Cohen 1960; Fleiss, Cohen & Everitt 1969. Raises ValueError outside the
    range.
    """
    if any(count < 0 for count in pairs.values()):
        raise ValueError(f"counts are not negative, got {dict(pairs)}")
    n = sum(pairs.values())
    if not n:
        return Refused("no items that both readers labelled")
    first, second = _margins(pairs)
    observed = sum(count for (a, b), count in pairs.items() if a == b) / n
    labels = first.keys() | second.keys()
    if len(labels) == 1:
        return Refused(f"undefined: one class only (all labels {next(iter(labels))})")
    shared = [(first.get(label, 0) / n, second.get(label, 0) / n) for label in labels]
    chance = sum(a * b for a, b in shared)
    value = (observed - chance) / (1 - chance)
    se = _standard_error(pairs, n, observed, chance)
    interval = (max(-1.0, value - z * se), min(1.0, value + z * se)) if se else None
    reachable = sum(min(a, b) for a, b in shared)
    estimate = Estimate(value, interval, too_few(n, ENOUGH_ITEMS, "items"))
    return Kappa(estimate, se, observed, (reachable - chance) / (1 - chance))


def _margins(pairs: Pairs) -> tuple[dict[Label, int], dict[Label, int]]:
    first: dict[Label, int] = {}
    second: dict[Label, int] = {}
    for (a, b), count in pairs.items():
        if count:
            first[a] = first.get(a, 0) + count
            second[b] = second.get(b, 0) + count
    return first, second


def _standard_error(pairs: Pairs, n: int, observed: float, chance: float) -> float:
    first, second = _margins(pairs)
    total = 0.0
    for (a, b), count in pairs.items():
        if not count:
            continue
        if a == b:
            total += count / n * ((1 - chance) - (first[a] + second[a]) / n * (1 - observed)) ** 2
        else:
            total += count / n * ((1 - observed) * (first.get(b, 0) + second.get(a, 0)) / n) ** 2
    variance = (total - (observed * chance - 2 * chance + observed) ** 2) / (n * (1 - chance) ** 4)
    # Where the sum cancels, what is left is rounding and not a spread.
    return sqrt(variance) if variance > 1e-15 else 0.0


def indices(both_yes: int, only_first: int, only_second: int, both_no: int) -> Indices | Refused:
    """Return prevalence and bias index of a two-by-two table; refuses an empty one.

    Range: counts >= 0. Byrt, Bishop & Carlin 1993. Raises ValueError outside the range.
    """
    if min(both_yes, only_first, only_second, both_no) < 0:
        raise ValueError("counts are not negative")
    n = both_yes + only_first + only_second + both_no
    if not n:
        return Refused("no items that both readers labelled")
    return Indices((both_yes - both_no) / n, (only_first - only_second) / n)
