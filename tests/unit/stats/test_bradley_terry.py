"""Bradley-Terry: the maximum against scipy's, unbounded candidates, groups that never met, resampled cases."""

from __future__ import annotations

from math import exp, log
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from evalkit.stats.bradley_terry import Game, beats, bradley_terry
from evalkit.stats.results import Refused


def each_alone(games):
    return [[game] for game in games]


def series(first, second, wins, ties, losses):
    return [Game(first, second, score) for score, count in ((1, wins), (0.5, ties), (0, losses)) for _ in range(count)]


FOUR = (
    series("a", "b", 14, 0, 6)
    + series("a", "c", 18, 0, 2)
    + series("a", "d", 9, 1, 10)
    + series("b", "c", 11, 1, 8)
    + series("b", "d", 8, 0, 12)
    + series("c", "d", 4, 0, 16)
)


def maximum(games, prior=0.0):
    """Minus the log likelihood of all games, minimised, with half wins for ties and for a prior."""
    names = sorted({name for game in games for name in game[:2]})
    met = {tuple(sorted(game[:2])) for game in games}
    results = [(names.index(g.first), names.index(g.second), g.score, 1 - g.score) for g in games]
    results += [(names.index(a), names.index(b), prior, prior) for a, b in met]

    def surprise(values):
        return sum(
            won * np.logaddexp(0, values[b] - values[a]) + lost * np.logaddexp(0, values[a] - values[b])
            for a, b, won, lost in results
        )

    found = minimize(surprise, np.zeros(len(names)), method="BFGS", options={"gtol": 1e-9}).x
    return dict(zip(names, found - found.mean(), strict=True))


def values(ranking):
    return {strength.name: strength.value for strength in ranking.strengths}


def test_strengths_are_the_maximum_of_the_likelihood():
    found = bradley_terry(each_alone(FOUR), seed=1, replicates=50)
    assert values(found) == pytest.approx(maximum(FOUR), abs=1e-5)
    assert [strength.name for strength in found.strengths] == ["a", "d", "b", "c"]
    assert [strength.rank for strength in found.strengths] == [1, 2, 3, 4]
    assert (found.prior, found.insufficient) == (False, None)
    assert all(low < strength.value < high for strength in found.strengths for low, high in [strength.interval])


def test_two_candidates_are_as_far_apart_as_their_odds():
    found = bradley_terry(each_alone(series("a", "b", 20, 10, 10)), seed=1, replicates=20)
    first, second = found.strengths
    assert first.value - second.value == pytest.approx(log(25 / 15))
    assert beats(first, second) == pytest.approx(25 / 40)
    assert beats(second, first) == pytest.approx(15 / 40)


def test_a_candidate_that_never_lost_is_unbounded_and_flagged():
    games = series("best", "a", 20, 0, 0) + series("best", "b", 20, 0, 0) + series("a", "b", 12, 0, 8)
    found = bradley_terry(each_alone(games), seed=1, replicates=50)
    assert found.prior
    assert found.replicates_with_prior == 50
    assert [(s.name, s.unbounded, s.interval is None) for s in found.strengths] == [
        ("best", True, True),
        ("a", False, False),
        ("b", False, False),
    ]
    assert values(found) == pytest.approx(maximum(games, prior=0.5), abs=1e-5)


def test_a_group_that_never_lost_to_the_rest_is_unbounded_as_a_group():
    games = (
        series("a", "b", 5, 0, 5) + series("c", "d", 5, 0, 5) + series("a", "c", 9, 0, 0) + series("b", "d", 9, 0, 0)
    )
    found = bradley_terry(each_alone(games), seed=1, replicates=10)
    assert {strength.name for strength in found.strengths if strength.unbounded} == {"a", "b"}


def test_candidates_that_never_met_are_not_ranked_together():
    games = series("a", "b", 3, 0, 3) + series("c", "d", 3, 0, 3)
    assert bradley_terry(each_alone(games), seed=1) == Refused(
        "candidates that never met cannot be ranked together: a, b | c, d"
    )


def test_no_games_are_no_ranking():
    assert isinstance(bradley_terry([], seed=1), Refused)


def test_cases_are_resampled_whole_so_repeated_games_of_a_case_add_nothing():
    """Each case judged five times over gives five times the games and the same intervals."""
    once = [[game] for game in FOUR]
    five = [[game] * 5 for game in FOUR]
    for a, b in zip(bradley_terry(once, 3, 60).strengths, bradley_terry(five, 3, 60).strengths, strict=True):
        assert (a.name, a.value, a.ranks) == (b.name, pytest.approx(b.value), b.ranks)
        assert a.interval == pytest.approx(b.interval)


def test_one_case_has_no_spread_and_decides_nothing():
    found = bradley_terry([series("a", "b", 30, 0, 10)], seed=1, replicates=20)
    assert [strength.interval for strength in found.strengths] == [None, None]
    assert found.insufficient == "1 case on which a and b met, 20 needed"


def test_candidates_without_a_difference_share_a_rank():
    found = bradley_terry(each_alone(series("b", "a", 10, 5, 10)), seed=1, replicates=20)
    assert [(strength.name, strength.rank) for strength in found.strengths] == [("a", 1), ("b", 1)]


def test_the_seed_repeats_the_ranking():
    first = bradley_terry(each_alone(FOUR), seed=2, replicates=40)
    assert first == bradley_terry(each_alone(FOUR), seed=2, replicates=40)
    assert first != bradley_terry(each_alone(FOUR), seed=3, replicates=40)


games_of = st.lists(
    st.builds(Game, st.sampled_from("abc"), st.sampled_from("abc"), st.sampled_from([0, 0.5, 1])).filter(
        lambda game: game.first != game.second
    ),
    max_size=25,
)


@given(games_of)
@settings(max_examples=60)
def test_every_set_of_games_is_ranked_or_refused(games):
    found = bradley_terry(each_alone(games), seed=1, replicates=10)
    if not isinstance(found, Refused):
        assert sum(values(found).values()) == pytest.approx(0, abs=1e-9)
        assert found.prior == any(strength.unbounded for strength in found.strengths)
        assert values(found) == pytest.approx(maximum(games, prior=0.5 * found.prior), abs=1e-3)


@pytest.mark.unmeasured
def test_the_interval_covers_the_truth_in_a_simulation():
    truth = {"a": 0.6, "b": 0.0, "c": -0.6}
    rng = Random("bradley-terry")
    covered = 0
    for seed in range(60):
        cases = [
            [Game(a, b, float(rng.random() < 1 / (1 + exp(truth[b] - truth[a])))) for a, b in ("ab", "ac", "bc")]
            for _ in range(60)
        ]
        for strength in bradley_terry(cases, seed, replicates=100).strengths:
            covered += strength.interval[0] <= truth[strength.name] <= strength.interval[1]
    assert covered / 180 >= 0.91


@pytest.mark.parametrize(
    "call",
    [
        lambda: bradley_terry([[Game("a", "b", 0.7)]], seed=1),
        lambda: bradley_terry([[Game("a", "a", 1)]], seed=1),
        lambda: bradley_terry([], seed=1, replicates=0),
    ],
)
def test_what_is_no_game_is_refused(call):
    with pytest.raises(ValueError, match=r"game|replicates"):
        call()
