"""The rules of the batteries, on every cut."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from evalkit.classifiers.batteries.rules import (
    completes,
    content_action,
    guard_action,
    keeps,
    sure_pick,
)
from evalkit.records.bands import Bands
from evalkit.records.battery_verdicts import RiskCuts
from evalkit.records.decisions import NoulAnswer, choice_answer, score_answer

BANDS = Bands()
CUTS = RiskCuts()
SURE_SCORE = score_answer([0.0, 1.0, 0.0, 0.0])


def risk(value, spread=(1.0, 0.0, 0.0, 0.0)):
    """Return a sure answer whose expectation is `value`."""
    return score_answer(list(spread), score=value)


@pytest.mark.parametrize(
    ("value", "action"),
    [(0.0, "allow"), (1.49, "allow"), (1.5, "ask"), (2.49, "ask"), (2.5, "deny"), (3.0, "deny")],
)
def test_a_risk_on_a_cut_belongs_to_the_stricter_side(value, action):
    assert guard_action(risk(value), CUTS, BANDS)[0] == action


def test_an_unsure_risk_asks_and_a_confidence_on_the_band_is_unsure():
    on_the_band = score_answer([0.7, 0.3, 0.0, 0.0])
    assert on_the_band.confidence == pytest.approx(0.7)
    assert guard_action(on_the_band, CUTS, BANDS) == ("ask", "unsure: confidence 0.70, needed is more than 0.70")
    assert guard_action(score_answer([0.71, 0.29, 0.0, 0.0]), CUTS, BANDS)[0] == "allow"
    assert guard_action(score_answer([0.5, 0.0, 0.0, 0.5]), CUTS, BANDS)[0] == "ask"


@pytest.mark.parametrize("answer", [None, NoulAnswer(p=0.0), choice_answer({"a": 1.0, "b": 0.0})])
def test_a_missing_risk_and_one_of_another_type_ask(answer):
    assert guard_action(answer, CUTS, BANDS) == ("ask", "no answer")


def test_views_that_disagree_are_unsure():
    disagreeing = SURE_SCORE.model_copy(update={"disagrees": True})
    assert guard_action(disagreeing, CUTS, BANDS)[0] == "ask"
    no = NoulAnswer(p=0.0, disagrees=True)
    assert keeps(no, BANDS)
    assert not completes([NoulAnswer(p=1.0, disagrees=True)], BANDS)
    assert content_action([no], BANDS) == "review"
    pick = choice_answer({"a": 1.0, "b": 0.0}, disagrees=True)
    assert sure_pick(pick, "ab", BANDS) is None


def test_cuts_may_meet_and_not_cross():
    meeting = RiskCuts(allow_below=2.0, deny_from=2.0)
    assert guard_action(risk(1.99), meeting, BANDS)[0] == "allow"
    assert guard_action(risk(2.0), meeting, BANDS)[0] == "deny"
    with pytest.raises(ValidationError, match="lies above"):
        RiskCuts(allow_below=2.1, deny_from=2.0)


@pytest.mark.parametrize(("p", "stays"), [(0.0, False), (0.29, False), (0.30, True), (0.5, True), (0.71, True)])
def test_only_a_sure_no_drops(p, stays):
    assert keeps(NoulAnswer(p=p), BANDS) is stays


def test_an_item_without_an_answer_stays_and_so_does_one_with_another_kind_of_answer():
    assert keeps(None, BANDS)
    assert keeps(SURE_SCORE, BANDS)


@pytest.mark.parametrize(
    ("ps", "complete"), [([0.71], True), ([0.70], False), ([0.9, 0.9], True), ([0.9, 0.7], False), ([], False)]
)
def test_only_sure_yeses_complete(ps, complete):
    assert completes([NoulAnswer(p=p) for p in ps], BANDS) is complete


def test_a_part_without_an_answer_is_not_complete():
    assert not completes([NoulAnswer(p=0.9), None], BANDS)
    assert not completes([SURE_SCORE], BANDS)


@pytest.mark.parametrize(
    ("ps", "action"),
    [
        ([0.29, 0.0], "allow"),
        ([0.30, 0.0], "review"),
        ([0.70, 0.0], "review"),
        ([0.71, 0.0], "block"),
        ([0.5, 0.71], "block"),
        ([], "allow"),
    ],
)
def test_any_sure_yes_blocks_and_any_doubt_reviews(ps, action):
    assert content_action([NoulAnswer(p=p) for p in ps], BANDS) == action


def test_a_missing_dimension_reviews_unless_another_blocks():
    assert content_action([None, NoulAnswer(p=0.0)], BANDS) == "review"
    assert content_action([None, NoulAnswer(p=0.9)], BANDS) == "block"
    assert content_action([SURE_SCORE], BANDS) == "review"


def test_a_pick_needs_a_confidence_above_the_band():
    assert sure_pick(choice_answer({"a": 0.85, "b": 0.15}), "ab", BANDS) is None
    assert sure_pick(choice_answer({"a": 0.86, "b": 0.14}), "ab", BANDS) == "a"


def test_a_pick_near_uniform_is_none_however_low_the_band():
    assert sure_pick(choice_answer({"a": 0.54, "b": 0.46}), "ab", Bands(low=0.0, high=0.0)) is None
    assert sure_pick(choice_answer({"a": 0.56, "b": 0.44}), "ab", Bands(low=0.0, high=0.0)) == "a"


@pytest.mark.parametrize("answer", [None, NoulAnswer(p=1.0), choice_answer({"other": 1.0, "b": 0.0})])
def test_no_answer_another_type_and_an_option_that_was_not_offered_are_no_pick(answer):
    assert sure_pick(answer, "ab", BANDS) is None


WIDE, NARROW = Bands(low=0.1, high=0.9), Bands(low=0.5, high=0.5)


def test_every_rule_reads_answers_by_the_bands_of_the_host():
    yes, no = NoulAnswer(p=0.8), NoulAnswer(p=0.2)
    unsure = score_answer([0.8, 0.2, 0.0, 0.0])
    assert unsure.confidence == pytest.approx(0.8)
    assert guard_action(unsure, CUTS, BANDS)[0] == "allow"
    assert guard_action(unsure, CUTS, WIDE)[0] == "ask"
    assert (keeps(no, BANDS), keeps(no, WIDE), keeps(NoulAnswer(p=0.4), NARROW)) == (False, True, False)
    assert (completes([yes], BANDS), completes([yes], WIDE), completes([NoulAnswer(p=0.6)], NARROW)) == (
        True,
        False,
        True,
    )
    assert (content_action([yes], BANDS), content_action([yes], WIDE)) == ("block", "review")
    assert (content_action([no], BANDS), content_action([no], WIDE)) == ("allow", "review")
    pick = choice_answer({"a": 0.9, "b": 0.1})
    assert (sure_pick(pick, ["a", "b"], BANDS), sure_pick(pick, ["a", "b"], WIDE)) == ("a", None)
