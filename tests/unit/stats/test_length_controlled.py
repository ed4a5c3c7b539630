"""Length control: the fit against scipy's optimiser, a confounded judge put right, everything that has no finite answer refused."""

from __future__ import annotations

from math import exp, sqrt, tanh
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.special import expit

from evalkit.stats.intervals import Z95, wilson
from evalkit.stats.length_controlled import Decided, length_controlled
from evalkit.stats.results import Refused


def sample(n, b0, b1, seed, shift=0.0):
    """Pairs whose outcome follows the model, lengths normal around `shift` with an SD of 100."""
    rng = Random(seed)
    pairs = []
    for _ in range(n):
        difference = rng.gauss(shift, 100)
        pairs.append(Decided(rng.random() < 1 / (1 + exp(-b0 - b1 * tanh(difference / 100))), difference))
    return pairs


def by_scipy(pairs):
    differences = np.array([pair.difference for pair in pairs])
    x = np.tanh(differences / differences.std(ddof=1))
    sign = np.array([1.0 if pair.won else -1.0 for pair in pairs])

    def surprise(b):
        return np.logaddexp(0, -sign * (b[0] + b[1] * x)).sum()

    def slope(b):
        pull = -sign * expit(-sign * (b[0] + b[1] * x))
        return np.array([pull.sum(), (pull * x).sum()])

    b = minimize(surprise, [0.0, 0.0], jac=slope, method="BFGS", options={"gtol": 1e-9}).x
    p = expit(b[0] + b[1] * x)
    design = np.column_stack([np.ones_like(x), x])
    error = sqrt(np.linalg.inv(design.T @ (design * (p * (1 - p))[:, None]))[0, 0])
    return b, error


@pytest.mark.parametrize("seed", range(5))
def test_rate_and_interval_are_those_of_the_logistic_regression(seed):
    pairs = sample(120, 0.4, 1.2, f"fit {seed}")
    (b0, b1), error = by_scipy(pairs)
    found = length_controlled(pairs, padding_measured=True)
    wins = sum(pair.won for pair in pairs)
    assert (found.raw.value, found.raw.interval) == (wins / 120, wilson(wins, 120))
    assert found.slope == pytest.approx(b1, abs=1e-5)
    assert found.controlled.value == pytest.approx(expit(b0), abs=1e-6)
    assert found.controlled.interval == pytest.approx((expit(b0 - Z95 * error), expit(b0 + Z95 * error)), abs=1e-5)
    assert found.controlled.insufficient is None


def test_it_sees_through_a_judge_that_only_prefers_the_longer_answer():
    pairs = sample(4000, 0.0, 2.0, "longer", shift=30)
    found = length_controlled(pairs, padding_measured=True)
    assert found.raw.interval[0] > 0.54
    assert found.controlled.interval[0] < 0.5 < found.controlled.interval[1]


def test_a_shift_of_more_than_ten_points_is_withheld_until_padding_is_measured():
    pairs = sample(400, -0.2, 2.5, "shift", shift=60)
    found = length_controlled(pairs, padding_measured=False)
    assert "measure padding first" in found.controlled.reason
    assert found.raw.interval is not None
    assert found.slope > 1
    measured = length_controlled(pairs, padding_measured=True)
    assert abs(measured.controlled.value - measured.raw.value) > 0.1


SEPARATED = [Decided(won, 10.0 * k) for k, won in ((-3, False), (-2, False), (1, False), (1, True), (2, True))]


@pytest.mark.parametrize(
    ("pairs", "words"),
    [
        (SEPARATED, "separates"),
        ([Decided(not pair.won, pair.difference) for pair in SEPARATED], "separates"),
        ([Decided(True, value) for value in (-5.0, 3.0, 8.0)], "separates"),
        ([Decided(value > 4, 7.0) for value in range(9)], "do not vary"),
        ([Decided(False, 0.0), Decided(True, 9e-195)], "do not vary"),
        ([Decided(False, -1e200), Decided(True, 1e200)], "do not vary"),
        ([Decided(value > 4, 1e9 + value) for value in range(9)], "do not vary"),
        (
            [Decided(value % 2 == 0, 10.0 + value) for value in range(9)],
            "the first one's answer is the longer in every decided pair",
        ),
        (
            [Decided(value % 2 == 0, -10.0 - value) for value in range(9)],
            "the first one's answer is the shorter in every decided pair",
        ),
    ],
)
def test_what_has_no_finite_answer_inside_the_data_is_refused_and_the_raw_rate_stays(pairs, words):
    found = length_controlled(pairs, padding_measured=True)
    assert words in found.controlled.reason
    assert found.slope is None
    assert found.raw.value == sum(pair.won for pair in pairs) / len(pairs)


def test_a_fit_too_far_out_to_be_told_from_infinity_is_refused():
    apart = [Decided(value > 0, float(value)) for value in range(-19, 20) if value]
    overlap = [Decided(True, -1e-14), Decided(False, 1e-14)]
    assert "all but does" in length_controlled(apart + overlap, padding_measured=True).controlled.reason
    overlap = [Decided(True, -1.5), Decided(False, 1.5)]
    assert length_controlled(apart + overlap, padding_measured=True).slope > 1


@given(st.lists(st.builds(Decided, st.booleans(), st.floats(-1e6, 1e6)), min_size=1, max_size=30))
def test_every_answer_is_a_refusal_or_a_rate_within_its_interval(pairs):
    found = length_controlled(pairs, padding_measured=True)
    if not isinstance(found.controlled, Refused):
        low, high = found.controlled.interval
        assert 0 <= low <= found.controlled.value <= high <= 1
        assert found.controlled.insufficient == f"{len(pairs)} decided pairs, 100 needed"


def test_no_pairs_are_refused():
    assert length_controlled([], padding_measured=True) == Refused("no decided pairs")


def test_the_interval_covers_the_truth_in_a_simulation():
    truth, covered, counted = 1 / (1 + exp(-0.3)), 0, 0
    for seed in range(1000):
        found = length_controlled(sample(100, 0.3, 1.0, f"cover {seed}"), padding_measured=True)
        if not isinstance(found.controlled, Refused):
            counted += 1
            covered += found.controlled.interval[0] <= truth <= found.controlled.interval[1]
    assert counted > 995
    assert covered / counted >= 0.935
