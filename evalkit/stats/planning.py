"""How many cases it takes: for an interval of a given width, for a paired test of rates, for a difference of means.

Cases that hang together in clusters carry less; multiply by `design_effect`. How many labels a trust decision needs is in `bars`, the
difference that a finished comparison would have found in `power`.
"""

from __future__ import annotations

from math import ceil, exp, lgamma, log, log1p, sqrt

from evalkit.stats.distributions import incomplete_beta, normal_quantile
from evalkit.stats.intervals import Z95, wilson
from evalkit.stats.power import ALPHA, POWER, pairs_needed
from evalkit.stats.results import Refused

MOST_PAIRS = 100_000
"""No plan asks for more pairs than that."""


def cases_for_width(p: float, half_width: float, z: float = Z95) -> int:
    """Return the least n whose Wilson interval at an expected rate p is at most 2 half_width wide (p .9, .05: 141).

    Range: 0 <= p <= 1, 0 < half_width < 1/2, z > 0. Raises ValueError outside the range.
    """
    if not (0 <= p <= 1 and 0 < half_width < 0.5):
        raise ValueError(f"a width needs 0 <= p <= 1 and 0 < half_width < 1/2, got p={p}, half_width={half_width}")
    too_few, enough = 0, 1
    while not _narrow(p, enough, half_width, z):
        too_few, enough = enough, 2 * enough
    while enough - too_few > 1:
        middle = (too_few + enough) // 2
        if _narrow(p, middle, half_width, z):
            enough = middle
        else:
            too_few = middle
    return enough


def _narrow(p: float, n: int, half_width: float, z: float) -> bool:
    low, high = wilson(p * n, n, z)
    return high - low <= 2 * half_width


def midp_power(n: int, p_b: float, p_c: float, alpha: float = ALPHA) -> float:
    """Return the exact chance that McNemar's mid-p test of n pairs rejects at `alpha` (n 200, .10 and .04: .619).

    p_b and p_c are the chances that a pair passes only under one and only under the other. Sums over the number of discordant pairs
    and their split. Range: n >= 1, p_b, p_c >= 0, p_b + p_c <= 1, 0 < alpha < 1. Raises ValueError outside the range.
    """
    if not (n >= 1 and min(p_b, p_c) >= 0 and p_b + p_c <= 1 and 0 < alpha < 1):
        raise ValueError(f"power needs n >= 1 and p_b + p_c <= 1, got n={n}, p_b={p_b}, p_c={p_c}, alpha={alpha}")
    discordant = p_b + p_c
    if not discordant:
        return 0.0
    share = p_b / discordant
    # Eight standard deviations around the expected number of discordant pairs leave less than 1e-12 outside.
    reach = 8 * sqrt(n * discordant * (1 - discordant)) + 20
    first, last = max(0, int(n * discordant - reach)), min(n, int(n * discordant + reach) + 1)
    power, critical = 0.0, _critical(first, alpha)
    for m in range(first, last + 1):
        # The largest smaller count that rejects never falls with m, and rises by one at most.
        if 2 * (critical + 1) < m and _midp(critical + 1, m) <= alpha:
            critical += 1
        if critical >= 0:
            power += _binomial(m, n, discordant) * (_at_most(critical, m, share) + _at_most(critical, m, 1 - share))
    return power


def pairs_for_power(p_b: float, p_c: float, power: float = POWER, alpha: float = ALPHA) -> int | Refused:
    """Return the number of pairs from which the mid-p test has this exact power, starting from Connor's approximation.

    Power is all but monotone in n, so the number is found by bisection, and the one below it does not have that power. Range as
    `midp_power`, 0 < power < 1. Refuses p_b = p_c and what takes more than 100,000 pairs. Connor 1987. Raises ValueError outside
    the range.
    """
    if not (0 < power < 1 and min(p_b, p_c) >= 0 and p_b + p_c <= 1):
        raise ValueError(f"a plan needs 0 < power < 1 and p_b + p_c <= 1, got power={power}, p_b={p_b}, p_c={p_c}")
    if p_b == p_c:
        return Refused("no difference: no number of pairs shows it")
    start = ceil(pairs_needed(p_b + p_c, abs(p_b - p_c), alpha, power))
    if start > MOST_PAIRS:
        return Refused(f"more than {MOST_PAIRS:,} pairs for a difference of {abs(p_b - p_c):g}")
    too_few, enough = 0, max(1, start)
    while midp_power(enough, p_b, p_c, alpha) < power:
        too_few, enough = enough, enough + max(1, enough // 8)
    while enough - too_few > 1:
        middle = max((too_few + enough) // 2, enough - max(1, enough // 8))
        if midp_power(middle, p_b, p_c, alpha) >= power:
            enough = middle
        else:
            too_few = middle
    return enough


def cases_for_mean_difference(
    difference: float, between: float, first: float, second: float = 0.0, *, alpha: float = ALPHA, power: float = POWER
) -> float:
    """Return n = (z_a + z_b)^2 (omega^2 + sigma_A^2/K_A + sigma_B^2/K_B)/d^2 for a paired difference of means, not rounded.

    `between` is omega^2, the variance over cases of the difference of expected scores; `first` and `second` are sigma^2/K, the
    variance of one candidate's score within a case over its number of samples. Range: difference != 0, variances >= 0. Miller 2024
    (arXiv 2411.00640), section 5. Raises ValueError outside the range.
    """
    if difference == 0 or min(between, first, second) < 0:
        raise ValueError(f"a difference other than 0 and variances >= 0 are needed, got {difference}, {between}")
    z = normal_quantile(1 - alpha / 2) + normal_quantile(power)
    return z * z * (between + first + second) / (difference * difference)


def design_effect(cluster_size: float, correlation: float) -> float:
    """Return 1 + (m - 1) icc, by which cases in clusters of m must be multiplied. Range: m >= 1, 0 <= icc <= 1. Kish 1965.

    Raises ValueError outside the range.
    """
    if not (cluster_size >= 1 and 0 <= correlation <= 1):
        raise ValueError(f"clusters hold a case and correlate between 0 and 1, got {cluster_size} and {correlation}")
    return 1 + (cluster_size - 1) * correlation


def _critical(m: int, alpha: float) -> int:
    """Return the largest smaller count of m discordant pairs that rejects; -1 where none does."""
    rejects, keeps = -1, (m + 1) // 2
    while keeps - rejects > 1:
        middle = (rejects + keeps) // 2
        if _midp(middle, m) <= alpha:
            rejects = middle
        else:
            keeps = middle
    return rejects


def _midp(smaller: int, m: int) -> float:
    return 2 * _at_most(smaller, m, 0.5) - _binomial(smaller, m, 0.5)


def _binomial(k: int, n: int, p: float) -> float:
    if p in {0, 1}:
        return float(k == n * p)
    return exp(lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1) + k * log(p) + (n - k) * log1p(-p))


def _at_most(k: int, n: int, p: float) -> float:
    """Return P(X <= k), X ~ Bin(n, p), for 0 <= k."""
    return 1.0 if k >= n else incomplete_beta(1 - p, n - k, k + 1)
