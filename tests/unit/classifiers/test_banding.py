"""The bands: strictly outside is sure, on a cut is not."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from evalkit.classifiers import Bands, is_sure, side
from evalkit.records.decisions import NoulAnswer, choice_answer, score_answer


@pytest.mark.parametrize(
    ("p", "band"),
    [
        (0.0, "no"),
        (0.29, "no"),
        (0.30, "uncertain"),
        (0.5, "uncertain"),
        (0.70, "uncertain"),
        (0.71, "yes"),
        (1.0, "yes"),
    ],
)
def test_a_noul_on_a_cut_is_uncertain(p, band):
    assert side(NoulAnswer(p=p)) == band
    assert is_sure(NoulAnswer(p=p)) is (band != "uncertain")


def test_the_cuts_can_be_moved_and_may_meet():
    bands = Bands(low=0.5, high=0.5)
    assert [side(NoulAnswer(p=p), bands) for p in (0.49, 0.5, 0.51)] == ["no", "uncertain", "yes"]
    assert is_sure(NoulAnswer(p=0.49), bands)
    assert is_sure(NoulAnswer(p=0.2))
    assert not is_sure(NoulAnswer(p=0.2), Bands(low=0.1, high=0.7))


@pytest.mark.parametrize("cuts", [{"low": 0.8}, {"high": 0.2}, {"low": -0.1}, {"high": 1.1}, {"low": float("nan")}])
def test_cuts_that_are_none_are_refused(cuts):
    with pytest.raises(ValidationError):
        Bands(**cuts)


@pytest.mark.parametrize(
    ("top", "sure"),
    [(0.84, False), (0.85, False), (0.86, True), (1.0, True)],  # confidence 0.68, 0.70, 0.72, 1
)
def test_a_choice_is_sure_above_the_upper_cut_only(top, sure):
    assert is_sure(choice_answer({"a": top, "b": 1 - top})) is sure


@pytest.mark.parametrize(("top", "sure"), [(0.85, False), (0.86, True), (0.15, False), (0.14, True)])
def test_a_score_is_sure_above_the_upper_cut_only(top, sure):
    assert is_sure(score_answer([top, 1 - top])) is sure


def test_the_servers_own_confidence_decides_nothing():
    assert not is_sure(choice_answer({"a": 0.6, "b": 0.4}, server_confidence=0.99))
    assert not is_sure(score_answer([0.6, 0.4], server_confidence=0.99))


@pytest.mark.parametrize(("top", "sure"), [(0.54, False), (0.55, False), (0.56, True)])
def test_a_nearly_uniform_choice_is_never_sure_however_low_the_cut(top, sure):
    assert is_sure(choice_answer({"a": top, "b": 1 - top}), Bands(low=0.0, high=0.05)) is sure


def test_a_score_may_be_nearly_uniform_where_the_cut_allows_it():
    answer = score_answer([0.54, 0.46])
    assert answer.near_uniform
    assert is_sure(answer, Bands(low=0.0, high=0.05))


@pytest.mark.parametrize("p", [0.01, 0.99])
def test_an_answer_on_which_views_disagree_is_never_sure(p):
    assert side(NoulAnswer(p=p, disagrees=True)) == "uncertain"
    assert not is_sure(NoulAnswer(p=p, disagrees=True))
    assert not is_sure(choice_answer({"a": p, "b": 1 - p}, disagrees=True))
    assert not is_sure(score_answer([p, 1 - p], disagrees=True))
