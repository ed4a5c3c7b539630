"""Lint of questions: each doubt on the sentence that earns it, and silence on those that do not."""

from __future__ import annotations

import pytest

from evalkit.classifiers import State, choice, lint, noul, score
from evalkit.classifiers.lint import fields_named

STATE = {"message": "hi", "reply_draft": "hello", "role": "moderator"}


def kinds(instructions):
    return {doubt.kind for doubt in lint({"q": noul(instructions)}, STATE)}


@pytest.mark.parametrize(
    ("instructions", "kind"),
    [
        ("Does it contain insults?", "names_no_field"),
        ("Is `message` rude? Is it long?", "two_questions"),
        ("Is `message` rude and does it help?", "two_questions"),
        ("Is `message` rude or is it spam?", "two_questions"),
        ("Is `message` not rude?", "negation"),
        ("Doesn't `message` help?", "negation"),
        ("Does `message` contain no insults?", "negation"),
        ("Is `message` without insults?", "negation"),
        ("Does `message` name at least two products?", "counting"),
        ("How many questions are in `message`?", "counting"),
        ("Is the total in `message` above the limit?", "arithmetic"),
        ("Is the fee in `message` 20 % of the price?", "arithmetic"),
        ("Was `message` sent within 30 days?", "dates"),
        ("Does `message` name a date after 2024?", "dates"),
        ("Is the invoice in `message` overdue?", "dates"),
    ],
)
def test_a_weak_question_gets_its_doubt(instructions, kind):
    assert kinds(instructions) == {kind}


@pytest.mark.parametrize(
    "instructions",
    [
        "Does `message` contain insults, profanity or harmful topics?",
        "Does message contain insults?",
        "Does 'reply_draft' answer what `message` asks?",
        "Is `message.subject` about billing?",
        "Does `message` ask for a refund, and nothing else?",
        "Is `message` about billing or sales?",
    ],
)
def test_a_plain_question_that_names_its_field_gets_none(instructions):
    assert kinds(instructions) == set()


def test_options_and_levels_want_descriptions():
    [doubt] = lint({"team": choice("Whose is `message`?", {"a": "who pays", "b": None})}, STATE)
    assert (doubt.question, doubt.kind) == ("team", "no_description")
    assert "b" in str(doubt)
    [doubt] = lint({"risk": score("How risky is `message`?", ["none", "some risk"])}, STATE)
    assert "none" in doubt.problem
    assert lint({"rude": noul("Is `message` rude?")}, STATE) == []


def test_the_sentence_is_read_where_there_is_no_question():
    assert [doubt.kind for doubt in lint({"q": noul(yes="it is not polite")})] == ["negation"]


@pytest.mark.parametrize("state", [None, "text", ["a"], {"only": "one"}])
def test_a_state_without_several_fields_has_none_to_name(state):
    assert lint({"q": noul("Is it rude?")}, state) == []


def test_a_role_is_no_field_to_judge():
    [doubt] = lint({"q": noul("What would your role say?")}, State("moderator", {"a": 1, "b": 2}))
    assert doubt.kind == "names_no_field"
    assert "`a`, `b`" in doubt.remedy
    assert "role" not in doubt.remedy


def test_fields_are_named_in_the_states_order():
    question = noul("Does `b.c` or 'a' hold?", yes="see `d`")
    assert fields_named(question, {"a": 1, "b": 2, "c": 3, "d": 4, "role": 5}) == ("a", "b", "d")
    assert fields_named(question, "text") == ()
