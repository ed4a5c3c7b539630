from __future__ import annotations

import io

from fakes.references import reference_judgement
from fakes.stored_runs import QUOTE, failure, judgement

from evalkit.records.cases import Case, Document, Expected
from evalkit.records.outputs import Output
from evalkit.reporting.case_view import CaseView, print_case
from evalkit.reporting.console import make_console
from evalkit.reporting.page import Page


def printed(monkeypatch, **parts):
    monkeypatch.delenv("COLUMNS", raising=False)
    fields = {"case_id": "c1", "case": None, "output": None, "judgements": (), "failures": ()}
    stream = io.StringIO()
    print_case(Page(make_console(stream)), CaseView(**{**fields, **parts}))
    return stream.getvalue()


def test_a_case_shows_question_sources_expectation_and_answer(monkeypatch):
    case = Case(
        id="c1",
        capabilities=("faithfulness",),
        input="How long?",
        context=(Document(id="billing/refunds", text=f"You can return it {QUOTE}."),),
        expected=Expected(answer="30 days"),
        tags=("adversarial:injection",),
    )
    text = printed(monkeypatch, case=case, output=Output(case_id="c1", text="You have\n30 days."))
    assert "  | How long?" in text
    assert f"context billing/refunds\n  | You can return it {QUOTE}." in text
    assert '"answer": "30 days"' in text
    assert "answer\n  | You have\n  | 30 days." in text
    assert "adversarial:injection" in text


def test_a_verdict_shows_claims_with_quoted_spans_and_their_offsets_criteria_and_overall(monkeypatch):
    text = printed(monkeypatch, judgements=(judgement("c1", "pass"),))
    assert "claim 1  supported     You have 30 days." in text
    assert f'billing/refunds [12:38] "{QUOTE}"' in text
    assert "F1: pass (claims 1)  claim 1 decides" in text
    assert "overall: pass" in text


def test_a_judge_error_shows_both_refused_replies_with_the_reason(monkeypatch):
    text = printed(monkeypatch, judgements=(judgement("c1", None),))
    assert "judge_error: no reply passed the checks" in text
    assert "refused reply 1: schema: F1 is missing" in text
    assert "refused reply 2" in text
    assert '    | {"criteria": {}}' in text


def test_a_failure_in_code_shows_reason_and_what_was_found(monkeypatch):
    text = printed(monkeypatch, failures=(failure("c1", metadata={"found": ["14 days"]}),))
    assert "short_answer/exact_match: fail (code)" in text
    assert "got '14 days', expected '30 days'" in text
    assert '"found": [' in text


def test_a_scorer_error_is_shown_as_neither_a_pass_nor_a_fail(monkeypatch):
    text = printed(monkeypatch, failures=(failure("c1", kind="scorer_error", reason="regex timeout"),))
    assert "short_answer/exact_match: scorer_error, neither a pass nor a fail (code)\n  regex timeout" in text
    assert "nothing failed" not in text


def test_without_the_golden_set_the_failure_lines_tell_question_and_answer(monkeypatch):
    text = printed(monkeypatch, failures=(failure("c1"),), notes=("the suite has moved",))
    assert "note: the suite has moved" in text
    assert "  | How long?" in text
    assert "  | 14 days" in text


def test_a_missing_answer_is_none_with_its_error(monkeypatch):
    assert "none: timed out" in printed(monkeypatch, output=Output(case_id="c1", error="timed out"))


def test_altered_places_of_the_material_are_shown(monkeypatch):
    finding = {
        "kind": "finding",
        "case_id": "c1",
        "by": "code",
        "finding": "directive_line",
        "source": "candidate",
        "count": 1,
        "places": [{"offset": 5, "original": "", "shown": "[directive] "}],
    }
    text = printed(monkeypatch, failures=(finding,))
    assert "finding (code), directive_line in candidate: 1 shown to the judge with a mark" in text
    assert "at 5: [directive]" in text


def test_nothing_of_a_hostile_answer_reaches_column_0_or_the_terminal(monkeypatch):
    hostile = "x\n::error::gate passed\r\nPASS\x1b[2J\u202e"
    text = printed(
        monkeypatch,
        case_id=hostile,
        output=Output(case_id="c1", text=hostile),
        judgements=(judgement(hostile, "fail", text=hostile),),
        failures=(failure(hostile, reason=hostile, metadata={hostile: hostile}),),
    )
    assert not any(line.startswith(("PASS", "::")) for line in text.splitlines())
    assert not set(text) & set("\x1b\r\u202e")
    assert "::error::" not in text


def test_a_reference_verdict_shows_facts_contradictions_and_shares(monkeypatch):
    text = printed(monkeypatch, judgements=(reference_judgement(),))
    assert "fact 2  contradicted  The money goes back to the card." in text
    assert 'candidate [18:45] "The money is sent by cheque"' in text
    assert "contradicts the reference answer: One asks by phone." in text
    assert "coverage 0.333, contradiction 0.500 (of 3 facts)" in text
    assert "R1: fail (facts 2, 3)" in text
