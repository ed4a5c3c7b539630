"""Reliability: bins and scores by their definitions, and that honest probabilities are not blamed."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evalkit.stats.intervals import wilson
from evalkit.stats.means import t_interval_of
from evalkit.stats.reliability import Forecast, reliability
from evalkit.stats.results import Refused


def forecasts(n, seed, truth=lambda p: p):
    rng = Random(seed)
    drawn = [rng.random() for _ in range(n)]
    return [Forecast(p, rng.random() < truth(p)) for p in drawn]


@given(st.lists(st.builds(Forecast, st.floats(0, 1), st.booleans()), min_size=1, max_size=40), st.integers(1, 12))
@settings(max_examples=40)
def test_the_error_is_the_weighted_gap_of_the_bins_and_brier_the_mean_square(made, bins):
    found = reliability(made, seed=1, bins=bins)
    n = len(made)
    stated, happened = np.array([f.probability for f in made]), np.array([f.happened for f in made], float)
    places = np.minimum((stated * bins).astype(int), bins - 1)
    gaps = [abs(stated[places == b].mean() - happened[places == b].mean()) * (places == b).sum() for b in set(places)]
    assert found.error == pytest.approx(sum(gaps) / n)
    assert found.brier.value == pytest.approx(((stated - happened) ** 2).mean())
    assert sum(entry.n for entry in found.bins) == n
    assert all(entry.low - 1e-12 <= entry.stated <= entry.high + 1e-12 for entry in found.bins)


def test_a_bin_shows_what_was_stated_and_what_happened():
    made = [Forecast(0.82, True)] * 8 + [Forecast(0.88, False)] * 4 + [Forecast(1.0, True)] * 3
    eighty, last = reliability(made, seed=1).bins
    assert (eighty.low, eighty.high, eighty.n) == (0.8, 0.9, 12)
    assert eighty.stated == pytest.approx((8 * 0.82 + 4 * 0.88) / 12)
    assert (eighty.observed.value, eighty.observed.interval) == (8 / 12, wilson(8, 12))
    assert (last.low, last.high, last.n, last.observed.insufficient) == (
        0.9,
        1.0,
        3,
        "3 forecasts in the bin, 10 needed",
    )


def test_honest_probabilities_are_within_what_honesty_gives_and_overconfident_ones_are_not():
    honest = reliability(forecasts(400, "honest"), seed=1)
    low, high = honest.honest_error
    assert 0 < low <= honest.error <= high
    assert honest.skill > 0.2
    bold = reliability(forecasts(400, "bold", truth=lambda p: 0.25 + 0.5 * p), seed=1)
    assert bold.error > bold.honest_error[1]


def test_brier_has_a_t_interval_over_forecasts():
    made = forecasts(200, "brier")
    squares = [(f.probability - f.happened) ** 2 for f in made]
    found = reliability(made, seed=1)
    assert found.brier.interval == pytest.approx(t_interval_of(squares))
    assert found.insufficient is None


def test_always_the_base_rate_has_no_skill_and_one_outcome_only_no_figure_of_it():
    half = [Forecast(0.5, k % 2 == 0) for k in range(40)]
    assert reliability(half, seed=1).skill == pytest.approx(0)
    certain = reliability([Forecast(1.0, True)] * 40, seed=1)
    assert (certain.error, certain.skill, certain.brier.interval) == (0, None, None)
    assert certain.insufficient == "40 forecasts, 100 needed"


def test_the_seed_repeats_the_honest_range():
    made = forecasts(60, "seed")
    assert reliability(made, seed=4) == reliability(made, seed=4)
    assert reliability(made, seed=4).honest_error != reliability(made, seed=5).honest_error


def test_nothing_stated_is_refused_and_what_is_no_probability_too():
    assert reliability([], seed=1) == Refused("no forecasts")
    for made, bins in (([Forecast(1.1, True)], 10), ([Forecast(float("nan"), True)], 10), ([Forecast(0.5, True)], 0)):
        with pytest.raises(ValueError, match="probabilities"):
            reliability(made, seed=1, bins=bins)
