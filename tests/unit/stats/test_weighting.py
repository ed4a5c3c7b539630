"""Weighted rates: equal chances give the plain rate, a flip queue does not pull, coverage by simulation."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalkit.stats.intervals import wilson
from evalkit.stats.results import Refused
from evalkit.stats.weighting import Drawn, weighted_rate

answers_of = st.lists(st.builds(Drawn, st.booleans(), st.sampled_from([0.05, 0.1, 0.5, 1.0])), min_size=2, max_size=40)


@given(answers_of)
def test_the_rate_is_the_weighted_share_within_an_interval_of_some_width(answers):
    found = weighted_rate(answers)
    total = sum(1 / answer.chance for answer in answers)
    assert found.estimate.value == pytest.approx(sum(answer.passed / answer.chance for answer in answers) / total)
    low, high = found.estimate.interval
    assert 0 <= low <= found.estimate.value + 1e-12
    assert found.estimate.value - 1e-12 <= high <= 1
    assert low < high
    assert found.n_eff <= found.n == len(answers)


@given(st.integers(0, 30), st.integers(1, 30), st.sampled_from([0.1, 1.0]))
def test_equal_chances_give_the_plain_rate_on_about_as_many_answers(passed, failed, chance):
    answers = [Drawn(True, chance)] * passed + [Drawn(False, chance)] * failed
    if len(answers) > 1:
        found = weighted_rate(answers)
        assert found.estimate.value == pytest.approx(passed / (passed + failed))
        assert found.n - 1 - 1e-9 <= found.n_eff <= found.n + 1e-9


@pytest.mark.parametrize("passed", [True, False])
def test_where_all_agree_unequal_chances_still_cost_precision(passed):
    answers = [Drawn(passed, 1.0)] * 20 + [Drawn(passed, 0.1)] * 20
    found = weighted_rate(answers)
    assert found.n_eff == pytest.approx(220**2 / (20 + 2000))
    width = found.estimate.interval[1] - found.estimate.interval[0]
    low, high = wilson(40 * passed, 40)
    assert width > high - low
    assert found.estimate.insufficient == "23.9604 effective answers, 30 needed"


def test_a_queue_of_flips_does_not_pull_the_rate_and_the_interval_covers_the_truth():
    """9 % of answers flip and pass in half of the cases, the others in 95 %; all flips and a tenth of the rest are labelled."""
    rng, truth = Random("flips"), 0.09 * 0.5 + 0.91 * 0.95
    covered = plain = weighted = 0.0
    for _ in range(2000):
        answers = []
        for _ in range(500):
            flips = rng.random() < 0.09
            passed = rng.random() < (0.5 if flips else 0.95)
            if flips or rng.random() < 0.1:
                answers.append(Drawn(passed, 1.0 if flips else 0.1))
        found = weighted_rate(answers).estimate
        covered += found.interval[0] <= truth <= found.interval[1]
        plain += sum(answer.passed for answer in answers) / len(answers) / 2000
        weighted += found.value / 2000
    assert covered / 2000 >= 0.94
    assert weighted == pytest.approx(truth, abs=0.004)
    assert plain < truth - 0.15


def test_one_answer_is_no_sample_and_a_chance_of_nothing_no_weight():
    assert isinstance(weighted_rate([Drawn(True, 0.5)]), Refused)
    assert isinstance(weighted_rate([]), Refused)
    with pytest.raises(ValueError, match="chance"):
        weighted_rate([Drawn(True, 0.0), Drawn(True, 1.0)])
