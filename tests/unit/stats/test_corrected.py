"""Corrected pass rates: MOVER against scipy's quantiles, Rogan-Gladen against its formula, coverage by simulation, refusals."""

from __future__ import annotations

from math import hypot, sqrt
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import beta

from evalkit.stats.corrected import Share, post_stratified, rogan_gladen
from evalkit.stats.intervals import Z95
from evalkit.stats.results import Refused
from evalkit.stats.strata import Strata

REPLICATES = 2000


def limits(passed, n, level=0.95):
    low, high = beta.ppf([(1 - level) / 2, (1 + level) / 2], passed + 0.5, n - passed + 0.5)
    return passed / n, 0.0 if passed == 0 else low, 1.0 if passed == n else high


@pytest.mark.parametrize("level", [0.95, 0.9])
@pytest.mark.parametrize(
    "strata",
    [
        Strata(500, 400, 64, 60, 16, 6),
        Strata(500, 440, 50, 50, 30, 0),
        Strata(240, 212, 40, 38, 20, 5),
        Strata(500, 200, 40, 10, 40, 30),
    ],
    ids=["usual", "a judge without fault", "small run", "a judge that is wrong way round"],
)
def test_the_interval_is_mover_on_jeffreys_limits(strata, level):
    p, p_low, p_high = limits(strata.judge_pass, strata.n, level)
    one, one_low, one_high = limits(strata.human_pass_of_pass, strata.labelled_pass, level)
    zero, zero_low, zero_high = limits(strata.human_pass_of_fail, strata.labelled_fail, level)
    value = (1 - p) * zero + p * one
    down, up = (p - p_low, p_high - p) if one >= zero else (p_high - p, p - p_low)
    low = value - hypot((1 - p) * (zero - zero_low), p * (one - one_low), (one - zero) * down)
    high = value + hypot((1 - p) * (zero_high - zero), p * (one_high - one), (one - zero) * up)
    found = post_stratified(strata, level)
    assert (found.value, *found.interval) == pytest.approx((value, low, high))
    assert found.insufficient is None


strata_of = st.integers(1, 60).flatmap(
    lambda n: st.integers(0, n).flatmap(
        lambda k: st.tuples(st.integers(0, k), st.integers(0, n - k), st.floats(0, 1), st.floats(0, 1)).map(
            lambda t: Strata(n, k, t[0], round(t[0] * t[2]), t[1], round(t[1] * t[3]))
        )
    )
)


@given(strata_of)
@settings(max_examples=60)
def test_every_estimate_lies_in_an_interval_of_some_width_and_every_refusal_names_a_stratum(strata):
    found = post_stratified(strata)
    if isinstance(found, Refused):
        assert "is labelled; label" in found.reason
    else:
        low, high = found.interval
        assert 0 <= low <= found.value <= high <= 1
        assert low < high


def test_a_stratum_without_labels_is_refused_with_how_many_to_label():
    assert post_stratified(Strata(500, 430, 60, 58, 0, 0)) == Refused(
        "none of the 70 answers that the judge failed is labelled; label 10 of them"
    )
    assert post_stratified(Strata(10, 4, 0, 0, 0, 0)).reason.count("is labelled") == 2


def test_a_thin_stratum_is_shown_and_decides_nothing():
    assert post_stratified(Strata(500, 430, 60, 58, 9, 2)).insufficient == (
        "9 labels among the 70 answers that the judge failed, 10 needed"
    )
    assert post_stratified(Strata(500, 496, 60, 58, 4, 2)).insufficient is None


def test_a_verdict_that_was_never_given_leaves_the_other_stratum_and_its_doubt():
    found = post_stratified(Strata(200, 200, 50, 45, 0, 0))
    _, low, high = limits(45, 50)
    assert found.value == 0.9
    assert found.interval[0] < low
    assert found.interval[1] >= high
    mirrored = post_stratified(Strata(200, 0, 0, 0, 50, 5))
    assert (mirrored.value, *mirrored.interval) == pytest.approx((0.1, 1 - found.interval[1], 1 - found.interval[0]))


TRUTH, TPR, TNR, N = 0.88, 0.95, 0.75, 500
JUDGE_PASSES = TRUTH * TPR + (1 - TRUTH) * (1 - TNR)
HUMAN_PASS_OF_PASS = TRUTH * TPR / JUDGE_PASSES
HUMAN_PASS_OF_FAIL = TRUTH * (1 - TPR) / (1 - JUDGE_PASSES)


def drawn(rng, n, p):
    return sum(rng.random() < p for _ in range(n))


@pytest.mark.parametrize(("labels", "by_verdict"), [(50, False), (100, False), (50, True)])
def test_the_corrected_interval_covers_the_truth_in_a_simulation(labels, by_verdict):
    rng = Random(f"mover {labels} {by_verdict}")
    covered = width = counted = 0
    for _ in range(REPLICATES):
        judge_pass = drawn(rng, N, JUDGE_PASSES)
        of_pass = labels // 2 if by_verdict else drawn(rng, labels, judge_pass / N)
        right = drawn(rng, of_pass, HUMAN_PASS_OF_PASS)
        wrong = drawn(rng, labels - of_pass, HUMAN_PASS_OF_FAIL)
        found = post_stratified(Strata(N, judge_pass, of_pass, right, labels - of_pass, wrong))
        if not isinstance(found, Refused):
            counted += 1
            covered += found.interval[0] <= TRUTH <= found.interval[1]
            width += found.interval[1] - found.interval[0]
    assert counted > 0.98 * REPLICATES
    assert 0.935 <= covered / counted <= 0.985
    assert width / counted < (0.17 if labels == 50 else 0.11)


def lang_reiczigel(judge, right_pass, right_fail):
    """The interval as its authors write it, with the enlarged counts first."""
    (k, n), (tp, m1), (tn, m0) = judge, right_pass, right_fail
    p, q1, q0 = (k + Z95**2 / 2) / (n + Z95**2), (tp + 1) / (m1 + 2), (tn + 1) / (m0 + 2)
    n, m1, m0 = n + Z95**2, m1 + 2, m0 + 2
    theta = (p + q0 - 1) / (q1 + q0 - 1)
    shift = 2 * Z95**2 * (-(1 - theta) * q0 * (1 - q0) / m0 + theta * q1 * (1 - q1) / m1)
    error = sqrt(p * (1 - p) / n + (1 - theta) ** 2 * q0 * (1 - q0) / m0 + theta**2 * q1 * (1 - q1) / m1) / (
        q1 + q0 - 1
    )
    return max(0.0, theta + shift - Z95 * error), min(1.0, theta + shift + Z95 * error)


@pytest.mark.parametrize(
    "counts",
    [((400, 500), (133, 140), (45, 60)), ((400, 1000), (180, 200), (140, 200)), ((30, 40), (38, 40), (36, 40))],
)
def test_transported_labels_give_rogan_and_gladens_rate_and_lang_and_reiczigels_interval(counts):
    judge, right_pass, right_fail = counts
    p, tpr, tnr = (part / whole for part, whole in counts)
    found = rogan_gladen(*(Share(*pair) for pair in counts))
    assert found.value == pytest.approx((p + tnr - 1) / (tpr + tnr - 1))
    assert found.interval == pytest.approx(lang_reiczigel(judge, right_pass, right_fail))
    assert found.insufficient is None


def test_the_readmes_example_of_lee_and_others():
    found = rogan_gladen(Share(400, 1000), Share(180, 200), Share(140, 200))
    assert (found.value, *found.interval) == pytest.approx((0.1667, 0.0564, 0.2627), abs=1e-4)


def test_a_rate_beyond_the_end_is_cut_to_it():
    found = rogan_gladen(Share(92, 100), Share(90, 100), Share(80, 100))
    assert found.value == 1
    assert found.interval[0] < 1 == found.interval[1]


shares = st.integers(1, 60).flatmap(lambda n: st.builds(Share, st.integers(0, n), st.just(n)))


@given(shares, shares, shares)
def test_no_interval_leaves_its_rate_out_or_is_a_point(judge, right_pass, right_fail):
    found = rogan_gladen(judge, right_pass, right_fail)
    if not isinstance(found, Refused):
        low, high = found.interval
        assert 0 <= low <= found.value <= high <= 1
        assert low < high


@pytest.mark.parametrize(
    ("judge", "right_pass", "right_fail", "words"),
    [
        (Share(40, 50), Share(80, 100), Share(20, 100), "no better than chance"),
        (Share(40, 50), Share(1, 1), Share(0, 1), "no better than chance"),
        (Share(40, 50), Share(80, 100), Share(0, 0), "TNR unknown"),
        (Share(40, 50), Share(0, 0), Share(80, 100), "TPR unknown"),
        (Share(0, 0), Share(80, 100), Share(80, 100), "no judged answers"),
        (Share(99, 100), Share(90, 100), Share(80, 100), "do not hold here"),
        (Share(10, 1000), Share(90, 100), Share(80, 100), "do not hold here"),
    ],
)
def test_what_cannot_be_corrected_is_refused(judge, right_pass, right_fail, words):
    assert words in rogan_gladen(judge, right_pass, right_fail).reason


def test_thirty_labels_of_each_class_are_needed():
    found = rogan_gladen(Share(40, 50), Share(28, 30), Share(12, 13))
    assert found.insufficient == "30 human pass and 13 human fail labels, 30 of each needed"


def test_parts_larger_than_their_whole_are_no_counts():
    with pytest.raises(ValueError, match="right fails"):
        rogan_gladen(Share(40, 50), Share(28, 30), Share(14, 13))
