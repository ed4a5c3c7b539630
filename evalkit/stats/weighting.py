"""A rate from answers that were drawn with unequal chances: each is weighted by one over its chance.

Flips that are all sent to people pull a plain rate towards themselves: 50 random answers and every flip may read .87 where .92 is true.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from evalkit.stats.distributions import t_quantile
from evalkit.stats.intervals import wilson
from evalkit.stats.results import Estimate, Refused, too_few

ENOUGH_EFFECTIVE = 30
"""Effective answers from which a weighted rate is read."""


class Drawn(NamedTuple):
    """A labelled answer."""

    passed: bool
    chance: float
    """The chance with which it was drawn, above 0 and at most 1."""


class WeightedRate(NamedTuple):
    """A rate weighted back to all answers."""

    estimate: Estimate
    """The rate in [0, 1] with a 95 % Wilson interval on the effective sample size and the quantile of t_{n-1}."""
    n: int
    n_eff: float
    """As many equally drawn answers would tell as much; at most n."""


def weighted_rate(answers: Sequence[Drawn], level: float = 0.95) -> WeightedRate | Refused:
    """Return the Hajek form of the Horvitz-Thompson estimate, sum(w y)/sum(w) with w = 1/chance.

    Its variance is n/(n - 1) sum (w (y - p))^2/(sum w)^2, which gives n_eff = p (1 - p)/variance, at most n; where all passed or all
    failed the sample shows no variance, and Kish's (sum w)^2/sum(w^2) stands in. The rate is that of answers like these, so answers
    drawn for certain keep their sampling error. Refuses without answers and for one only. Insufficient below 30 effective ones.
    Horvitz & Thompson 1952; Hajek 1971; Kish 1965. Raises ValueError for a chance outside (0, 1].
    """
    if not all(0 < answer.chance <= 1 for answer in answers):
        raise ValueError(
            "a chance of being drawn lies above 0 and is at most 1; what cannot be drawn cannot be weighted"
        )
    n = len(answers)
    if n < 2:
        return Refused("a weighted rate needs two labelled answers at least")
    weights = [1 / answer.chance for answer in answers]
    total = sum(weights)
    passed = sum(weight for weight, answer in zip(weights, answers, strict=True) if answer.passed)
    if all(answer.passed for answer in answers) or not passed:
        rate = 1.0 if passed else 0.0
        n_eff = total**2 / sum(weight * weight for weight in weights)
    else:
        rate = passed / total
        spread = sum((w * (answer.passed - rate)) ** 2 for w, answer in zip(weights, answers, strict=True))
        n_eff = min(float(n), rate * (1 - rate) * total**2 / spread * (n - 1) / n)
    interval = wilson(rate * n_eff, n_eff, t_quantile((1 + level) / 2, n - 1))
    return WeightedRate(Estimate(rate, interval, too_few(n_eff, ENOUGH_EFFECTIVE, "effective answers")), n, n_eff)
