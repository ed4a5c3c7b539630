"""Does a rate clear a bar, and how many labels would it take to know? Exact one-sided Clopper-Pearson bounds throughout.

Three answers, for undecided is not failed: the lower bound is at the bar or above, the upper bound is below it, or neither.
"""

from __future__ import annotations

from math import sqrt
from typing import Literal, NamedTuple

from evalkit.stats.distributions import incomplete_beta, normal_quantile
from evalkit.stats.intervals import clopper_pearson_lower, clopper_pearson_upper
from evalkit.stats.results import Refused

Standing = Literal["above", "below", "undecided"]

MOST_LABELS = 20_000
"""No plan asks for more labels than that: the bar is too close to the truth to be decided by labelling."""
_ROUGHLY_NORMAL = 500
_STEPS_ABOVE = 15
"""Power saws up and down with n; it counts as reached where it stays reached for so many further labels."""


class BarCheck(NamedTuple):
    """Where a rate stands to a bar."""

    standing: Standing
    lower: float
    """One-sided lower bound; 0 without labels."""
    upper: float
    """One-sided upper bound; 1 without labels."""
    needed_at_best: int
    """Further labels until the bar is cleared if the judge is right on every one of them; 0 where it is cleared."""
    needed_at_this_rate: int | None
    """Further labels until it is cleared if the judge goes on erring as often as so far; None where it never would be, or beyond
    20,000."""


class Plan(NamedTuple):
    """A number of labels of one human class that decides with the power asked for."""

    n: int
    least_right: int
    """The judge must be right on that many of the n for the bound to clear the bar."""
    power: float
    """The chance of that, given the true rate."""


def clears(right: int, n: int, bar: float, level: float = 0.95) -> bool:
    """Whether the one-sided lower bound of right/n is at the bar or above: P(X >= right) <= 1 - level for X ~ Bin(n, bar).

    Range: 0 <= right <= n, 0 < bar < 1, 0 < level < 1; never without labels. Raises ValueError outside the range.
    """
    _check_bar(bar, level)
    if not 0 <= right <= n:
        raise ValueError(f"a rate needs 0 <= right <= n, got {right}/{n}")
    if right == 0:
        return False
    tail = bar**n if right == n else incomplete_beta(bar, right, n - right + 1)
    return tail <= 1 - level


def check_bar(right: int, n: int, bar: float, level: float = 0.95) -> BarCheck:
    """Return where right/n stands to the bar and how many labels are needed still. Range as `clears`; n = 0 is undecided."""
    above = clears(right, n, bar, level)
    lower = clopper_pearson_lower(right, n, level) if n else 0.0
    upper = clopper_pearson_upper(right, n, level) if n else 1.0
    standing: Standing = "above" if above else "below" if upper < bar else "undecided"
    if above:
        return BarCheck(standing, lower, upper, 0, 0)
    at_best = labels_needed(bar, n - right, level) - n
    return BarCheck(standing, lower, upper, at_best, _at_this_rate(right, n, bar, level))


def _at_this_rate(right: int, n: int, bar: float, level: float) -> int | None:
    if right <= bar * n:
        return None
    errors = n - right
    while True:
        total = labels_needed(bar, errors, level)
        if total > MOST_LABELS:
            return None
        expected = -(-(n - right) * total // n)
        if expected <= errors:
            return total - n
        errors = expected


def labels_needed(bar: float, errors: int, level: float = 0.95) -> int:
    """Return the least n for which n - errors right of n clear the bar; e.g. bar .9: 29, 46, 61, 76 for 0 to 3 errors.

    Range: 0 < bar < 1, errors >= 0, 0 < level < 1. Raises ValueError outside the range.
    """
    _check_bar(bar, level)
    if errors < 0:
        raise ValueError(f"errors are not negative, got {errors}")
    below, enough = errors, errors + 1
    while not clears(enough - errors, enough, bar, level):
        below, enough = enough, 2 * enough
    while enough - below > 1:
        middle = (below + enough) // 2
        if clears(middle - errors, middle, bar, level):
            enough = middle
        else:
            below = middle
    return enough


def labels_for_power(bar: float, true: float, power: float = 0.8, level: float = 0.95) -> Plan | Refused:
    """Return the least n from which a judge of this true rate clears the bar with the power asked for.

    Power is exact and saws with n; n is the least from which it stays reached for 15 further labels (bar .8, true .9: 94).
    Range: 0 < bar < 1, 0 <= true <= 1, 0 < power < 1. Refuses where the true rate is not above the bar, and beyond 20,000
    labels. Raises ValueError outside the range.
    """
    _check_bar(bar, level)
    if not (0 <= true <= 1 and 0 < power < 1):
        raise ValueError(f"power needs 0 <= true <= 1 and 0 < power < 1, got true={true}, power={power}")
    if true <= bar:
        return Refused(f"a judge whose true rate is {true:g} does not clear a bar of {bar:g} with any number of labels")
    spread = normal_quantile(level) * sqrt(bar * (1 - bar)) + normal_quantile(power) * sqrt(true * (1 - true))
    about = (spread / (true - bar)) ** 2
    if about > MOST_LABELS:
        return Refused(f"more than {MOST_LABELS:,} labels to tell a true rate of {true:g} from a bar of {bar:g}")
    first = int(0.8 * about) if about > _ROUGHLY_NORMAL else 1
    return _scan(first, bar, true, power, level)


def _scan(n: int, bar: float, true: float, power: float, level: float) -> Plan:
    errors = _allowed(n, bar, level)
    reached: Plan | None = None
    while True:
        # The errors that a bar allows never fall with n, and rise by one at most.
        if clears(n - errors - 1, n, bar, level):
            errors += 1
        chance = _power(n, errors, bar, true, level)
        if chance < power:
            reached = None
        elif reached is None:
            reached = Plan(n, n - errors, chance)
        elif n - reached.n >= _STEPS_ABOVE:
            return reached
        n += 1


def _allowed(n: int, bar: float, level: float) -> int:
    """Return the most errors in n with which the bar is still cleared; 0 where none would do either."""
    fewest, too_many = 0, n
    while too_many - fewest > 1:
        middle = (fewest + too_many) // 2
        if clears(n - middle, n, bar, level):
            fewest = middle
        else:
            too_many = middle
    return fewest


def _power(n: int, errors: int, bar: float, true: float, level: float) -> float:
    """Return the chance of at most `errors` errors in n; 0 where even n of n would not clear the bar."""
    if not errors and not clears(n, n, bar, level):
        return 0.0
    return true**n if not errors else incomplete_beta(true, n - errors, errors + 1)


def _check_bar(bar: float, level: float) -> None:
    if not (0 < bar < 1 and 0 < level < 1):
        raise ValueError(f"a bar and a level lie between 0 and 1, got bar={bar}, level={level}")
