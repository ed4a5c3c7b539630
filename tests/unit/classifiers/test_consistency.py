"""Consistency: different views vote, and too few voices disagree."""

from __future__ import annotations

import asyncio

import pytest
from fakes.classifiers import QUESTIONS, RISK, RUDE, TEAM, ByState

from evalkit.classifiers import Bands, State, is_sure
from evalkit.classifiers.consistency import agreed, consistent
from evalkit.errors import UsageError
from evalkit.records.decisions import Decision, NoulAnswer, choice_answer, score_answer


def ask(canned, question, *, agree=2, **fields):
    """Ask one question over as many views as there are canned answers; None leaves a view without one."""
    views = {str(n): {} if value is None else {"q": value} for n, value in enumerate(canned)}
    states = [{"view": view} for view in views]
    found = asyncio.run(consistent(ByState(views), states, {"q": question}, agree=agree, **fields))
    return found.decision.answers.get("q"), dict(found.votes.get("q", {})), found


def test_nouls_vote_by_band_and_the_mean_of_those_that_agree_is_kept():
    answer, votes, found = ask([0.9, 0.8, 0.5], RUDE)
    assert votes == {"yes": 2, "uncertain": 1}
    assert answer.value() == 0.85
    assert not answer.disagrees
    assert answer.source == "by-name"
    assert found.decision.usage.requests == 3


@pytest.mark.parametrize(("agree", "disagrees"), [(2, False), (3, True)])
def test_fewer_than_agree_disagree(agree, disagrees):
    answer, _, _ = ask([0.9, 0.8, 0.2], RUDE, agree=agree)
    assert answer.disagrees is disagrees
    assert is_sure(answer) is not disagrees
    assert answer.value() == pytest.approx(1.9 / 3 if disagrees else 0.85)


def test_a_shared_first_place_disagrees():
    answer, votes, _ = ask([0.9, 0.9, 0.1, 0.1], RUDE)
    assert votes == {"yes": 2, "no": 2}
    assert answer.disagrees
    answer, _, _ = ask([0.9, 0.9, 0.9, 0.1, 0.1], RUDE)
    assert not answer.disagrees


def test_the_callers_bands_make_the_votes():
    assert ask([0.6, 0.6], RUDE)[1] == {"uncertain": 2}
    assert ask([0.6, 0.6], RUDE, bands=Bands(low=0.5, high=0.5))[1] == {"yes": 2}


def test_choices_vote_by_option():
    answer, votes, _ = ask([{"billing": 0.9, "sales": 0.1}, {"billing": 0.7, "sales": 0.3}, "sales"], TEAM)
    assert votes == {"billing": 2, "sales": 1}
    assert answer.value() == "billing"
    assert answer.probabilities == {"billing": 0.8, "sales": 0.2}
    assert answer.confidence == 0.6


def test_disagreeing_choices_keep_the_mean_of_all():
    answer, _, _ = ask([{"billing": 0.6, "sales": 0.4}, {"billing": 0.1, "sales": 0.9}], TEAM)
    assert answer.disagrees
    assert answer.value() == "sales"
    assert answer.probabilities == {"billing": 0.35, "sales": 0.65}


@pytest.mark.parametrize(
    ("levels", "vote"),
    [([0.51, 0.49, 0.0], "0"), ([0.5, 0.5, 0.0], "1"), ([0.0, 0.5, 0.5], "2"), ([0.0, 0.51, 0.49], "1")],
)
def test_scores_vote_by_their_level_rounded_half_up(levels, vote):
    answer, votes, _ = ask([levels, levels], RISK)
    assert votes == {vote: 2}
    assert not answer.disagrees
    assert answer.probabilities == tuple(levels)


def test_scores_that_agree_are_averaged():
    answer, votes, _ = ask([[0.0, 1.0, 0.0], [0.0, 0.8, 0.2], 0], RISK)
    assert votes == {"1": 2, "0": 1}
    assert answer.value() == 1.1
    assert answer.probabilities == (0.0, 0.9, 0.1)


def test_a_view_without_an_answer_casts_no_vote():
    answer, votes, _ = ask([0.9, None, 0.8], RUDE)
    assert votes == {"yes": 2}
    assert not answer.disagrees
    answer, votes, _ = ask([0.9, None], RUDE)
    assert votes == {"yes": 1}
    assert answer.disagrees


def test_a_question_that_no_view_answers_is_missing_with_its_reason():
    answer, votes, found = ask([None, None], RUDE)
    assert answer is None
    assert votes == {}
    assert found.decision.unanswered == {"q": "not canned"}


def test_disagreement_within_a_view_is_not_forgotten():
    decisions = [
        Decision(answers={"q": NoulAnswer(p=0.5, disagrees=flag)}, model="m", calibrated=True) for flag in (True, False)
    ]
    assert agreed(decisions, agree=2).decision.answers["q"].disagrees


@pytest.mark.parametrize("flags", [(True, True), (True, False), (False, True)])
def test_calibrated_is_and(flags):
    decisions = [Decision(answers={"q": NoulAnswer(p=0.9)}, model="m", calibrated=flag) for flag in flags]
    assert agreed(decisions, agree=2).decision.calibrated is all(flags)


def test_questions_are_judged_one_by_one():
    views = {"a": {"rude": 0.9, "team": "sales", "risk": 0}, "b": {"rude": 0.1, "team": "sales", "risk": 1}}
    found = asyncio.run(consistent(ByState(views), [{"view": "a"}, {"view": "b"}], QUESTIONS, agree=2))
    assert {name: answer.disagrees for name, answer in found.decision.answers.items()} == {
        "rude": True,
        "team": False,
        "risk": True,
    }


@pytest.mark.parametrize(
    "views",
    [[], [{"view": "a"}], [{"view": "a"}, {"view": "a"}], [{"view": "a", "x": 1}, {"x": 1, "view": "a"}]],
)
def test_fewer_than_two_different_views_are_refused(views):
    with pytest.raises(UsageError, match="views"):
        asyncio.run(consistent(ByState({"a": {"q": 0.9}}), views, {"q": RUDE}, agree=2))


def test_a_role_makes_no_second_view_of_the_same_object():
    views = [State("r", {"view": "a"}), {"view": "a", "role": "r"}]
    with pytest.raises(UsageError, match="same state"):
        asyncio.run(consistent(ByState({"a": {"q": 0.9}}), views, {"q": RUDE}, agree=2))


@pytest.mark.parametrize(("agree", "accepted"), [(1, False), (2, True), (3, True), (4, False)])
def test_agree_is_from_two_to_all_views(agree, accepted):
    if accepted:
        assert ask([0.9, 0.9, 0.9], RUDE, agree=agree)[1] == {"yes": 3}
    else:
        with pytest.raises(UsageError, match="agree"):
            ask([0.9, 0.9, 0.9], RUDE, agree=agree)


def decided(answer):
    return Decision(answers={"q": answer}, model="m", calibrated=True)


def test_views_that_agree_keep_their_option_where_means_are_even():
    answer = choice_answer({"a": 0.5, "b": 0.5}, choice="b")
    found = agreed([decided(answer), decided(answer)], agree=2).decision.answers["q"]
    assert (found.choice, found.disagrees, found.source) == ("b", False, "m")
    other = choice_answer({"a": 0.5, "b": 0.5}, choice="a")
    found = agreed([decided(answer), decided(other)], agree=2).decision.answers["q"]
    assert (found.choice, found.disagrees) == ("a", True)


def test_the_value_of_scores_that_agree_is_the_mean_of_the_values_that_servers_gave():
    answers = [score_answer([0.0, 0.95, 0.05], score=value) for value in (1.04, 1.06)]
    found = agreed([decided(one) for one in answers], agree=2).decision.answers["q"]
    assert (found.score, found.source) == (1.05, "m")
    found = agreed([decided(score_answer([0.0, 0.95, 0.05], score=1.02))] * 2, agree=2).decision.answers["q"]
    assert found.score == 1.02
