"""The pass rate that people would give, from a judge's verdicts on all answers and people's on some.

Two estimators for two situations. Labels from the same run: post-stratified, which needs no assumption about the judge. Labels from
another run: Rogan-Gladen, which assumes that TPR and TNR carry over; its interval is about twice as wide.
"""

from __future__ import annotations

from math import hypot, sqrt
from typing import NamedTuple

from evalkit.stats.distributions import normal_quantile
from evalkit.stats.intervals import jeffreys
from evalkit.stats.judge_rates import ENOUGH_OF_A_CLASS
from evalkit.stats.results import Estimate, Refused
from evalkit.stats.strata import Strata


class Share(NamedTuple):
    """A part of a whole; 0 <= part <= whole."""

    part: int
    whole: int


class _Limits(NamedTuple):
    value: float
    low: float
    high: float


def post_stratified(strata: Strata, level: float = 0.95) -> Estimate | Refused:
    """Return theta = (1 - p) mu0 + p mu1 with its MOVER interval from Jeffreys limits, in [0, 1].

    p is the judge's pass rate, mu1 and mu0 the human pass shares among labelled answers that it passed and failed. Lower end:
    theta - sqrt([(1 - p)(mu0 - l0)]^2 + [p (mu1 - l1)]^2 + [(mu1 - mu0)(p - l_p)]^2), the upper alike; where mu1 < mu0 the limits of
    p change places. A verdict that the judge never gave has no mu; its unknown share counts as the worst for either end. For a
    one-sided 95 % bound ask for level .9. Refuses where a stratum has answers and no label, saying how many to label.
    Insufficient below 10 labels in a stratum (all of it, where it is smaller). Donner & Zou 2012 (MOVER); Chen et al. 2026
    (arXiv 2601.05420) for the estimator. Raises ValueError for impossible counts.
    """
    strata.check()
    refusal = strata.refusal()
    if refusal:
        return refusal
    p = _limits(strata.judge_pass, strata.n, level, missing=0.0)
    worst, best = (
        _mover(
            p,
            _limits(strata.human_pass_of_fail, strata.labelled_fail, level, missing),
            _limits(strata.human_pass_of_pass, strata.labelled_pass, level, missing),
        )
        for missing in (0.0, 1.0)
    )
    return Estimate(worst.value, (max(0.0, worst.low), min(1.0, best.high)), strata.thin())


def _limits(count: int, of: int, level: float, missing: float) -> _Limits:
    """Return a share with its Jeffreys limits; `missing` without any where there is nothing to take a share of."""
    return _Limits(count / of, *jeffreys(count, of, level)) if of else _Limits(missing, missing, missing)


def _mover(p: _Limits, failed: _Limits, passed: _Limits) -> _Limits:
    value = (1 - p.value) * failed.value + p.value * passed.value
    slope = passed.value - failed.value
    down, up = p.value - p.low, p.high - p.value
    if slope < 0:
        down, up = up, down
    below = hypot((1 - p.value) * (failed.value - failed.low), p.value * (passed.value - passed.low), slope * down)
    above = hypot((1 - p.value) * (failed.high - failed.value), p.value * (passed.high - passed.value), slope * up)
    return _Limits(value, value - below, value + above)


def rogan_gladen(judge_pass: Share, right_pass: Share, right_fail: Share, level: float = 0.95) -> Estimate | Refused:
    """Return theta = (p + TNR - 1)/(TPR + TNR - 1), cut to [0, 1], with Lang and Reiczigel's interval.

    `judge_pass` is of this run; `right_pass` (TPR) and `right_fail` (TNR) are of labels of another run or population, and are
    assumed to hold here. The interval adds z^2/2 of z^2 to p and 1 of 2 to each rate, shifts theta by
    2 z^2 [theta q1 (1 - q1)/m1 - (1 - theta) q0 (1 - q0)/m0] and is opened to theta itself where the shift leaves it out. Range:
    0 <= part <= whole, 0 < level < 1. Refuses without labels in a class, where TPR + TNR <= 1, before or after that addition, and
    where the whole interval lies outside [0, 1]: such labels are not of this population.
    Insufficient below 30 human passes and 30 human fails. Rogan & Gladen 1978; Lang & Reiczigel 2014; Lee et al. 2025
    (arXiv 2511.21140). Raises ValueError outside the range.
    """
    for name, rate in (("judge passes", judge_pass), ("right passes", right_pass), ("right fails", right_fail)):
        if not 0 <= rate.part <= rate.whole:
            raise ValueError(f"{name} need 0 <= part <= whole, got {rate}")
    if not judge_pass.whole:
        return Refused("no judged answers")
    if not (right_pass.whole and right_fail.whole):
        human = "pass" if not right_pass.whole else "fail"
        return Refused(
            f"no human {human} among the labels: {'TPR' if human == 'pass' else 'TNR'} unknown, not correctable"
        )
    z = normal_quantile((1 + level) / 2)
    plain = _inverted(*(rate.part / rate.whole for rate in (judge_pass, right_pass, right_fail)))
    shares = [
        (judge_pass.part + z * z / 2) / (judge_pass.whole + z * z),
        (right_pass.part + 1) / (right_pass.whole + 2),
        (right_fail.part + 1) / (right_fail.whole + 2),
    ]
    middle = _inverted(*shares)
    if plain is None or middle is None:
        return Refused("judge no better than chance (TPR + TNR <= 1), not correctable")
    p, q1, q0 = shares
    of_p, of_q1, of_q0 = (
        p * (1 - p) / (judge_pass.whole + z * z),
        q1 * (1 - q1) / (right_pass.whole + 2),
        q0 * (1 - q0) / (right_fail.whole + 2),
    )
    half = z * sqrt(of_p + middle * middle * of_q1 + (1 - middle) ** 2 * of_q0) / (q1 + q0 - 1)
    centre = middle + 2 * z * z * (middle * of_q1 - (1 - middle) * of_q0)
    if centre - half >= 1 or centre + half <= 0:
        return Refused(
            "the judge's rates on the labels do not allow a pass rate like this run's: they do not hold here"
        )
    value = min(1.0, max(0.0, plain))
    low, high = max(0.0, min(value, centre - half)), min(1.0, max(value, centre + half))
    return Estimate(value, (low, high), _few_labels(right_pass.whole, right_fail.whole))


def _inverted(p: float, true_pass: float, true_fail: float) -> float | None:
    """Return the pass rate behind a judge's pass rate; None for a judge no better than chance."""
    informed = true_pass + true_fail - 1
    return (p + true_fail - 1) / informed if informed > 0 else None


def _few_labels(passes: int, fails: int) -> str | None:
    least = ENOUGH_OF_A_CLASS
    if passes >= least and fails >= least:
        return None
    return f"{passes} human pass and {fails} human fail labels, {least} of each needed"
