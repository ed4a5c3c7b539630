"""Counts per item: ratio and variance split against their definitions, coverage, and what is refused."""

from __future__ import annotations

from math import sqrt
from random import Random

import numpy as np
import pytest

from evalkit.stats.rerun_counts import Pair, ratio_of_means, variance_split
from evalkit.stats.results import Refused


def poisson_items(items, runs, first, second, seed):
    """Counts of items whose own rates differ (gamma with mean 1), both candidates on the same item."""
    rng = np.random.default_rng(seed)
    own = rng.gamma(4, 0.25, items)
    counts = rng.poisson(np.outer((first, second), own)[:, :, None], (2, items, runs)).tolist()
    return [Pair(*pair) for pair in zip(*counts, strict=True)]


def test_the_ratio_is_that_of_the_means_over_items():
    items = [Pair([4, 6], [1, 1])] * 10 + [Pair([0, 2], [2])] * 10
    found = ratio_of_means(items, seed=1)
    assert found.value == pytest.approx((5 + 1) / (1 + 2))
    assert found.interval[0] < 2 < found.interval[1]
    assert found.insufficient == "1 run of an item, 2 needed"


def test_the_interval_is_the_percentile_interval_over_items():
    items = poisson_items(40, 2, 6, 2, 3)
    means = np.array([(np.mean(pair.first), np.mean(pair.second)) for pair in items])
    rng = np.random.default_rng(1)
    drawn = means[rng.integers(0, 40, (40_000, 40))].sum(axis=1)
    expected = np.quantile(drawn[:, 0] / drawn[:, 1], [0.025, 0.975])
    assert ratio_of_means(items, seed=5, replicates=20_000).interval == pytest.approx(expected, rel=0.02)


def test_the_seed_repeats_the_interval():
    items = poisson_items(30, 2, 6, 2, 3)
    assert ratio_of_means(items, seed=5) == ratio_of_means(items, seed=5)
    assert ratio_of_means(items, seed=5).interval != ratio_of_means(items, seed=6).interval


def test_the_interval_covers_the_truth_in_a_simulation():
    covered = 0
    for seed in range(1000):
        low, high = ratio_of_means(poisson_items(30, 2, 6, 2, seed), seed, replicates=100).interval
        covered += low <= 3 <= high
    assert covered / 1000 >= 0.91


@pytest.mark.parametrize(
    ("items", "words"),
    [
        ([], "no items"),
        ([Pair([3], [0])] * 20, "is 0: no ratio"),
        ([Pair([3], [0])] * 19 + [Pair([3], [1])], "is unbounded"),
    ],
)
def test_a_ratio_that_the_data_do_not_bound_is_refused(items, words):
    assert words in ratio_of_means(items, seed=1).reason


def test_a_few_resamples_without_a_denominator_are_left_out():
    items = [Pair([3, 3], [0, 0])] * 16 + [Pair([3, 3], [1, 0])] * 5
    assert not isinstance(ratio_of_means(items, seed=1), Refused)


def test_equal_items_have_no_interval():
    found = ratio_of_means([Pair([0.3, 0.1], [0.1, 0.1])] * 25, seed=1)
    assert (found.value, found.interval, found.insufficient) == (pytest.approx(2), None, None)


def test_the_split_is_the_one_way_analysis_of_variance():
    items = [[3, 5], [10, 8], [1, 0, 2], [6, 6]]
    values = np.concatenate([np.array(runs, float) for runs in items])
    within = sum(((np.array(runs) - np.mean(runs)) ** 2).sum() for runs in items) / (9 - 4)
    between = sum(len(runs) * (np.mean(runs) - values.mean()) ** 2 for runs in items) / 3
    found = variance_split(items)
    assert found.rerun == pytest.approx(within)
    assert found.item == pytest.approx((between - within) / ((9 - (4 + 4 + 9 + 4) / 9) / 3))
    assert found.insufficient == "4 items, 20 needed"
    assert found.standard_error(10, 3) == pytest.approx(sqrt(found.item / 10 + found.rerun / 30))


def test_the_split_finds_the_variances_that_made_the_data():
    rng = Random("split")
    items = []
    for _ in range(3000):
        own = rng.gauss(10, 2)
        items.append([rng.gauss(own, 1.5) for _ in range(3)])
    found = variance_split(items)
    assert (found.item, found.rerun) == pytest.approx((4, 2.25), rel=0.08)
    assert found.insufficient is None


def test_reruns_that_vary_more_than_items_leave_no_variance_to_items():
    assert variance_split([[0, 10], [10, 0], [5, 5]]).item == 0


def test_runs_that_were_not_repeated_cannot_be_split():
    assert isinstance(variance_split([[1], [2], [3]]), Refused)
    assert isinstance(variance_split([[1, 2]]), Refused)
    assert variance_split([[1, 2], [3]]).insufficient == "2 items, 20 needed"


@pytest.mark.parametrize(
    "call",
    [
        lambda: ratio_of_means([Pair([], [1])], seed=1),
        lambda: ratio_of_means([Pair([-1], [1])], seed=1),
        lambda: ratio_of_means([], seed=1, replicates=0),
        lambda: variance_split([[1, 2], []]),
    ],
)
def test_what_are_no_counts_is_refused(call):
    with pytest.raises(ValueError, match=r"item|replicates"):
        call()
