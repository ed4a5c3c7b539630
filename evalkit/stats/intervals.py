"""Intervals of one rate passed/n, each for its use.

Wilson to be read, Clopper-Pearson where a bound triggers an action, Jeffreys as a part of other intervals, Manski for what is unknown.
All as fractions in [0, 1], all containing passed/n exactly, none of zero width.
"""

from __future__ import annotations

from math import sqrt

from evalkit.stats.distributions import beta_quantile

Z95 = 1.959963984540054
"""Normal quantile of a two-sided 95 % interval."""


def wilson(passed: float, n: float, z: float = Z95) -> tuple[float, float]:
    """Return the Wilson score interval of passed/n.

    c = (p + z^2/2n)/(1 + z^2/n), h = z/(1 + z^2/n) * sqrt(pq/n + z^2/4n^2). Range: n > 0, 0 <= passed <= n, fractions allowed
    (effective sample sizes), z > 0. Edges: 0/n gives [0, z^2/(n + z^2)], n/n its mirror; never zero width.
    Wilson 1927; recommended for small n by Brown, Cai & DasGupta 2001. Raises ValueError outside the range.
    """
    _check(passed, n)
    p = passed / n
    shrink = 1 + z * z / n
    centre = (p + z * z / (2 * n)) / shrink
    half = z / shrink * sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    low = 0.0 if passed == 0 else max(0.0, centre - half)
    high = 1.0 if passed == n else min(1.0, centre + half)
    return low, high


def clopper_pearson(passed: int, n: int, level: float = 0.95) -> tuple[float, float]:
    """Return the exact two-sided interval: both one-sided bounds at (1 + level)/2; it never covers less than `level`.

    Range: n >= 1, 0 <= passed <= n, 0 < level < 1. Edges: 0/n gives a lower end of 0, n/n an upper end of 1.
    Clopper & Pearson 1934. Raises ValueError outside the range.
    """
    one_sided = (1 + level) / 2
    return clopper_pearson_lower(passed, n, one_sided), clopper_pearson_upper(passed, n, one_sided)


def clopper_pearson_lower(passed: int, n: int, level: float = 0.95) -> float:
    """Return the exact one-sided lower bound: the (1 - level)-quantile of Beta(passed, n - passed + 1).

    Range as `clopper_pearson`. Edges: 0/n gives 0; n/n gives (1 - level)^(1/n). Raises ValueError outside the range.
    """
    _check(passed, n)
    _check_level(level)
    if passed == 0:
        return 0.0
    if passed == n:
        return float((1 - level) ** (1 / n))
    return beta_quantile(1 - level, passed, n - passed + 1)


def clopper_pearson_upper(passed: int, n: int, level: float = 0.95) -> float:
    """Return the exact one-sided upper bound: one minus the lower bound of the failures.

    Range as `clopper_pearson`. Edges: n/n gives 1; 0/n gives 1 - (1 - level)^(1/n). Raises ValueError outside the range.
    """
    return 1 - clopper_pearson_lower(n - passed, n, level)


def jeffreys(passed: int, n: int, level: float = 0.95) -> tuple[float, float]:
    """Return the equal-tailed interval of Beta(passed + 1/2, n - passed + 1/2), opened to 0 for 0/n and to 1 for n/n.

    Range as `clopper_pearson`. Close to the nominal level on average, so it serves as a part of other intervals (MOVER), not for
    decisions. Brown, Cai & DasGupta 2001. Raises ValueError outside the range.
    """
    _check(passed, n)
    _check_level(level)
    a, b = passed + 0.5, n - passed + 0.5
    low = 0.0 if passed == 0 else beta_quantile((1 - level) / 2, a, b)
    high = 1.0 if passed == n else 1 - beta_quantile((1 - level) / 2, b, a)
    return low, high


def manski_bounds(passed: int, n: int, unknown: int) -> tuple[float, float]:
    """Return the pass rate if all `unknown` cases failed and if all passed: [k/(n + e), (k + e)/(n + e)].

    Range: 0 <= passed <= n, unknown >= 0, n + unknown >= 1. Edges: unknown = 0 gives the rate twice; n = 0 gives [0, 1].
    These are bounds, not an interval: sampling error comes on top. Horowitz & Manski 1995. Raises ValueError outside the range.
    """
    if not (0 <= passed <= n and unknown >= 0 and n + unknown >= 1):
        raise ValueError(f"bounds need 0 <= passed <= n and a case at least, got {passed}/{n} and {unknown} unknown")
    return passed / (n + unknown), (passed + unknown) / (n + unknown)


def _check(passed: float, n: float) -> None:
    if not (n > 0 and 0 <= passed <= n):
        raise ValueError(f"a rate needs 0 <= passed <= n and n > 0, got {passed}/{n}")


def _check_level(level: float) -> None:
    if not 0 < level < 1:
        raise ValueError(f"a confidence level lies between 0 and 1, got {level}")
