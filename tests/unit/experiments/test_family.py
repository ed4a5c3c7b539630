"""The difference in differences of family preference: equal differences have an interval that counts give, never one of no width."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest

from evalkit.experiments.family import CELLS, family_row

KEY = ("faithfulness", "faithfulness", "F1")
BOTH = dict.fromkeys(CELLS, True)
FAVOURED = {**BOTH, ("own", "second"): False}


def test_judges_that_never_differ_favour_their_own_by_what_so_many_cases_leave_open():
    found = family_row(KEY, [BOTH] * 160, Counter())
    low, high = found.interval
    assert (found.difference, low) == (0.0, -high)
    assert high == pytest.approx(2 * (1 - 0.025 ** (1 / 160)))
    assert high < 0.05


def test_few_equal_cases_leave_nearly_everything_open():
    low, high = family_row(KEY, [FAVOURED] * 2, Counter()).interval
    assert low < -1 < 1 < high


def test_cases_that_differ_have_a_t_interval_and_no_case_has_none():
    found = family_row(KEY, [BOTH] * 50 + [FAVOURED] * 10, Counter())
    assert (found.difference, found.reading) == (pytest.approx(10 / 60), "")
    assert found.interval[0] > 0
    assert family_row(KEY, [], Counter(refused=3)).interval is None


def test_the_interval_of_equal_differences_misses_a_true_favour_in_one_of_forty_samples_at_most():
    """Six cases of a hundred favour their own by 2, the worst that the interval of 60 equal ones is to hold for."""
    rng, share, n = Random("family"), 0.06, 60
    missed = 0
    for _ in range(2000):
        if all(rng.random() >= share for _ in range(n)):
            missed += family_row(KEY, [BOTH] * n, Counter()).interval[1] < 2 * share
    assert 0 < missed / 2000 <= 0.03
