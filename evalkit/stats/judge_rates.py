"""A judge against people on one criterion: true pass rate (TPR) and true fail rate (TNR), each in its own human class.

Raw agreement is not asked for: an always-pass judge agrees wherever nearly everything passes. For labels that are a random sample of
the answers, or a census; where the sample was drawn by the judge's verdict these rates are wrong and `begg_greenes` is right.
"""

from __future__ import annotations

from typing import NamedTuple

from evalkit.stats.intervals import clopper_pearson_lower, clopper_pearson_upper, wilson
from evalkit.stats.results import Estimate, Refused, too_few

ENOUGH_OF_A_CLASS = 30
"""Labels of one human class from which the judge's rate in it is read."""


class VerdictTable(NamedTuple):
    """Answers that both the judge and people decided, counted by both verdicts."""

    both_pass: int
    judge_only: int
    """The judge passed, people failed."""
    human_only: int
    """The judge failed, people passed."""
    both_fail: int


class ClassRate(NamedTuple):
    """How often the judge is right within one human class."""

    correct: int
    n: int
    estimate: Estimate
    """correct/n with its 95 % Wilson interval, to be read."""
    lower: float
    """One-sided 95 % Clopper-Pearson bound, to decide on."""
    upper: float
    """The other one-sided bound."""


def tpr(table: VerdictTable, level: float = 0.95) -> ClassRate | Refused:
    """Return the share of human passes that the judge passes (sensitivity), with one-sided bounds at `level`.

    Range: counts >= 0, 0 < level < 1. Refuses without human passes: TPR is unknown then, not 0 or 1. Insufficient below 30 of
    them. Raises ValueError outside the range.
    """
    _check(table)
    return _class_rate(table.both_pass, table.both_pass + table.human_only, "TPR", "pass", level)


def tnr(table: VerdictTable, level: float = 0.95) -> ClassRate | Refused:
    """Return the share of human fails that the judge fails (specificity); else as `tpr`."""
    _check(table)
    return _class_rate(table.both_fail, table.both_fail + table.judge_only, "TNR", "fail", level)


def balanced_accuracy(table: VerdictTable) -> float | Refused:
    """Return (TPR + TNR)/2 in [0, 1], 1/2 for a judge that does not look; Youden's J is TPR + TNR - 1.

    Refuses where either rate is unknown, naming it. Raises ValueError for negative counts.
    """
    passes, fails = tpr(table), tnr(table)
    if isinstance(passes, Refused):
        return passes
    if isinstance(fails, Refused):
        return fails
    return (passes.estimate.value + fails.estimate.value) / 2


def _class_rate(correct: int, n: int, name: str, human: str, level: float) -> ClassRate | Refused:
    if not n:
        return Refused(f"{name} unknown: no human {human} among the labels")
    estimate = Estimate(correct / n, wilson(correct, n), too_few(n, ENOUGH_OF_A_CLASS, f"human {human} labels"))
    return ClassRate(
        correct, n, estimate, clopper_pearson_lower(correct, n, level), clopper_pearson_upper(correct, n, level)
    )


def _check(table: VerdictTable) -> None:
    if min(table) < 0:
        raise ValueError(f"counts are not negative, got {table}")
