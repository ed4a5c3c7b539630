"""Canned answers: found by what is asked, and a miss that names it."""

from __future__ import annotations

import asyncio

import pytest

from evalkit.classifiers import State, StaticClassifier, choice, configuration_hash, noul, score
from evalkit.classifiers.static import answer_from
from evalkit.errors import UsageError

QUESTIONS = {"rude": noul("Is `x` rude?"), "team": choice("Whose?", {"a": None, "b": None}), "risk": score("?", "abc")}
CASE = ({"x": "hi"}, QUESTIONS, {"rude": 0.1, "team": "b", "risk": [0.0, 0.95, 0.05]})


def evaluate(classifier, state, questions):
    return asyncio.run(classifier.evaluate(state, questions))


def test_each_question_is_answered_whatever_is_asked_beside_it_and_whatever_it_is_called():
    classifier = StaticClassifier([CASE])
    decision = evaluate(classifier, {"x": "hi"}, {"other_name": QUESTIONS["risk"]})
    assert decision.answers["other_name"].value() == 1.05
    assert decision.calibrated
    assert decision.usage.requests == 0
    decision = evaluate(classifier, {"x": "hi"}, QUESTIONS)
    assert [answer.value() for answer in decision.answers.values()] == [0.1, "b", 1.05]


@pytest.mark.parametrize(
    ("state", "questions"),
    [
        ({"x": "other"}, QUESTIONS),
        ("hi", QUESTIONS),
        ({"x": "hi"}, {"rude": noul("Is `x` very rude?")}),
        ({"x": "hi"}, {"team": choice("Whose?", {"b": None, "a": None})}),
    ],
)
def test_a_miss_names_the_question(state, questions):
    with pytest.raises(UsageError, match=f"no canned answer to '{next(iter(questions))}'"):
        evaluate(StaticClassifier([CASE]), state, questions)


def test_a_state_with_a_role_is_the_object_with_the_role_in_it():
    classifier = StaticClassifier([(State("moderator", {"x": 1}), QUESTIONS, {"rude": 0.5})])
    assert evaluate(classifier, {"x": 1, "role": "moderator"}, {"q": QUESTIONS["rude"]}).answers["q"].value() == 0.5


def test_a_role_in_the_data_is_not_overwritten():
    with pytest.raises(UsageError, match="role"):
        evaluate(StaticClassifier([CASE]), State("r", {"role": "mine"}), QUESTIONS)


@pytest.mark.parametrize("state", [None, 3, True, {"x": float("nan")}, {"x": object()}])
def test_what_is_no_state_is_refused(state):
    with pytest.raises(UsageError, match="state"):
        evaluate(StaticClassifier([CASE]), state, QUESTIONS)


def test_an_evaluation_asks_something():
    with pytest.raises(UsageError, match="no questions"):
        evaluate(StaticClassifier([CASE]), {"x": "hi"}, {})


@pytest.mark.parametrize(
    ("name", "canned"),
    [
        ("rude", 1.1), ("rude", -0.1), ("rude", "yes"), ("team", "c"), ("team", {"a": 1.0}), ("team", {"a": 0.5, "b": 0.1}),
        ("risk", 3), ("risk", -1), ("risk", [1.0]), ("risk", [float("nan"), 0.0, 1.0]), ("risk", True), ("team", None),
    ],
)  # fmt: skip
def test_a_canned_answer_that_does_not_fit_its_question_is_refused(name, canned):
    with pytest.raises(UsageError):
        answer_from(QUESTIONS[name], canned, "static")


@pytest.mark.parametrize(
    ("name", "canned", "value"),
    [("rude", True, 1.0), ("rude", 0, 0.0), ("team", "a", "a"), ("team", {"b": 0.6, "a": 0.4}, "b"), ("risk", 2, 2.0)],
)
def test_canned_answers_may_be_written_short(name, canned, value):
    assert answer_from(QUESTIONS[name], canned, "static").value() == value


def test_the_configuration_hash_covers_answers_wording_order_and_rules():
    classifier, other = StaticClassifier([CASE]), StaticClassifier([])
    reordered = dict(reversed(QUESTIONS.items()))
    hashes = {
        configuration_hash(classifier, QUESTIONS),
        configuration_hash(other, QUESTIONS),
        configuration_hash(classifier, reordered),
        configuration_hash(classifier, QUESTIONS, rules={"cut": 1.5}),
        configuration_hash(classifier, {**QUESTIONS, "rude": noul("Is `x` impolite?")}),
    }
    assert len(hashes) == 5
    assert configuration_hash(classifier, QUESTIONS) in hashes
