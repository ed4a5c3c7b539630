"""The mixture sequence: its own equation, its edges, and that looking often costs nothing."""

from __future__ import annotations

from math import log
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import betaln

from evalkit.stats.confidence_sequence import mixture_sequence
from evalkit.stats.intervals import wilson

counts_of = st.integers(1, 300).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))


@given(counts_of)
def test_the_ends_are_where_the_martingale_reaches_twenty(counts):
    passed, n = counts
    low, high = mixture_sequence(passed, n)
    assert 0 <= low <= passed / n <= high <= 1
    mixed = betaln(passed + 0.5, n - passed + 0.5) - betaln(0.5, 0.5)
    for end in (low, high):
        if 0 < end < 1:
            likelihood = (passed and passed * log(end)) + ((n - passed) and (n - passed) * log(1 - end))
            assert mixed - likelihood == pytest.approx(log(20), abs=1e-6)
    assert (low == 0) == (passed == 0)
    assert (high == 1) == (passed == n)


def test_it_is_wider_than_an_interval_that_is_looked_at_once():
    assert mixture_sequence(45, 50) == pytest.approx((0.71346, 0.98415), abs=1e-5)
    low, high = wilson(45, 50)
    assert mixture_sequence(45, 50)[0] < low < high < mixture_sequence(45, 50)[1]


def test_before_the_first_label_nothing_is_known():
    assert mixture_sequence(0, 0) == (0.0, 1.0)


def test_three_hundred_looks_miss_the_truth_in_five_of_a_hundred_runs_at_most_where_wilson_misses_in_a_third():
    rng = Random("peeking")
    kept = {}
    missed = missed_by_wilson = 0
    for _ in range(2000):
        passed, ever, ever_by_wilson = 0, False, False
        for n in range(1, 301):
            passed += rng.random() < 0.9
            if n < 10:
                continue
            if (passed, n) not in kept:
                low, high = mixture_sequence(passed, n)
                w_low, w_high = wilson(passed, n)
                kept[passed, n] = not low <= 0.9 <= high, not w_low <= 0.9 <= w_high
            ever |= kept[passed, n][0]
            ever_by_wilson |= kept[passed, n][1]
        missed += ever
        missed_by_wilson += ever_by_wilson
    assert missed / 2000 <= 0.05
    assert missed_by_wilson / 2000 > 0.25


@pytest.mark.parametrize("arguments", [(3, 2), (-1, 2), (1, 2, 1.0)])
def test_what_is_no_count_is_refused(arguments):
    with pytest.raises(ValueError, match="sequence"):
        mixture_sequence(*arguments)
