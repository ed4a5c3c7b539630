"""Clusters: the definition worked out in the test, the edges, and a simulation with correlated cases."""

from __future__ import annotations

from math import sqrt
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats as reference

from evalkit.stats.clusters import ClusterSum, Singles, clustered_t_interval, clustered_wilson
from evalkit.stats.intervals import wilson

REPLICATES = 2000

groups_of_verdicts = st.lists(st.lists(st.booleans(), min_size=1, max_size=6), min_size=2, max_size=12)


def sums(groups):
    return [ClusterSum(len(group), sum(group)) for group in groups]


def cr1(groups):
    """The formula of the design, over cases instead of sums."""
    values = [x for group in groups for x in group]
    n, count = len(values), len(groups)
    mean = sum(values) / n
    return count / (count - 1) * sum(sum(x - mean for x in group) ** 2 for group in groups) / n**2


@given(groups_of_verdicts)
def test_the_rate_interval_is_wilson_on_the_effective_sample_size(groups):
    values = [x for group in groups for x in group]
    n, passed, count = len(values), sum(values), len(groups)
    p = passed / n
    deff = max(1.0, cr1(groups) / (p * (1 - p) / n)) if 0 < passed < n else n / count
    found = clustered_wilson(sums(groups))
    assert (found.clusters, found.deff, found.n_eff) == (count, pytest.approx(deff), pytest.approx(n / deff))
    expected = wilson(p * n / deff, n / deff, reference.t.ppf(0.975, count - 1))
    assert (found.low, found.high) == pytest.approx(expected, abs=1e-7)
    assert found.low <= p <= found.high


@given(groups_of_verdicts)
def test_cases_without_a_cluster_count_as_clusters_of_one(groups):
    alone = [group for group in groups if len(group) == 1]
    shared = [group for group in groups if len(group) > 1]
    passed = float(sum(x for group in alone for x in group))
    singles = Singles(len(alone), passed, passed)
    assert clustered_wilson(sums(shared), singles) == pytest.approx(clustered_wilson(sums(groups)))


def test_one_cluster_is_refused():
    assert clustered_wilson([ClusterSum(40, 30)]) is None
    assert clustered_wilson([]) is None
    assert clustered_t_interval([ClusterSum(40, 30)]) is None


@pytest.mark.parametrize("passed", [0, 5])
def test_when_all_cases_agree_each_cluster_counts_once(passed):
    found = clustered_wilson([ClusterSum(5, passed)] * 8)
    assert (found.deff, found.n_eff) == (5, 8)
    assert found.high - found.low > wilson(8 * passed, 40)[1] - wilson(8 * passed, 40)[0]


def test_clusters_that_hold_opposite_verdicts_never_count_as_more_than_their_cases():
    assert clustered_wilson([ClusterSum(2, 1)] * 20).deff == 1


@given(st.lists(st.lists(st.integers(0, 64), min_size=1, max_size=5), min_size=3, max_size=10))
def test_the_mean_interval_is_t_times_the_cluster_robust_error(groups):
    groups = [*groups, [0, 0], [64, 64, 64]]
    values = [x for group in groups for x in group]
    half = reference.t.ppf(0.975, len(groups) - 1) * sqrt(cr1(groups))
    mean = sum(values) / len(values)
    found = clustered_t_interval(sums(groups))
    if found is not None:
        assert found == pytest.approx((mean - half, mean + half), rel=1e-7, abs=1e-9)
    else:
        assert cr1(groups) == pytest.approx(0, abs=1e-20)


def test_clusters_with_one_mean_have_no_interval():
    assert clustered_t_interval([ClusterSum(2, 0.4), ClusterSum(2, 0.1 + 0.3), ClusterSum(1, 0.2)]) is None


def coverage(p, count, icc, size=10):
    """Share of simulated samples whose interval holds p; verdicts of a cluster are beta-binomial with correlation icc."""
    chances = reference.binom.pmf(range(size + 1), size, p)
    if icc:
        spread = (1 - icc) / icc
        chances = reference.betabinom.pmf(range(size + 1), size, p * spread, (1 - p) * spread)
    draws = Random(f"clusters {p} {count} {icc}").choices(range(size + 1), chances.tolist(), k=REPLICATES * count)
    covered = 0
    for start in range(0, len(draws), count):
        found = clustered_wilson([ClusterSum(size, passed) for passed in draws[start : start + count]])
        covered += found.low <= p <= found.high
    return covered / REPLICATES


@pytest.mark.parametrize("count", [10, 20, 50])
@pytest.mark.parametrize("p", [0.8, 0.9])
@pytest.mark.parametrize("icc", [0.0, 0.3])
def test_the_rate_interval_covers_the_truth_in_a_simulation(p, count, icc):
    assert coverage(p, count, icc) >= 0.91


@pytest.mark.parametrize(("p", "count"), [(0.95, 20), (0.97, 30)])
def test_close_to_a_pass_rate_of_one_the_coverage_dips_no_further_than_is_documented(p, count):
    assert 0.89 <= coverage(p, count, 0.3) <= 0.93
