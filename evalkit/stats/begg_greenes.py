"""TPR and TNR of a judge from labels that were drawn by its verdict, which plain counting gets wrong.

Where people label as many passed as failed answers although the judge passed nearly all, the failed ones weigh too much: the naive
TPR and TNR of such a sample may be .80 and .95 where .96 and .76 are true. Each stratum is weighted back to its share of the run.
"""

from __future__ import annotations

from random import Random
from typing import NamedTuple

from evalkit.stats.judge_rates import ENOUGH_OF_A_CLASS
from evalkit.stats.results import Estimate, Refused, too_few
from evalkit.stats.strata import Strata

DRAWS = 20_000
"""Draws behind a bound; the error of a bound is then about .002."""


class WeightedRate(NamedTuple):
    """TPR or TNR, weighted back to the run."""

    estimate: Estimate
    """The rate in [0, 1] and its equal-tailed 95 % interval."""
    lower: float
    """One-sided 95 % bound, to decide on: approximate (Bayesian with Jeffreys' prior), unlike that of a random sample."""
    upper: float
    """The other one-sided bound."""


class BeggGreenes(NamedTuple):
    """Both rates, with what repeats them exactly."""

    tpr: WeightedRate | Refused
    tnr: WeightedRate | Refused
    seed: int
    draws: int


def begg_greenes(strata: Strata, seed: int, draws: int = DRAWS) -> BeggGreenes | Refused:
    """Return TPR = p mu1/[p mu1 + (1 - p) mu0] and TNR = (1 - p)(1 - mu0)/[(1 - p)(1 - mu0) + p (1 - mu1)].

    p is the judge's pass rate over the run, mu1 and mu0 the human pass shares among labelled answers that it passed and failed.
    Interval and bounds are quantiles of `draws` draws with p, mu0 and mu1 from their Jeffreys posteriors, by `seed`. Range:
    draws >= 1. Refuses where a stratum has answers and no label; a rate alone is refused where no label is of its human class
    (TNR without human fails is unknown). Insufficient below 10 labels in a stratum or 30 in the human class. Begg & Greenes 1983.
    Raises ValueError for impossible counts.
    """
    strata.check()
    if draws < 1:
        raise ValueError(f"a bound needs draws, got {draws}")
    refusal = strata.refusal()
    if refusal:
        return refusal
    passes = strata.human_pass_of_pass + strata.human_pass_of_fail
    fails = strata.labelled_pass + strata.labelled_fail - passes
    p = strata.judge_pass / strata.n
    of_pass = strata.human_pass_of_pass / strata.labelled_pass if strata.labelled_pass else 0.0
    of_fail = strata.human_pass_of_fail / strata.labelled_fail if strata.labelled_fail else 0.0
    drawn_passes, drawn_fails = _drawn(strata, seed, draws)
    return BeggGreenes(
        _rate("pass", passes, _share(p * of_pass, (1 - p) * of_fail), drawn_passes, strata),
        _rate("fail", fails, _share((1 - p) * (1 - of_fail), p * (1 - of_pass)), drawn_fails, strata),
        seed,
        draws,
    )


def _drawn(strata: Strata, seed: int, draws: int) -> tuple[list[float], list[float]]:
    beta = Random(seed).betavariate  # noqa: S311 - a resampling scheme, not a secret
    passes, fails = [], []
    for _ in range(draws):
        p = beta(strata.judge_pass + 0.5, strata.n - strata.judge_pass + 0.5)
        of_pass = beta(strata.human_pass_of_pass + 0.5, strata.labelled_pass - strata.human_pass_of_pass + 0.5)
        of_fail = beta(strata.human_pass_of_fail + 0.5, strata.labelled_fail - strata.human_pass_of_fail + 0.5)
        passes.append(_share(p * of_pass, (1 - p) * of_fail))
        fails.append(_share((1 - p) * (1 - of_fail), p * (1 - of_pass)))
    passes.sort()
    fails.sort()
    return passes, fails


def _share(right: float, wrong: float) -> float:
    """Return right/(right + wrong); 0 where both vanish, the side that claims nothing for the judge."""
    return right / (right + wrong) if right + wrong > 0 else 0.0


def _rate(human: str, labels: int, value: float, drawn: list[float], strata: Strata) -> WeightedRate | Refused:
    if not labels:
        name = "TPR" if human == "pass" else "TNR"
        return Refused(f"{name} unknown: no human {human} among the labels")
    low, lower, upper, high = (drawn[round(q * (len(drawn) - 1))] for q in (0.025, 0.05, 0.95, 0.975))
    insufficient = strata.thin() or too_few(labels, ENOUGH_OF_A_CLASS, f"human {human} labels")
    return WeightedRate(Estimate(value, (low, high), insufficient), lower, upper)
