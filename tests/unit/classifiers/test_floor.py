"""The floor: shared words and nothing else; where there are none it does not know."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalkit.classifiers import FloorClassifier, ask, choice, is_sure, noul, score
from evalkit.classifiers.floor import content_stems

TEAM = choice(
    "Which team owns `message`?", {"billing": "charges, refunds and invoices", "technical": "errors and crashes"}
)
RISK = score("How risky is `tool`?", ["only reads or lists data", "changes a draft", "deletes files for good"])


def answer(state, question):
    decision = ask(FloorClassifier(), state, {"q": question})
    assert not decision.calibrated
    return decision.answers["q"]


def test_a_choice_goes_to_the_description_whose_words_the_field_shares():
    assert answer({"message": "refund the invoice please"}, TEAM).value() == "billing"
    assert answer({"message": "it crashed with an error"}, TEAM).value() == "technical"


def test_a_score_goes_to_the_level_whose_words_the_field_shares():
    found = answer({"tool": "delete the files"}, RISK)
    assert found.value() > 1.5
    assert is_sure(found)
    assert answer({"tool": "list data"}, RISK).value() < 0.5


@pytest.mark.parametrize("question", [TEAM, RISK, noul("Is `message` rude?", yes="insults", no="thanks")])
def test_without_a_shared_word_it_does_not_know(question):
    found = answer({"message": "zzz", "tool": "zzz"}, question)
    assert not is_sure(found)


def test_only_the_named_field_is_read():
    assert answer({"message": "it crashed", "other": "refund invoice charges"}, TEAM).value() == "technical"


def test_one_shared_word_among_several_options_is_not_certain():
    question = choice("Whose is `message`?", {name: name for name in ("refund", "crash", "sales", "legal")})
    found = answer({"message": "refund"}, question)
    assert found.value() == "refund"
    assert not is_sure(found)


@pytest.mark.parametrize(
    ("query", "chunk", "p"),
    [
        ("refund period", "the refund period is 30 days", 0.9),
        ("refund period", "the refund desk", 0.5),
        ("refund period", "opening hours", 0.1),
        ("the of", "opening hours", 0.5),
    ],
)
def test_two_named_fields_are_compared_with_each_other(query, chunk, p):
    found = answer({"query": query, "chunk": chunk}, noul("Does `chunk` help to answer `query`?"))
    assert found.p == pytest.approx(p)


def test_a_noul_with_both_sides_described_weighs_them():
    question = noul("Is `message` rude?", yes="insults or swearing", no="thanks or praise")
    assert answer({"message": "many thanks"}, question).p < 0.5 < answer({"message": "he insulted me"}, question).p


def test_a_noul_with_one_described_side_leans_by_how_much_of_it_is_there():
    assert answer({"message": "insults"}, noul("Is `message` so?", yes="insults and swearing")).p == pytest.approx(0.7)
    assert answer({"message": "insults"}, noul("Is `message` so?", no="insults and swearing")).p == pytest.approx(0.3)
    assert answer({"message": "a cat"}, noul("Is `message` rude?")).p == 0.5
    assert answer({"message": "message"}, noul("Is `message`?")).p == 0.5


@pytest.mark.parametrize(("one", "other"), [("deletes", "delete"), ("refunded", "refunds"), ("Charges", "charging")])
def test_forms_of_a_word_share_a_stem(one, other):
    assert content_stems(one) == content_stems(other)


def test_short_words_keep_their_ending():
    assert content_stems("red bus is") == {"red", "bus"}


@given(st.text() | st.dictionaries(st.text(), st.text()) | st.lists(st.integers()))
def test_any_state_gets_an_answer(state):
    assert answer(state, TEAM).value() in {"billing", "technical"}
    assert 0 <= answer(state, RISK).value() <= 2
    assert 0 <= answer(state, noul("Is it?")).p <= 1
    assert 0 <= answer(state, noul(no="x")).p <= 1
