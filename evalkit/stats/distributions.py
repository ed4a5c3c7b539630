"""Quantiles of the beta, t and normal distributions, standard library only (why: docs/decisions/no-numeric-dependency.md).

One regularised incomplete beta (continued fraction) carries beta and t quantiles by bisection: slower than a polished root
finder, but it cannot leave its bracket, and a report needs a few dozen quantiles.
"""

from __future__ import annotations

from functools import lru_cache
from math import exp, lgamma, log, log1p, sqrt

_TINY = 1e-300
_STEPS = 100_000
_PRECISION = 1e-16


def incomplete_beta(x: float, a: float, b: float) -> float:
    """Return I_x(a, b), the distribution function of Beta(a, b) at x, in [0, 1].

    Range: 0 <= x <= 1, a > 0, b > 0; I_0 = 0 and I_1 = 1. Absolute error about 1e-15 times (a + b), at least 1e-14.
    Source: continued fraction of Press et al., Numerical Recipes (3rd ed.), 6.4, evaluated by Lentz's method.
    Raises ValueError outside the range.
    """
    if not (0 <= x <= 1 and a > 0 and b > 0):
        raise ValueError(f"incomplete_beta needs 0 <= x <= 1, a > 0 and b > 0, got x={x}, a={a}, b={b}")
    if x in {0, 1}:
        return float(x)
    front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x))
    if x < (a + 1) / (a + b + 2):
        return front * _continued_fraction(x, a, b) / a
    return 1 - front * _continued_fraction(1 - x, b, a) / b


def _continued_fraction(x: float, a: float, b: float) -> float:
    """Return the fraction of I_x(a, b); it converges in about sqrt(max(a, b)) steps for x < (a + 1)/(a + b + 2)."""
    c = 1.0
    d = 1 / _away_from_zero(1 - (a + b) * x / (a + 1))
    value = d
    for m in range(1, _STEPS):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        d = 1 / _away_from_zero(1 + even * d)
        c = _away_from_zero(1 + even / c)
        value *= d * c
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        d = 1 / _away_from_zero(1 + odd * d)
        c = _away_from_zero(1 + odd / c)
        value *= d * c
        if abs(d * c - 1) <= 2 * _PRECISION:
            return value
    raise ArithmeticError(f"the incomplete beta did not converge for a={a}, b={b}")


def _away_from_zero(value: float) -> float:
    return value if abs(value) > _TINY else _TINY


@lru_cache(maxsize=4096)
def beta_quantile(q: float, a: float, b: float) -> float:
    """Return x with I_x(a, b) = q, to the last digits that `incomplete_beta` can tell apart.

    Range: 0 <= q <= 1 (0 gives 0, 1 gives 1), a > 0, b > 0. Raises ValueError outside the range.
    """
    if not 0 <= q <= 1:
        raise ValueError(f"a quantile needs 0 <= q <= 1, got {q}")
    if q in {0, 1}:
        return float(q)
    low, high = 0.0, 1.0
    middle = 0.5
    while low < middle < high and high - low > _PRECISION * high:
        if incomplete_beta(middle, a, b) < q:
            low = middle
        else:
            high = middle
        middle = (low + high) / 2
    return middle


@lru_cache(maxsize=1024)
def t_quantile(q: float, df: float) -> float:
    """Return the q-quantile of Student's t with df degrees of freedom.

    Range: 0 < q < 1, df > 0; q = 0.5 gives 0. t^2/(df + t^2) is Beta(1/2, df/2), so the quantile is a beta quantile
    (Abramowitz & Stegun 26.7.1). Raises ValueError outside the range.
    """
    if not (0 < q < 1 and df > 0):
        raise ValueError(f"t_quantile needs 0 < q < 1 and df > 0, got q={q}, df={df}")
    if q < 0.5:
        return -t_quantile(1 - q, df)
    share = beta_quantile(2 * q - 1, 0.5, df / 2)
    return sqrt(df * share / (1 - share))


def t_two_sided(t: float, df: float) -> float:
    """Return P(|T| >= |t|) of Student's t with df degrees of freedom: I_{df/(df + t^2)}(df/2, 1/2), in [0, 1].

    Range: df > 0, t finite; t = 0 gives 1 (Abramowitz & Stegun 26.7.1). Raises ValueError outside the range.
    """
    return incomplete_beta(df / (df + t * t), df / 2, 0.5)


@lru_cache(maxsize=64)
def normal_quantile(q: float) -> float:
    """Return the q-quantile of the standard normal distribution; 0 < q < 1, ValueError outside. Wichura 1988, AS 241."""
    # Late: `statistics` brings random, decimal and fractions, and most runs need only the constant for 95 %.
    from statistics import NormalDist

    if not 0 < q < 1:
        raise ValueError(f"normal_quantile needs 0 < q < 1, got {q}")
    return NormalDist().inv_cdf(q)
