"""A failure's line says enough to mend it, and no more than a screen can hold."""

from __future__ import annotations

from evalkit.pipeline.failure_lines import PREVIEW_CHARS, code_failure, preview, scorer_error
from evalkit.records.cases import Case, Expected
from evalkit.records.identity import text_sha256
from evalkit.records.outputs import Output
from evalkit.records.scores import Score, Unscored

CASE = Case(id="c", input="How long?", expected=Expected(answers=("30 days",)))


def test_a_line_holds_question_answer_expectation_and_reason():
    output = Output(case_id="c", attempt=2, text="45 days", tool_calls=({"name": "f"},))
    line = code_failure(
        CASE, output, ("short", "exact_match", "exact_match"), Score(0.0, False, "differs", {"got": 45})
    )
    assert line["kind"] == "failed"
    assert (line["capability"], line["scorer"], line["criterion"]) == ("short", "exact_match", "exact_match")
    assert (line["input"], line["output"], line["attempt"]) == ("How long?", "45 days", 2)
    assert line["expected"] == {"answers": ["30 days"]}
    assert (line["reason"], line["metadata"], line["tool_calls"]) == ("differs", {"got": 45}, [{"name": "f"}])
    assert line["output_sha256"] == text_sha256("45 days")


def test_a_scorer_that_could_not_decide_says_why_and_gives_no_value():
    unscored = Unscored("scorer_error", "regex timeout")
    line = scorer_error(CASE, Output(case_id="c", text="45 days"), ("short", "regex", "regex"), unscored)
    assert (line["kind"], line["mode"], line["reason"]) == ("scorer_error", "code", "regex timeout")
    assert (line["case_id"], line["input"], line["output"]) == ("c", "How long?", "45 days")
    assert "value" not in line


def test_a_long_text_is_cut_with_a_mark_that_says_how_long_it_is():
    assert preview("x" * PREVIEW_CHARS) == "x" * PREVIEW_CHARS
    cut = preview("x" * 1_000_000)
    assert len(cut) < PREVIEW_CHARS + 100
    assert cut.endswith("[... truncated: 1000000 characters in all]")


def test_the_hash_is_of_the_whole_text_even_where_the_text_is_cut():
    text = "y" * 1_000_000
    line = code_failure(CASE, Output(case_id="c", text=text), ("a", "b", "c"), Score(0.0, False))
    assert line["output_sha256"] == text_sha256(text)
