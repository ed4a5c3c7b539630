"""TPR and TNR from labels drawn by verdict: the closed form, what plain counting would say, coverage, refusals."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy import quantile
from numpy.random import default_rng

from evalkit.stats.begg_greenes import begg_greenes
from evalkit.stats.results import Refused
from evalkit.stats.strata import Strata

BY_VERDICT = Strata(
    n=500, judge_pass=430, labelled_pass=50, human_pass_of_pass=48, labelled_fail=50, human_pass_of_fail=12
)


def test_the_rates_are_those_of_the_run_not_of_the_sample():
    found = begg_greenes(BY_VERDICT, seed=7)
    passes, fails = 430 * 48 / 50, 70 * 12 / 50
    assert found.tpr.estimate.value == pytest.approx(passes / (passes + fails))
    assert found.tnr.estimate.value == pytest.approx((70 - fails) / (70 - fails + 430 - passes))
    assert (48 / 60, 38 / 40) == (0.8, 0.95)
    assert [round(rate.estimate.value, 2) for rate in found[:2]] == [0.96, 0.76]


def test_the_bounds_are_quantiles_of_the_posterior():
    rng = default_rng(11)
    p, one, zero = (rng.beta(a, b, 400_000) for a, b in ((430.5, 70.5), (48.5, 2.5), (12.5, 38.5)))
    drawn_tpr = p * one / (p * one + (1 - p) * zero)
    drawn_tnr = (1 - p) * (1 - zero) / ((1 - p) * (1 - zero) + p * (1 - one))
    found = begg_greenes(BY_VERDICT, seed=7)
    for rate, drawn, error in ((found.tpr, drawn_tpr, 0.001), (found.tnr, drawn_tnr, 0.008)):
        expected = quantile(drawn, [0.025, 0.05, 0.95, 0.975])
        low, high = rate.estimate.interval
        assert (low, rate.lower, rate.upper, high) == pytest.approx(expected, abs=error)


def test_the_seed_repeats_the_bounds_and_is_recorded():
    assert begg_greenes(BY_VERDICT, seed=3, draws=500) == begg_greenes(BY_VERDICT, seed=3, draws=500)
    assert begg_greenes(BY_VERDICT, seed=3, draws=500) != begg_greenes(BY_VERDICT, seed=4, draws=500)
    assert begg_greenes(BY_VERDICT, seed=3, draws=500)[2:] == (3, 500)


@given(st.integers(0, 20), st.integers(0, 20), st.integers(0, 20), st.integers(0, 20))
def test_a_sample_in_proportion_gives_what_plain_counting_gives(a, b, c, d):
    n = a + b + c + d
    if n:
        found = begg_greenes(Strata(n, a + b, a + b, a, c + d, c), seed=1, draws=20)
        tpr, tnr = (rate if isinstance(rate, Refused) else rate.estimate.value for rate in found[:2])
        assert tpr == pytest.approx(a / (a + c)) if a + c else isinstance(tpr, Refused)
        assert tnr == pytest.approx(d / (b + d)) if b + d else isinstance(tnr, Refused)


@pytest.mark.unmeasured
def test_the_lower_bound_of_the_fail_rate_is_held_in_a_simulation():
    """True TPR .95 and TNR .75 at 88 % true passes, 30 labels of each verdict: at most some 5 % of bounds lie above the truth."""
    rng = Random("begg")
    passes = 0.88 * 0.95 + 0.12 * 0.25
    of_pass, of_fail = 0.88 * 0.95 / passes, 0.88 * 0.05 / (1 - passes)
    above_tpr = above_tnr = 0
    replicates = 2000
    for seed in range(replicates):
        k, right, wrong = (
            sum(rng.random() < p for _ in range(n)) for n, p in ((500, passes), (30, of_pass), (30, of_fail))
        )
        found = begg_greenes(Strata(500, k, 30, right, 30, wrong), seed, draws=200)
        above_tpr += found.tpr.lower > 0.95
        above_tnr += found.tnr.lower > 0.75
    assert above_tpr / replicates <= 0.07
    assert above_tnr / replicates <= 0.07


def test_a_rate_without_labels_of_its_class_is_unknown():
    found = begg_greenes(Strata(100, 60, 20, 20, 20, 20), seed=1, draws=50)
    assert found.tnr == Refused("TNR unknown: no human fail among the labels")
    assert found.tpr.estimate.value == pytest.approx(0.6)
    found = begg_greenes(Strata(100, 60, 20, 0, 20, 0), seed=1, draws=50)
    assert found.tpr == Refused("TPR unknown: no human pass among the labels")


def test_few_labels_of_a_class_are_said_and_a_stratum_without_labels_is_refused():
    assert begg_greenes(BY_VERDICT, seed=1, draws=50).tpr.estimate.insufficient is None
    few = begg_greenes(Strata(500, 430, 50, 48, 20, 5), seed=1, draws=50)
    assert few.tnr.estimate.insufficient == "17 human fail labels, 30 needed"
    assert isinstance(begg_greenes(Strata(500, 430, 50, 48, 0, 0), seed=1), Refused)


def test_a_judge_that_passed_everything_never_fails_a_human_fail():
    found = begg_greenes(Strata(100, 100, 40, 30, 0, 0), seed=1, draws=2000)
    assert (found.tpr.estimate.value, found.tnr.estimate.value) == (1, 0)
    assert found.tnr.upper < 0.2


def test_impossible_counts_and_no_draws_are_no_question():
    with pytest.raises(ValueError, match="larger than its whole"):
        begg_greenes(Strata(10, 11, 0, 0, 0, 0), seed=1)
    with pytest.raises(ValueError, match="draws"):
        begg_greenes(BY_VERDICT, seed=1, draws=0)
