"""Rows: the invariants over any results, the edges, and what a row says about itself."""

from __future__ import annotations

import json
from math import inf, nan

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from evalkit.aggregation.rows import RowFold, RowKey
from evalkit.records.scores import NO_OUTPUT, Score, Unscored
from evalkit.stats.clusters import ClusterSum, clustered_t_interval, clustered_wilson
from evalkit.stats.means import t_interval_of

REASONS = ["not_applicable", "no_expectation", "judge_error:parse", "missing_output", "unstable", "odd"]


def key(estimate="rate", kind="deterministic", within=None):
    return RowKey(
        capability="refunds",
        scorer="exact_match",
        criterion="exact_match",
        mode="code",
        kind=kind,
        estimate=estimate,
        within=within,
        signature={"version": "1"},
    )


def row(results, *, estimate="rate", kind="deterministic", clusters=None):
    fold = RowFold(key(estimate, kind))
    for index, result in enumerate(results):
        fold.add(result, clusters[index] if clusters else None)
    return fold.row()


def verdicts(passed, failed):
    return [Score(1.0, True)] * passed + [Score(0.0, False)] * failed


def values(*numbers):
    return [Score(number, None) for number in numbers]


odd_values = st.one_of(st.floats(), st.floats(0, 1), st.just(1e200), st.just(-inf))
scores = st.tuples(odd_values, st.sampled_from([True, False, None])).map(lambda pair: Score(*pair))
results = st.one_of(
    scores,
    st.sampled_from(verdicts(1, 1)),
    st.sampled_from([Unscored(reason) for reason in REASONS]),
    st.just(NO_OUTPUT),
)
cases = st.lists(st.tuples(results, st.sampled_from([None, "a", "b", "c"])), max_size=40)


@given(cases, st.sampled_from(["rate", "mean"]), st.sampled_from(["deterministic", "judge", "policy"]))
def test_every_row_keeps_the_invariants(given_cases, estimate, kind):
    found = row([r for r, _ in given_cases], estimate=estimate, kind=kind, clusters=[c for _, c in given_cases])
    assert found.n + sum(found.excluded.values()) == found.total == len(given_cases)
    assert all(count > 0 for count in found.excluded.values())
    assert found.passed is None or 0 <= found.passed <= found.n
    assert (found.value is None) == (found.n == 0)
    for interval in (found.interval, found.interval_clustered, found.bounds):
        assert interval is None or interval[0] <= interval[1]
        if interval and found.value is not None:
            slack = 1e-9 * max(1.0, abs(found.value))
            assert interval[0] - slack <= found.value <= interval[1] + slack
    if estimate == "rate" and found.n:
        assert found.value == found.passed / found.n
        assert found.interval[0] <= found.value <= found.interval[1]
        assert found.interval[0] < found.interval[1]
    json.loads(found.model_dump_json(), parse_constant=lambda token: pytest.fail(f"{token} in the report"))


def test_a_rate_stands_with_its_wilson_interval():
    found = row(verdicts(45, 5))
    expected = binomtest(45, 50).proportion_ci(method="wilson")
    assert (found.n, found.passed, found.value) == (50, 45, 0.9)
    assert found.interval == pytest.approx((expected.low, expected.high))
    assert (found.insufficient, found.note, found.reading, found.trust) == (False, "", "", None)


def test_failed_measurements_never_leave_the_total():
    """Nine judge errors and one pass are 1 of 1 with nine excluded, and the bounds say how little that is."""
    found = row([*verdicts(1, 0), *[Unscored("judge_error:schema")] * 9])
    assert (found.n, found.excluded, found.total) == (1, {"judge_error:schema": 9}, 10)
    assert found.bounds == (0.1, 1.0)
    assert found.insufficient


def test_both_denominators_can_be_read_from_a_row():
    found = row([*verdicts(2, 4), *[Unscored("scorer_error")] * 2])
    assert (found.passed / found.n, found.passed / found.total) == (2 / 6, 2 / 8)


def test_what_asks_nothing_does_not_widen_the_bounds():
    found = row([*verdicts(3, 1), Unscored("not_applicable"), Unscored("no_expectation"), Unscored("null_text")])
    assert found.bounds == (3 / 5, 4 / 5)
    assert row([*verdicts(3, 1), Unscored("not_applicable")]).bounds is None


def test_a_row_without_a_score_has_no_value_and_says_so():
    found = row([Unscored("missing_output")] * 3)
    assert (found.value, found.interval, found.bounds, found.note) == (None, None, (0, 1), "no data")
    assert found.insufficient
    assert row([]).note == "no data"
    assert row([], estimate="mean").value is None


@pytest.mark.parametrize("value", [nan, inf, -inf, 1e300])
@pytest.mark.parametrize("estimate", ["rate", "mean"])
def test_a_value_that_is_no_finite_number_is_a_scorer_error_and_never_in_the_estimate(value, estimate):
    found = row([Score(0.9, True), Score(value, True), Score(0.7, True)], estimate=estimate)
    assert (found.n, found.excluded) == (2, {"scorer_error": 1})
    assert found.value == pytest.approx(1.0 if estimate == "rate" else 0.8)


def test_a_rate_without_a_pass_or_fail_is_a_scorer_error():
    assert row([Score(1.0, None)]).excluded == {"scorer_error": 1}


def test_no_passes_and_no_fails_leave_something_open():
    assert row(verdicts(0, 20)).note == "none of 20 passed: the pass rate is at most 13.9 % (one-sided 95 %)"
    assert row(verdicts(20, 0)).note == "all of 20 passed: the fail rate is at most 13.9 % (one-sided 95 %)"


@pytest.mark.parametrize(("estimate", "enough"), [("rate", 30), ("mean", 20)])
def test_too_few_cases_are_marked(estimate, enough):
    few = row([*verdicts(1, enough - 2)], estimate=estimate)
    assert few.insufficient
    assert few.reading == f"n = {enough - 1}: too few cases to be read as a {estimate} ({enough} are needed)"
    assert not row([*verdicts(1, enough - 1)], estimate=estimate).insufficient


def test_a_judges_row_is_provisional_and_says_what_it_may_not_be_used_for():
    found = row(verdicts(30, 5), kind="judge")
    assert found.trust == "provisional"
    assert found.reading == "provisional: not calibrated against human labels; may not gate"


def test_a_mean_stands_with_a_t_interval():
    numbers = [0.2, 0.4, 0.9, 1.0, 0.55]
    found = row(values(*numbers), estimate="mean")
    assert found.value == pytest.approx(sum(numbers) / 5)
    assert found.interval == pytest.approx(t_interval_of(numbers))
    assert (found.passed, found.bounds) == (None, None)


def test_equal_values_have_exactly_their_value_and_no_interval():
    found = row(values(*[0.1] * 30), estimate="mean")
    assert (found.value, found.interval) == (0.1, None)
    assert found.note == "SD = 0: all 30 values are equal, no interval"
    assert row(values(0.4), estimate="mean").note == "one value: no interval"


def test_a_mean_with_a_pass_rule_counts_its_passes():
    assert row([Score(0.9, True), Score(0.2, False), NO_OUTPUT], estimate="mean").passed == 1
    assert row([Score(0.9, None), NO_OUTPUT], estimate="mean").passed is None


def test_clusters_have_an_interval_of_their_own():
    results = verdicts(40, 20)
    clusters = [f"document {index // 4}" for index in range(60)]
    found = row(results, clusters=clusters)
    expected = clustered_wilson([ClusterSum(4, 4)] * 10 + [ClusterSum(4, 0)] * 5)
    assert found.clusters == 15
    assert found.interval_clustered == pytest.approx((expected.low, expected.high))
    assert found.interval_clustered[0] < found.interval[0]
    assert found.note == "15 clusters, fewer than 30: the clustered interval is approximate"


def test_cases_without_a_cluster_stand_beside_those_with_one():
    found = row(verdicts(6, 2), clusters=["a", "a", "a", None, None, "b", "b", None])
    sums = [ClusterSum(3, 3), ClusterSum(1, 1), ClusterSum(1, 1), ClusterSum(2, 1), ClusterSum(1, 0)]
    expected = clustered_wilson(sums)
    assert found.clusters == 5
    assert found.interval_clustered == pytest.approx((expected.low, expected.high))


def test_a_mean_over_clusters_is_independent_of_the_first_value():
    numbers = [1000.5, 1000.0, 1002.0, 1001.0, 1004.0, 1003.5]
    found = row(values(*numbers), estimate="mean", clusters=["a", "a", "b", "b", None, "c"])
    sums = [ClusterSum(2, 2000.5), ClusterSum(2, 2003.0), ClusterSum(1, 1004.0), ClusterSum(1, 1003.5)]
    assert found.interval_clustered == pytest.approx(clustered_t_interval(sums))


def test_few_clusters_are_noted_and_one_is_refused():
    few = row(verdicts(4, 4), clusters=["a", "b"] * 4)
    assert few.note == "2 clusters, fewer than 10: the clustered interval is not to be relied on"
    many = row(verdicts(20, 10), clusters=[f"document {index}" for index in range(30)])
    assert many.note == ""
    one = row(verdicts(4, 4), clusters=["a"] * 8)
    assert (one.interval_clustered, one.clusters) == (None, 1)
    assert one.note == "all cases stand in one cluster: no clustered interval"


def test_clusters_of_excluded_cases_do_not_count():
    found = row([*verdicts(1, 1), Unscored("missing_output")], clusters=["a", "b", "c"])
    assert found.clusters == 2


def test_clusters_that_share_a_mean_have_no_interval():
    found = row(values(0.1, 0.3, 0.3, 0.1), estimate="mean", clusters=["a", "a", "b", "b"])
    assert found.interval_clustered is None
    assert "same mean" in found.note


def test_exclusions_stand_in_the_order_of_their_names():
    found = row([Unscored("unstable"), Unscored("missing_output"), Unscored("unstable")])
    assert list(found.excluded.items()) == [("missing_output", 1), ("unstable", 2)]


def test_the_interval_of_a_mean_stays_within_the_range_that_the_measure_cannot_leave():
    def interval(within):
        fold = RowFold(key(estimate="mean", within=within))
        for value in (0.2, 1.0, 1.0, 1.0):
            fold.add(Score(value, passed=None), "one" if value < 1 else "other")
        return fold.row()

    free, cut = interval(None), interval((0.0, 1.0))
    assert free.interval[1] > 1.0
    assert cut.interval == (free.interval[0], 1.0)
    assert cut.interval_clustered == (0.0, 1.0)
    assert cut.value == free.value
