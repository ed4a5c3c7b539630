"""The win rate at equal length: a logistic regression of winning on the difference of lengths, read where that difference is 0.

The form of AlpacaEval's length control without its term for the difficulty of the instruction and without its penalty. It removes what
goes along with length, also where length is not the cause (better answers may be longer), so it stands beside the raw rate and is
withheld where the two part by more than ten points and nobody has measured what padding does.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, log1p, sqrt, tanh
from typing import NamedTuple

from evalkit.stats.intervals import Z95, wilson
from evalkit.stats.results import Estimate, Refused, too_few

ENOUGH_PAIRS = 100
"""Decided pairs from which a length-controlled rate is read."""
LARGEST_SHIFT = 0.1
"""How far the controlled rate may lie from the raw one without a padding experiment."""
_STEPS = 100
_SINGULAR = 1e-12
_CLOSE = 1e-10


class Decided(NamedTuple):
    """A pair that somebody won."""

    won: bool
    difference: float
    """Length of the candidate's answer minus that of the other, in any unit; finite."""


class LengthControlled(NamedTuple):
    """A win rate among decided pairs, raw and at equal length."""

    raw: Estimate
    """Wins/pairs with its 95 % Wilson interval."""
    controlled: Estimate | Refused
    """1/(1 + exp(-b0)), the interval that of b0 on its scale."""
    slope: float | None
    """b1 of tanh(difference/SD): above 0 where longer answers win more often; None where the regression was refused."""


def length_controlled(
    pairs: Sequence[Decided], *, padding_measured: bool, z: float = Z95
) -> LengthControlled | Refused:
    """Return the raw win rate and that of logit P(win) = b0 + b1 tanh(difference/SD) at difference 0, SD over the pairs (n - 1).

    The interval is b0 -/+ z SE(b0) by the information matrix. Refuses without pairs; the controlled rate alone is refused where the
    differences do not vary or lie on one side of 0, where length separates wins from losses (or one side won all; the fit is
    infinite then), and where it lies more than 10 points from the raw rate, unless `padding_measured`. Insufficient below 100 pairs. Dubois et al. 2024
    (arXiv 2404.04475); Albert & Anderson 1984 for separation.
    """
    if not pairs:
        return Refused("no decided pairs")
    n, wins = len(pairs), sum(pair.won for pair in pairs)
    insufficient = too_few(n, ENOUGH_PAIRS, "decided pairs")
    raw = Estimate(wins / n, wilson(wins, n, z), insufficient)
    scaled = _scaled([pair.difference for pair in pairs])
    if scaled is None:
        return LengthControlled(raw, Refused("the differences of length do not vary: nothing to control for"), None)
    if min(scaled) > 0 or max(scaled) < 0:
        which = "longer" if scaled[0] > 0 else "shorter"
        words = f"the first one's answer is the {which} in every decided pair: equal length lies outside the data"
        return LengthControlled(raw, Refused(words), None)
    won = [pair.won for pair in pairs]
    fit = None if _separated(scaled, won) else _fit(scaled, won)
    if fit is None:
        words = "length separates wins from losses, or all but does: the regression has no finite fit"
        return LengthControlled(raw, Refused(words), None)
    b0, b1, error = fit
    value = _expit(b0)
    if abs(value - raw.value) > LARGEST_SHIFT and not padding_measured:
        shift = f"{100 * abs(value - raw.value):.1f} points"
        return LengthControlled(raw, Refused(f"length control shifts the rate by {shift}: measure padding first"), b1)
    return LengthControlled(raw, Estimate(value, (_expit(b0 - z * error), _expit(b0 + z * error)), insufficient), b1)


def _scaled(differences: Sequence[float]) -> list[float] | None:
    """Return tanh(difference/SD), not centred, for 0 is equal length; None where nothing varies (or only far out on the tanh)."""
    n = len(differences)
    if min(differences) == max(differences):
        return None
    mean = sum(differences) / n
    sd = sqrt(sum((value - mean) * (value - mean) for value in differences) / (n - 1))
    if not sd:
        return None
    scaled = [tanh(value / sd) for value in differences]
    return scaled if min(scaled) < max(scaled) else None


def _separated(x: Sequence[float], won: Sequence[bool]) -> bool:
    winners = [value for value, win in zip(x, won, strict=True) if win]
    losers = [value for value, win in zip(x, won, strict=True) if not win]
    return not winners or not losers or min(winners) >= max(losers) or max(winners) <= min(losers)


def _fit(x: Sequence[float], won: Sequence[bool]) -> tuple[float, float, float] | None:
    """Return b0, b1 and the standard error of b0 by Newton's method, its steps halved while they lose likelihood.

    None where the information vanishes on the way: the maximum lies too far out to be told from infinity.
    """
    b0 = b1 = 0.0
    likelihood = _log_likelihood(x, won, b0, b1)
    for _ in range(_STEPS):
        gradient_0 = gradient_1 = h00 = h01 = h11 = 0.0
        for value, win in zip(x, won, strict=True):
            p = _expit(b0 + b1 * value)
            gradient_0 += win - p
            gradient_1 += (win - p) * value
            weight = p * (1 - p)
            h00 += weight
            h01 += weight * value
            h11 += weight * value * value
        determinant = h00 * h11 - h01 * h01
        if determinant <= _SINGULAR * h00 * h11:
            return None
        step_0 = (h11 * gradient_0 - h01 * gradient_1) / determinant
        step_1 = (h00 * gradient_1 - h01 * gradient_0) / determinant
        if max(abs(step_0), abs(step_1)) < _CLOSE:
            return b0, b1, sqrt(h11 / determinant)
        found = _log_likelihood(x, won, b0 + step_0, b1 + step_1)
        while found < likelihood and max(abs(step_0), abs(step_1)) > _CLOSE:
            step_0, step_1 = step_0 / 2, step_1 / 2
            found = _log_likelihood(x, won, b0 + step_0, b1 + step_1)
        b0, b1, likelihood = b0 + step_0, b1 + step_1, found
    return None


def _log_likelihood(x: Sequence[float], won: Sequence[bool], b0: float, b1: float) -> float:
    return -sum(_softplus(-(b0 + b1 * value) if win else b0 + b1 * value) for value, win in zip(x, won, strict=True))


def _softplus(value: float) -> float:
    return max(value, 0.0) + log1p(exp(-abs(value)))


def _expit(value: float) -> float:
    return 1 / (1 + exp(-value)) if value >= 0 else exp(value) / (1 + exp(value))
