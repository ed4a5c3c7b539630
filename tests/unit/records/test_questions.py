"""Typed questions: what may be asked, and what a question is apart from its id."""

from __future__ import annotations

import json

import pytest
from pydantic import ValidationError

from evalkit.records.questions import NoulQuestion, Outcomes, canonical_question, choice, noul, score


def test_a_noul_is_written_as_on_the_wire():
    question = noul("Is `x` rude?", yes="insults", no="polite")
    assert question.model_dump(exclude_none=True) == {
        "type": "noul",
        "instructions": "Is `x` rude?",
        "criteria": {"true": "insults", "false": "polite"},
    }
    assert NoulQuestion.model_validate_json(json.dumps(question.model_dump())) == question


@pytest.mark.parametrize("outcome", [{"yes": "it is"}, {"no": "it is not"}])
def test_a_noul_may_have_one_described_outcome_and_no_instructions(outcome):
    assert noul(**outcome).instructions is None


@pytest.mark.parametrize("arguments", [{}, {"instructions": ""}, {"instructions": " "}, {"yes": " "}])
def test_a_noul_that_asks_nothing_is_refused(arguments):
    with pytest.raises(ValidationError):
        noul(**arguments)


def test_a_noul_with_empty_outcomes_asks_nothing():
    with pytest.raises(ValidationError, match="instructions or a described outcome"):
        NoulQuestion(criteria=Outcomes())


@pytest.mark.parametrize(("options", "accepted"), [(1, False), (2, True), (255, True), (256, False)])
def test_a_choice_has_2_to_255_options(options, accepted):
    criteria = {f"o{number}": None for number in range(options)}
    if accepted:
        assert choice("Which?", criteria).options == tuple(criteria)
    else:
        with pytest.raises(ValidationError):
            choice("Which?", criteria)


@pytest.mark.parametrize(("levels", "accepted"), [(1, False), (2, True), (10, True), (11, False)])
def test_a_score_has_2_to_10_levels(levels, accepted):
    criteria = [f"level {number}" for number in range(levels)]
    if accepted:
        assert score("How?", criteria).options == tuple(str(number) for number in range(levels))
    else:
        with pytest.raises(ValidationError):
            score("How?", criteria)


def test_what_a_question_lacks_is_no_part_of_it():
    assert canonical_question(noul("Is it?")) == {"type": "noul", "instructions": "Is it?"}
    assert canonical_question(noul(yes="it is")) == {"type": "noul", "criteria": {"true": "it is"}}


def test_the_order_of_options_is_part_of_a_question():
    ab, ba = choice("Which?", {"a": None, "b": "x"}), choice("Which?", {"b": "x", "a": None})
    assert canonical_question(ab) != canonical_question(ba)
    assert canonical_question(ab)["criteria"] == [["a", None], ["b", "x"]]
