"""Bars: the design's table of labels, powers by scipy, three answers for every count."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import beta, binom

from evalkit.stats.bars import check_bar, clears, labels_for_power, labels_needed
from evalkit.stats.results import Refused


@given(st.integers(1, 200).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))), st.floats(0.05, 0.99))
def test_a_bar_is_cleared_where_the_exact_lower_bound_reaches_it(counts, bar):
    right, n = counts
    lower = 0.0 if right == 0 else beta.ppf(0.05, right, n - right + 1)
    if abs(lower - bar) > 1e-9:
        assert clears(right, n, bar) == (lower >= bar)


@pytest.mark.parametrize(
    ("bar", "expected"),
    [
        (0.70, [9, 14, 19, 24, 33]),
        (0.80, [14, 22, 30, 37, 50]),
        (0.85, [19, 30, 40, 50, 68]),
        (0.90, [29, 46, 61, 76, 103]),
        (0.95, [59, 93, 124, 153, 208]),
    ],
)
def test_labels_needed_for_0_1_2_3_and_5_errors(bar, expected):
    assert [labels_needed(bar, errors) for errors in (0, 1, 2, 3, 5)] == expected
    for errors, n in zip((0, 1, 2, 3, 5), expected, strict=True):
        assert beta.ppf(0.05, n - errors, errors + 1) >= bar > beta.ppf(0.05, n - 1 - errors, errors + 1)


@pytest.mark.parametrize(
    ("bar", "true", "n", "least"), [(0.8, 0.9, 94, 82), (0.8, 0.95, 37, 34), (0.9, 0.95, 203, 190), (0.9, 0.98, 61, 59)]
)
def test_labels_for_eighty_percent_power(bar, true, n, least):
    plan = labels_for_power(bar, true)
    assert (plan.n, plan.least_right) == (n, least)
    assert plan.power == pytest.approx(binom.sf(least - 1, n, true))
    assert plan.power >= 0.8


def test_a_true_rate_close_to_the_bar_takes_thousands():
    """From some 500 labels on the search starts near the normal approximation; it must end where the whole scan would."""
    plan = labels_for_power(0.9, 0.92)
    reached = [binom.sf(_least(n) - 1, n, 0.92) >= 0.8 for n in range(1100, plan.n + 16)]
    first = next(k for k in range(len(reached) - 15) if all(reached[k : k + 16]))
    assert plan.n == 1100 + first
    assert plan.least_right == _least(plan.n)


def _least(n):
    """The least right of n whose exact bound clears .9, by scipy."""
    return next(k for k in range(int(0.9 * n), n + 1) if binom.sf(k - 1, n, 0.9) <= 0.05)


def test_a_judge_without_fault_needs_as_many_as_no_errors_do():
    plan = labels_for_power(0.9, 1.0)
    assert (plan.n, plan.least_right, plan.power) == (29, 29, 1)


def test_a_judge_at_the_bar_or_hardly_above_it_cannot_be_planned_for():
    assert "does not clear" in labels_for_power(0.9, 0.9).reason
    assert isinstance(labels_for_power(0.9, 0.5), Refused)
    assert labels_for_power(0.9, 0.9001) == Refused(
        "more than 20,000 labels to tell a true rate of 0.9001 from a bar of 0.9"
    )
    assert isinstance(labels_for_power(0.9, 0.904, power=0.99), Refused)


@pytest.mark.unmeasured
@given(st.integers(0, 80).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))), st.sampled_from([0.5, 0.8, 0.9]))
def test_the_labels_still_needed_are_enough_and_no_fewer_are(counts, bar):
    right, n = counts
    found = check_bar(right, n, bar)
    more = found.needed_at_best
    assert (found.standing == "above") == (more == 0) == clears(right, n, bar)
    assert (found.standing == "below") == (found.upper < bar)
    if more:
        assert clears(right + more, n + more, bar)
        assert not clears(right + more - 1, n + more - 1, bar)
    if found.needed_at_this_rate:
        total = n + found.needed_at_this_rate
        assert clears(total - -(-(n - right) * total // n), total, bar)
        assert found.needed_at_this_rate >= more


def test_no_labels_are_undecided():
    assert check_bar(0, 0, 0.9) == ("undecided", 0.0, 1.0, 29, None)


def test_a_rate_at_or_below_the_bar_never_clears_it_at_that_rate():
    assert check_bar(45, 50, 0.9).needed_at_this_rate is None
    assert check_bar(9001, 10_000, 0.9).needed_at_this_rate is None
    assert check_bar(48, 50, 0.9).needed_at_this_rate == 39


@pytest.mark.parametrize(
    "call",
    [
        lambda: clears(1, 2, 1.0),
        lambda: clears(3, 2, 0.5),
        lambda: labels_needed(0.9, -1),
        lambda: labels_for_power(0.9, 1.1),
        lambda: labels_for_power(0.9, 0.95, power=1),
        lambda: check_bar(1, 2, 0.5, level=1),
    ],
)
def test_what_is_outside_the_range_is_refused(call):
    with pytest.raises(ValueError, match=r"bar|rate|errors|power"):
        call()
