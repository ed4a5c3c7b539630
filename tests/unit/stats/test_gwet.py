"""AC1: its two-label formula, its error as an infinitesimal jackknife worked out numerically, what it refuses."""

from __future__ import annotations

from math import sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import t

from evalkit.stats.gwet import ac1, gwet_ac1
from evalkit.stats.results import Refused

items_of = st.lists(st.lists(st.sampled_from("pfn"), min_size=2, max_size=5), min_size=2, max_size=12)


def runs(passed, failed):
    return ["pass"] * passed + ["fail"] * failed


BALANCED = [runs(3, 0)] * 58 + [runs(2, 1)] * 5 + [runs(1, 2)] * 4 + [runs(0, 3)] * 33


def weighted_ac1(items, weights):
    labels = sorted({label for item in items for label in item})
    total = sum(weights)
    observed = (
        sum(
            w * sum(item.count(c) * (item.count(c) - 1) for c in labels) / (len(item) * (len(item) - 1))
            for item, w in zip(items, weights, strict=True)
        )
        / total
    )
    means = [sum(w * item.count(c) / len(item) for item, w in zip(items, weights, strict=True)) / total for c in labels]
    chance = sum(mean * (1 - mean) for mean in means) / (len(labels) - 1)
    return (observed - chance) / (1 - chance)


@given(items_of)
def test_value_and_error_are_those_of_the_definition(items):
    n = len(items)
    found = ac1(items)
    if isinstance(found, Refused):
        assert len({label for item in items for label in item}) == 1
        return
    influences = []
    for place in range(n):
        up, down = ([1.0 + step * (k == place) for k in range(n)] for step in (1e-5, -1e-5))
        influences.append(n * (weighted_ac1(items, up) - weighted_ac1(items, down)) / 2e-5)
    assert found.estimate.value == pytest.approx(weighted_ac1(items, [1.0] * n))
    assert found.se == pytest.approx(sqrt(sum(d * d for d in influences) / (n * (n - 1))), abs=1e-6)


def test_ac1_of_pass_and_fail_is_its_two_label_formula():
    share = sum(item.count("pass") / 3 for item in BALANCED) / 100
    chance = 2 * share * (1 - share)
    assert gwet_ac1(BALANCED) == pytest.approx((0.94 - chance) / (1 - chance))


def test_the_interval_is_t_times_the_error():
    found = ac1(BALANCED)
    half = t.ppf(0.975, 99) * found.se
    value = found.estimate.value
    assert (value, found.se) == pytest.approx((0.887236886067, 0.036742861471))
    assert found.estimate.interval == pytest.approx((value - half, value + half))
    assert found.estimate.insufficient is None


def test_it_stays_high_where_no_association_is_left():
    """90 agreed passes, 5 and 5 divided, no agreed fail: kappa is below 0."""
    items = [["pass", "pass"]] * 90 + [["pass", "fail"]] * 5 + [["fail", "pass"]] * 5
    assert gwet_ac1(items) == pytest.approx(0.8895, abs=1e-4)


@pytest.mark.parametrize("items", [[runs(3, 0)] * 5, [runs(0, 2)], []])
def test_a_single_label_is_refused(items):
    assert gwet_ac1(items) is None
    assert isinstance(ac1(items), Refused)


def test_one_item_or_complete_agreement_has_no_interval():
    assert ac1([["pass", "fail"]]).estimate.interval is None
    agreed = ac1([runs(2, 0), runs(2, 0), runs(0, 2), runs(0, 2)])
    assert (agreed.estimate.value, agreed.estimate.interval) == (1, None)
    assert agreed.estimate.insufficient == "4 items, 50 needed"


def test_an_item_with_one_label_is_no_agreement():
    with pytest.raises(ValueError, match="two runs"):
        ac1([["pass"], ["pass", "fail"]])
