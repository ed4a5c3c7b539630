"""The smallest difference that a comparison of this size would have found in four of five tries."""

from __future__ import annotations

from math import sqrt

from evalkit.stats.distributions import normal_quantile

ALPHA = 0.05
POWER = 0.8


def pairs_needed(discordant: float, difference: float, alpha: float = ALPHA, power: float = POWER) -> float:
    """Return how many pairs show a paired difference of two rates: (z_a sqrt(psi) + z_b sqrt(psi - d^2))^2 / d^2.

    `discordant` psi is the expected share of pairs that differ, `difference` d = |p1 - p2|; 0 < d <= psi <= 1. Not rounded.
    Connor 1987; e.g. psi .14, d .06: 303. Raises ValueError outside the range.
    """
    if not 0 < difference <= discordant <= 1:
        raise ValueError(f"pairs need 0 < difference <= discordant <= 1, got {difference} and {discordant}")
    root = normal_quantile(1 - alpha / 2) * sqrt(discordant)
    root += normal_quantile(power) * sqrt(discordant - difference * difference)
    return (root / difference) ** 2


def smallest_difference(n: float, discordant: float, alpha: float = ALPHA, power: float = POWER) -> float | None:
    """Return the least paired difference of two rates that n pairs show, in (0, 1]; None where no difference would do.

    `discordant` is the share of pairs that differ; a difference above it is taken with as many differing pairs as it needs. Connor's
    formula solved by bisection. Range: n > 0, 0 <= discordant <= 1. Raises ValueError outside the range.
    """
    if not (n > 0 and 0 <= discordant <= 1):
        raise ValueError(f"n > 0 and a share are needed, got {n} and {discordant}")
    low, high = 0.0, 1.0
    if pairs_needed(1.0, 1.0, alpha, power) > n:
        return None
    middle = 0.5
    while low < middle < high:
        if pairs_needed(max(discordant, middle), middle, alpha, power) <= n:
            high = middle
        else:
            low = middle
        middle = (low + high) / 2
    return high


def smallest_mean_difference(standard_error: float, alpha: float = ALPHA, power: float = POWER) -> float:
    """Return (z_a + z_b) SE: the least difference of means that a standard error this large shows. SE >= 0."""
    return (normal_quantile(1 - alpha / 2) + normal_quantile(power)) * standard_error
