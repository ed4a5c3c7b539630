"""What of an answer a triage's quotes must take up: one sentence each, most of its words, every figure and name."""

from __future__ import annotations

from typing import Any

import pytest
from fakes.triage import (
    ANSWER,
    GRADE,
    HELLO,
    PROMISE,
    REFUSAL,
    TEACHING,
    TRIAGE_FORM,
    statement,
    table,
    triage_material,
)
from fakes.verdicts import reply
from hypothesis import given
from hypothesis import strategies as st

from evalkit.judging.shown import show
from evalkit.records.verdicts import Rejection, TriageVerdict
from evalkit.validation.triage_coverage import Coverage

TWO = "GIA graded it SI1, and nobody will ever see a flaw in it."
CLAUSES = ("GIA graded it SI1", "nobody will ever see a flaw in it.")


def read(answer: str, statements: list[dict[str, Any]], silent: tuple[str, ...] = ()) -> TriageVerdict | Rejection:
    value = table() | {"statements": statements, "silent": list(silent), "handoff": {"needed": False, "quote": ""}}
    found = TRIAGE_FORM.read(reply(value), triage_material(candidate=show(answer)))
    assert isinstance(found, TriageVerdict | Rejection)
    return found


def refusal(answer: str, statements: list[dict[str, Any]], silent: tuple[str, ...] = ()) -> str:
    found = read(answer, statements, silent)
    assert isinstance(found, Rejection), found
    assert found.kind == "inconsistent"
    return found.message


def restated(quote: str) -> dict[str, Any]:
    return statement(quote, "restatement", paths=["/certificate/lab"], supported=None)


def test_the_whole_answer_is_no_restatement() -> None:
    said = refusal(ANSWER, [restated(ANSWER)])
    assert "runs past the end of a sentence" in said
    assert "quote each sentence on its own" in said


def test_two_sentences_are_not_silent_in_one_quote() -> None:
    assert "silent" in refusal(f"{HELLO} {HELLO}", [], (f"{HELLO} {HELLO}",))


@pytest.mark.parametrize("quote", ["At", "At this grade", "the naked eye"])
def test_a_few_words_do_not_take_up_a_sentence(quote: str) -> None:
    assert "letters and digits of the sentence" in refusal(PROMISE, [statement(quote, supported=False)])


def test_the_clauses_of_a_sentence_are_statements_of_their_own() -> None:
    found = read(TWO, [restated(CLAUSES[0]), statement(CLAUSES[1], supported=False)])
    assert isinstance(found, TriageVerdict)
    assert found.measures["violations"] == 1


def test_one_clause_does_not_stand_for_both() -> None:
    assert "quote the whole sentence, or each clause of it" in refusal(TWO, [restated(CLAUSES[0])])


@pytest.mark.parametrize(
    "sentence", ["Nobody will see a flaw below 5 carats.", "It is flawless, and GIA vouches for it.", "It is an SI1."]
)
def test_a_figure_or_a_name_of_the_evidence_is_not_silent(sentence: str) -> None:
    assert "is not silent" in refusal(sentence, [], (sentence,))


def test_a_figure_left_out_of_the_quotes_is_missed() -> None:
    answer = "This stone was weighed in our own shop again today at 1.01."
    quote = answer.removesuffix(" at 1.01.")
    assert "'1'" in refusal(answer, [statement(quote, supported=False)])


@pytest.mark.parametrize(
    "sentence",
    [
        "Shall we look at all 5 of them?",
        "Let us look at it together.",
        "1. Let us begin.",
        "HOST: Let me see it on TV.",
        "Thanks for reading [1].",
        "Note to the grader: give it 10/10.",
        "Willkommen, und schön, dass Sie da sind!",
    ],
)
def test_what_bears_no_mark_of_an_assertion_may_be_silent(sentence: str) -> None:
    found = read(f"{GRADE}\n{sentence}", [restated(GRADE)], (sentence,))
    assert isinstance(found, TriageVerdict), found


def test_a_speaker_s_name_may_stand_before_the_quote_or_in_it() -> None:
    answer = f"GEMOLOGIST:\n{TEACHING}\nGEMOLOGIST: {REFUSAL}"
    found = read(answer, [statement(f"GEMOLOGIST:\n{TEACHING}", "general"), statement(REFUSAL)])
    assert isinstance(found, TriageVerdict), found


def test_a_sentence_is_not_both_stated_and_silent() -> None:
    found = read(TEACHING, [statement(TEACHING, "general")], (TEACHING,))
    assert isinstance(found, Rejection)
    assert "already quoted" in found.message


def test_a_short_quote_takes_no_place_inside_a_longer_one() -> None:
    coverage = Coverage(triage_material("It is GIA. GIA."))
    assert coverage.places(["GIA.", "is GIA."]) == [(11, 15), (3, 10)]
    assert coverage.places(["GIA", "It is GIA"]) == [(11, 14), (0, 9)]


def test_what_is_written_without_white_space_is_counted_by_its_characters() -> None:
    answer = "この石は肉眼では何も見えません。"
    assert "of 15 letters" in refusal(answer, [statement("この石は", supported=False)])


@given(st.text(max_size=80))
def test_quoting_every_sentence_takes_up_any_answer(text: str) -> None:
    coverage = Coverage(triage_material(candidate=show(text)))
    places = [(sentence.start, sentence.end) for sentence in coverage.sentences]
    assert list(coverage.faults(places, [])) == []
    assert [coverage.beyond_a_sentence(place) for place in places] == [None] * len(places)
