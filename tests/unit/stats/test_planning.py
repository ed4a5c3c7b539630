"""Planning: every number of cases against the thing that it promises, powers by full enumeration with scipy."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom, norm

from evalkit.stats.differences import mcnemar_midp
from evalkit.stats.intervals import wilson
from evalkit.stats.planning import (
    cases_for_mean_difference,
    cases_for_width,
    design_effect,
    midp_power,
    pairs_for_power,
)
from evalkit.stats.results import Refused


def test_a_half_width_of_five_points_at_ninety_percent_needs_141_cases():
    assert cases_for_width(0.9, 0.05) == 141


@given(st.floats(0, 1), st.floats(0.01, 0.49))
def test_the_cases_are_enough_and_one_fewer_is_not(p, half):
    n = cases_for_width(p, half)
    low, high = wilson(p * n, n)
    assert high - low <= 2 * half
    if n > 1:
        low, high = wilson(p * (n - 1), n - 1)
        assert high - low > 2 * half


def enumerated(n, p_b, p_c, alpha=0.05):
    return sum(
        binom.pmf(m, n, p_b + p_c) * binom.pmf(b, m, p_b / (p_b + p_c))
        for m in range(n + 1)
        for b in range(m + 1)
        if mcnemar_midp(b, m - b) <= alpha
    )


@pytest.mark.parametrize(
    ("n", "p_b", "p_c", "alpha"),
    [(50, 0.12, 0.04, 0.05), (60, 0.05, 0.05, 0.05), (30, 0.5, 0.2, 0.01), (40, 0.6, 0.4, 0.05), (12, 1.0, 0.0, 0.05)],
)
def test_power_is_the_sum_over_all_tables_that_reject(n, p_b, p_c, alpha):
    assert midp_power(n, p_b, p_c, alpha) == pytest.approx(enumerated(n, p_b, p_c, alpha), abs=1e-9)


def test_power_of_two_hundred_pairs():
    assert midp_power(200, 0.10, 0.04) == pytest.approx(0.6191, abs=1e-4)


@pytest.mark.parametrize("p", [0.01, 0.05, 0.2, 0.3])
@pytest.mark.parametrize("n", [30, 100, 400])
def test_without_a_difference_the_test_rejects_in_five_of_a_hundred_at_most(n, p):
    assert midp_power(n, p, p) <= 0.05


def test_only_where_nearly_all_pairs_differ_it_may_reject_a_little_more_often():
    assert 0.05 < midp_power(100, 0.5, 0.5) < 0.06


def test_without_pairs_that_differ_nothing_is_ever_rejected():
    assert midp_power(100, 0.0, 0.0) == 0


@pytest.mark.parametrize(("p_b", "p_c"), [(0.10, 0.04), (0.05, 0.0), (0.04, 0.12), (0.3, 0.2), (1.0, 0.0)])
def test_the_pairs_have_the_power_and_one_fewer_has_not(p_b, p_c):
    n = pairs_for_power(p_b, p_c)
    assert midp_power(n, p_b, p_c) >= 0.8 > midp_power(n - 1, p_b, p_c)


def test_what_no_number_of_pairs_shows_is_refused():
    assert pairs_for_power(0.1, 0.1) == Refused("no difference: no number of pairs shows it")
    assert pairs_for_power(0.101, 0.1) == Refused("more than 100,000 pairs for a difference of 0.001")


def test_a_difference_of_means_needs_millers_number_of_cases():
    n = cases_for_mean_difference(0.03, 1 / 9, 1 / 6, 1 / 6)
    assert n == pytest.approx((norm.ppf(0.975) + norm.ppf(0.8)) ** 2 * (1 / 9 + 1 / 3) / 0.0009)
    assert cases_for_mean_difference(0.03, 1 / 9, 1 / 12, 1 / 12) < n


def test_clusters_of_ten_that_hang_together_need_nearly_four_times_the_cases():
    assert design_effect(10, 0.3) == pytest.approx(3.7)
    assert design_effect(1, 0.3) == 1


@pytest.mark.parametrize(
    "call",
    [
        lambda: cases_for_width(1.1, 0.05),
        lambda: cases_for_width(0.5, 0.5),
        lambda: midp_power(0, 0.1, 0.1),
        lambda: midp_power(10, 0.6, 0.5),
        lambda: pairs_for_power(0.1, 0.04, power=1.0),
        lambda: pairs_for_power(0.9, 0.4),
        lambda: cases_for_mean_difference(0, 1, 1),
        lambda: cases_for_mean_difference(0.1, -1, 1),
        lambda: design_effect(0, 0.3),
        lambda: design_effect(10, 1.3),
    ],
)
def test_what_is_outside_the_range_is_refused(call):
    with pytest.raises(ValueError, match=r"width|power|plan|difference|clusters"):
        call()
