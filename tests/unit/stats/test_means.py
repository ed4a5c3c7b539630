"""Means: scipy's t interval, and the refusals."""

from __future__ import annotations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats as reference

from evalkit.stats.means import are_equal, lower_of_equal, t_interval, t_interval_of


@given(st.lists(st.integers(-1000, 1000), min_size=2, max_size=60))
def test_the_interval_agrees_with_scipy(whole):
    values = [value / 8 for value in whole]
    assume(len(set(values)) > 1)
    expected = reference.t.interval(0.95, len(values) - 1, reference.tmean(values), reference.sem(values))
    assert t_interval_of(values) == pytest.approx(expected, rel=1e-7, abs=1e-9)


def test_sums_give_what_values_give():
    values = [0.2, 0.9, 0.4, 0.7]
    sums = t_interval(4, sum(values), sum(v * v for v in values))
    assert sums == pytest.approx(t_interval_of(values))


@pytest.mark.parametrize("values", [[], [0.3], [0.1] * 50])
def test_without_a_spread_there_is_no_interval(values):
    assert t_interval_of(values) is None


def test_large_values_that_lie_close_together_keep_their_spread():
    values = [1e12 + step for step in (0, 1, 2, 3)]
    low, high = t_interval_of(values)
    expected = t_interval_of([0, 1, 2, 3])
    assert (low - 1e12, high - 1e12) == pytest.approx(expected, abs=1e-3)


def test_equal_values_have_a_lower_bound_where_a_lowest_value_is_known():
    assert lower_of_equal(0.0, 60, -1.0) == pytest.approx(-(1 - 0.05 ** (1 / 60)))
    assert lower_of_equal(0.5, 20, 0.0) == pytest.approx(0.5 * 0.05 ** (1 / 20))
    assert lower_of_equal(0.0, 60, 0.0) == 0.0
    assert lower_of_equal(0.0, 1, -1.0, level=0.9) == pytest.approx(-0.9)


def test_a_lowest_value_above_the_one_that_was_seen_is_refused():
    with pytest.raises(ValueError, match="is above the value"):
        lower_of_equal(0.0, 10, 0.1)


@pytest.mark.parametrize(
    ("values", "equal"),
    [([0.1, 0.30000000000000004 - 0.2], True), ([0.0, 1e-9], False), ([1e9, 1e9 + 1e-5], True), ([0.5], True)],
)
def test_values_that_differ_by_rounding_alone_are_equal(values, equal):
    assert are_equal(values) is equal
