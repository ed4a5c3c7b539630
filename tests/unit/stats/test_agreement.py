"""Agreement of repeated verdicts: against the definition of alpha by pairs, published figures, and edge values."""

from __future__ import annotations

from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalkit.stats.agreement import (
    all_equal,
    alpha_bootstrap,
    krippendorff_alpha,
    pair_agreement,
    pairwise_agreement,
    pairwise_interval,
)
from evalkit.stats.intervals import clopper_pearson_lower
from evalkit.stats.means import t_interval_of

items_of = st.lists(st.lists(st.sampled_from("pfn"), min_size=2, max_size=5), min_size=1, max_size=12)


def runs(passed, failed):
    return ["pass"] * passed + ["fail"] * failed


BALANCED = [runs(3, 0)] * 58 + [runs(2, 1)] * 5 + [runs(1, 2)] * 4 + [runs(0, 3)] * 33
PREVALENT = [runs(3, 0)] * 91 + [runs(2, 1)] * 9


def alpha_by_coincidences(items):
    """Krippendorff's own construction: observed and expected disagreement from the matrix of coincidences."""
    labels = sorted({label for item in items for label in item})
    cell = dict.fromkeys(((a, b) for a in labels for b in labels), 0.0)
    for item in items:
        for a, b in permutations(item, 2):
            cell[a, b] += 1 / (len(item) - 1)
    margin = {a: sum(cell[a, b] for b in labels) for a in labels}
    n = sum(margin.values())
    observed = sum(cell[a, b] for a in labels for b in labels if a != b) / n
    expected = sum(margin[a] * margin[b] for a in labels for b in labels if a != b) / (n * (n - 1))
    return None if expected == 0 else 1 - observed / expected


@given(items_of)
def test_alpha_is_one_less_observed_over_expected_disagreement(items):
    expected = alpha_by_coincidences(items)
    assert krippendorff_alpha(items) == (None if expected is None else pytest.approx(expected, abs=1e-12))


def test_alpha_gives_the_published_value_of_the_nominal_example_with_gaps():
    """Krippendorff, Computing Krippendorff's Alpha-Reliability (2011), example C: 0.743."""
    units = ["111", "2232", "3333", "3333", "2222", "1234", "4444", "1121", "2222", "555", "11", "3"]
    assert krippendorff_alpha(units) == pytest.approx(0.743, abs=5e-4)


def test_one_share_of_equal_items_hides_two_very_different_judges():
    assert all_equal(BALANCED) == all_equal(PREVALENT) == (91, 100)
    assert pairwise_agreement(BALANCED) == pytest.approx(0.94)
    assert pairwise_agreement(PREVALENT) == pytest.approx(0.94)
    assert krippendorff_alpha(BALANCED) == pytest.approx(1 - 299 * 9 * 2 / (2 * 188 * 112))
    assert krippendorff_alpha(PREVALENT) == pytest.approx(1 - 299 * 9 * 2 / (2 * 291 * 9))


@pytest.mark.parametrize("items", [[runs(3, 0)] * 5, [runs(0, 2)], []])
def test_alpha_of_a_single_label_is_undefined_neither_1_nor_0(items):
    assert krippendorff_alpha(items) is None
    assert alpha_bootstrap(items, seed=1) is None


def test_alpha_leaves_items_with_one_label_out():
    assert krippendorff_alpha([*BALANCED, ["fail"], ["pass"]]) == krippendorff_alpha(BALANCED)


def test_the_bootstrap_is_the_same_for_a_seed_holds_alpha_and_counts_undefined_replicates():
    found = alpha_bootstrap(BALANCED, seed=7)
    assert found == alpha_bootstrap(BALANCED, seed=7)
    assert found.low < krippendorff_alpha(BALANCED) < found.high
    assert found.undefined == 0
    rare = alpha_bootstrap([runs(3, 0)] * 19 + [runs(0, 3)], seed=7)
    assert rare.undefined == pytest.approx(1000 * 0.95**20, rel=0.15)
    assert rare.low == rare.high == 1.0


@given(st.integers(0, 9), st.integers(0, 9))
def test_pair_agreement_counts_pairs_of_runs(passed, failed):
    item = runs(passed, failed)
    if len(item) < 2:
        with pytest.raises(ValueError, match="two runs"):
            pair_agreement(item)
        return
    pairs = list(permutations(item, 2))
    assert pair_agreement(item) == pytest.approx(sum(a == b for a, b in pairs) / len(pairs))


@given(items_of)
def test_pairwise_agreement_is_never_below_the_share_of_equal_items(items):
    equal, total = all_equal(items)
    assert pairwise_agreement(items) >= equal / total - 1e-12


def test_the_interval_of_pairwise_agreement_is_students_over_items():
    shares = [pair_agreement(item) for item in BALANCED]
    assert pairwise_interval(BALANCED) == pytest.approx(t_interval_of(shares))


def test_where_every_item_agrees_the_exact_bound_of_the_share_stands_in():
    assert pairwise_interval([runs(3, 0)] * 50) == (clopper_pearson_lower(50, 50, 0.975), 1.0)


def test_the_interval_stays_within_0_and_1():
    low, high = pairwise_interval([runs(2, 0)] * 9 + [runs(1, 1)])
    assert 0 <= low < high == 1.0


@pytest.mark.parametrize("items", [[], [runs(2, 1)], [runs(2, 1)] * 8])
def test_without_spread_among_divided_items_there_is_no_interval(items):
    assert pairwise_interval(items) is None


def test_without_items_there_is_no_agreement():
    assert pairwise_agreement([]) is None
    assert all_equal([]) == (0, 0)
