"""Is a difference small? That it is not significant does not say so; an interval that lies within the tolerance does.

Three answers: inside, outside, undecided. Small samples end up undecided, as they should.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

from evalkit.stats.differences import tango
from evalkit.stats.distributions import normal_quantile

Standing = Literal["inside", "outside", "undecided"]


class Equivalence(NamedTuple):
    """A paired difference against a tolerance."""

    standing: Standing
    difference: float
    interval: tuple[float, float]
    """Tango at 1 - 2 alpha (90 %): both of its ends are one-sided 95 % bounds."""


class NonInferiority(NamedTuple):
    """A paired difference against a margin."""

    holds: bool
    """The lower bound lies above minus the margin."""
    difference: float
    lower: float
    """One-sided Tango bound."""


def standing(interval: tuple[float, float], tolerance: float) -> Standing:
    """Return where a 90 % interval of a difference lies: within +/- tolerance, wholly beyond one of the two, or neither.

    Two one-sided tests at 5 % (Schuirmann 1987). Range: tolerance > 0. Raises ValueError outside the range.
    """
    if not tolerance > 0:
        raise ValueError(f"a tolerance is above 0, got {tolerance}")
    low, high = interval
    if -tolerance < low and high < tolerance:
        return "inside"
    return "outside" if low > tolerance or high < -tolerance else "undecided"


def paired_equivalence(b: int, c: int, n: int, tolerance: float, level: float = 0.95) -> Equivalence:
    """Return whether (b - c)/n is within +/- tolerance, with Tango's interval at 2 level - 1. Range as `tango`, .5 < level < 1."""
    interval = tango(b, c, n, _one_sided(level))
    return Equivalence(standing(interval, tolerance), (b - c) / n, interval)


def non_inferiority(b: int, c: int, n: int, margin: float, level: float = 0.95) -> NonInferiority:
    """Return whether (b - c)/n is above -margin: b pass only now, c only before. Range as `tango`, margin >= 0, .5 < level < 1.

    Raises ValueError outside the range.
    """
    if not margin >= 0:
        raise ValueError(f"a margin is not negative, got {margin}")
    lower = tango(b, c, n, _one_sided(level))[0]
    return NonInferiority(lower > -margin, (b - c) / n, lower)


def _one_sided(level: float) -> float:
    if not 0.5 < level < 1:
        raise ValueError(f"a one-sided level lies between .5 and 1, got {level}")
    return normal_quantile(level)
