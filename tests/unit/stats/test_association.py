"""Association: every pair counted by hand, DeLong's components written out, scipy for Spearman."""

from __future__ import annotations

from math import sqrt
from statistics import variance

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.stats import spearmanr

from evalkit.stats.association import somers_d, spearman, spearman_ceiling

few = st.integers(0, 12)
classes = st.lists(few, min_size=2, max_size=15)


def sign(a, b):
    return (a > b) - (a < b)


@given(classes, classes)
def test_somers_d_is_the_balance_of_all_pairs_with_delongs_error(first, second):
    found = somers_d(first, second)
    above = [sum(sign(a, b) for b in second) / len(second) for a in first]
    below = [sum(sign(a, b) for a in first) / len(first) for b in second]
    assert found.d == pytest.approx(sum(above) / len(first))
    assert found.se == pytest.approx(sqrt(variance(above) / len(first) + variance(below) / len(second)))


@given(classes, classes)
def test_swapping_the_classes_turns_the_sign(first, second):
    one, other = somers_d(first, second), somers_d(second, first)
    assert (one.d, one.se) == pytest.approx((-other.d, other.se))


def test_somers_d_does_not_move_with_the_pass_rate_but_spearman_does():
    few_fails = somers_d(list(range(10, 100)), list(range(10)))
    half_fails = somers_d(list(range(50, 100)), list(range(50)))
    assert few_fails.d == half_fails.d == 1
    rho = [spearman(range(100), [0] * fails + [1] * (100 - fails)) for fails in (10, 50)]
    assert rho == pytest.approx([spearman_ceiling(0.9), spearman_ceiling(0.5)], abs=1e-4)


def test_an_empty_class_has_no_association_and_a_single_member_no_error():
    assert somers_d([], [1, 2]) is None
    assert somers_d([3], [1, 2]).se is None
    assert somers_d([3], [1, 2]).interval() is None


@pytest.mark.parametrize(("first", "second", "d"), [([5, 6], [1, 2], 1), ([4, 4], [4, 4], 0)])
def test_without_a_spread_of_pairs_there_is_no_interval_of_width_zero(first, second, d):
    found = somers_d(first, second)
    assert (found.d, found.se, found.interval()) == (d, 0, None)


@given(classes, classes)
def test_the_interval_contains_d_and_stays_in_range(first, second):
    found = somers_d(first, second)
    interval = found.interval()
    assume(interval)
    assert -1 <= interval[0] <= found.d <= interval[1] <= 1


@given(st.lists(st.tuples(few, few), min_size=2, max_size=40))
def test_spearman_agrees_with_scipy(pairs):
    x, y = [a for a, _ in pairs], [b for _, b in pairs]
    assume(len(set(x)) > 1 and len(set(y)) > 1)
    assert spearman(x, y) == pytest.approx(spearmanr(x, y).statistic, abs=1e-9)


@pytest.mark.parametrize(("x", "y"), [([], []), ([1], [1]), ([1, 2, 3], [1, 1, 1]), ([4, 4], [0, 1])])
def test_spearman_is_undefined_where_a_side_is_constant(x, y):
    assert spearman(x, y) is None


def test_spearman_refuses_what_are_no_pairs():
    with pytest.raises(ValueError, match="pairs"):
        spearman([1, 2], [1])


def test_the_ceiling_is_zero_at_both_ends_and_refuses_what_is_no_rate():
    assert [spearman_ceiling(p) for p in (0, 0.5, 1)] == pytest.approx([0, sqrt(0.75), 0])
    with pytest.raises(ValueError, match="rate"):
        spearman_ceiling(1.2)
