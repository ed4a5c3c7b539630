"""TPR, TNR and balanced accuracy: the right class below the line, words where a class is empty."""

from __future__ import annotations

import pytest
from scipy.stats import beta

from evalkit.stats.intervals import wilson
from evalkit.stats.judge_rates import VerdictTable, balanced_accuracy, tnr, tpr
from evalkit.stats.results import Refused

TABLE = VerdictTable(both_pass=84, judge_only=4, human_only=3, both_fail=9)


def test_each_rate_is_over_its_own_human_class():
    passes, fails = tpr(TABLE), tnr(TABLE)
    assert (passes.correct, passes.n, fails.correct, fails.n) == (84, 87, 9, 13)
    assert passes.estimate.interval == wilson(84, 87)
    assert passes.lower == pytest.approx(beta.ppf(0.05, 84, 4))
    assert passes.upper == pytest.approx(beta.ppf(0.95, 85, 3))
    assert (passes.estimate.insufficient, fails.estimate.insufficient) == (None, "13 human fail labels, 30 needed")
    assert balanced_accuracy(TABLE) == pytest.approx((84 / 87 + 9 / 13) / 2)


def test_a_judge_that_passes_everything_is_no_better_than_a_coin():
    assert balanced_accuracy(VerdictTable(93, 7, 0, 0)) == 0.5


def test_without_human_fails_the_true_fail_rate_is_unknown():
    table = VerdictTable(50, 0, 2, 0)
    assert tnr(table) == balanced_accuracy(table) == Refused("TNR unknown: no human fail among the labels")
    assert tpr(table).n == 52


def test_without_human_passes_the_true_pass_rate_is_unknown():
    table = VerdictTable(0, 3, 0, 40)
    assert tpr(table) == balanced_accuracy(table) == Refused("TPR unknown: no human pass among the labels")


@pytest.mark.parametrize("rate", [tpr, tnr, balanced_accuracy])
def test_negative_counts_are_no_table(rate):
    with pytest.raises(ValueError, match="not negative"):
        rate(VerdictTable(1, -1, 0, 3))
