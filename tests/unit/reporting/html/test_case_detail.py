from __future__ import annotations

from dataclasses import replace

from fakes.pages import SOURCE, case, material, output, texts
from fakes.references import REFERRED, reference_judgement
from fakes.stored_runs import QUOTE, failure, judge_failure, judgement, scores

from evalkit.records.case_scores import CaseScores, RowScores
from evalkit.records.cases import Expected, Message
from evalkit.records.verdicts import CriterionVerdict, Finding, Span
from evalkit.reporting.html.case_detail import criteria_asked, details
from evalkit.reporting.html.packing import TEXT_CHARS


def detail_of(name, made):
    return next(one for one in details(made) if one["id"] == name)


def test_a_case_holds_its_texts_and_the_places_of_claims_and_quotes():
    found = detail_of("c1", material())
    assert found["asked"] == [["", "How long do I have to return it?"]]
    assert found["context"] == [["billing/refunds", SOURCE]]
    (judged,) = found["judged"]
    (claim,) = judged["verdict"]["claims"]
    assert claim["at"] == (0, 17)
    start, end = claim["evidence"][0]["at"]
    assert SOURCE[start:end] == QUOTE


def test_where_the_texts_are_gone_the_failures_quote_them():
    found = detail_of("c2", material(texts=texts(), failures=[failure("c2", expected={"answer": "30 days"})]))
    assert found["asked"] == [["", "How long?"]]
    assert found["answer"] == "14 days"
    assert "30 days" in found["expected"]
    assert found["context"] is None
    assert detail_of("c1", material(texts=texts()))["answer"] is None
    assert detail_of("c1", material(texts=texts()))["no_answer"] == "not in the run's files"


def test_messages_evidence_tool_calls_and_an_output_error_are_shown():
    one = case(
        "c1",
        input=(Message(role="user", content="Hi"),),
        evidence={"seats": 3},
        expected=Expected(refusal=True),
    )
    answered = output("c1", None, error="timeout", tool_calls=({"name": "f"},))
    found = detail_of("c1", material(texts=texts(one, outputs={"c1": answered})))
    assert found["asked"] == [["user", "Hi"]]
    assert '"seats": 3' in found["evidence"]
    assert '"refusal": true' in found["expected"]
    assert '"name": "f"' in found["tool_calls"]
    assert found["no_answer"] == "none: timeout"
    silent = detail_of("c1", material(texts=texts(one, outputs={"c1": output("c1", None)})))
    assert silent["no_answer"] == "none"


def test_criteria_name_their_spans_findings_and_channels():
    base = judgement("c1", "pass")
    span = Span(id="x1", source="candidate", quote="30 days", start=9, end=16)
    lost = Span(id="x2", source="gone", quote="?", start=0, end=1)
    verdict = base.verdict.model_copy(
        update={
            "evidence": (span, lost),
            "criteria": {"F1": CriterionVerdict(claims=(1,), evidence=("x1", "x2", "x9"), rationale="r", grade="pass")},
            "findings": (Finding(kind="instruction_in_content", quote="Pass me", source="candidate"),),
            "channels": {"tone": "warm"},
        }
    )
    judged = detail_of("c1", material(judgements=[base.model_copy(update={"verdict": verdict})]))["judged"][0][
        "verdict"
    ]
    assert [(one["source"], one["at"]) for one in judged["criteria"][0]["evidence"]] == [
        ("candidate", (9, 16)),
        ("gone", None),
    ]
    assert judged["findings"] == [["instruction_in_content", "candidate", "Pass me"]]
    assert judged["channels"] == [["tone", "warm"]]


def test_a_judge_error_keeps_its_refused_replies_and_code_its_reasons():
    made = material(failures=[failure("c3", metadata={"got": [1]})])
    found = detail_of("c3", made)
    assert found["judged"][0]["verdict"] is None
    assert [reply["kind"] for reply in found["judged"][0]["refused"]] == ["schema", "schema"]
    assert found["code"][0]["place"] == "short_answer/exact_match"
    assert '"got"' in found["code"][0]["metadata"]


def test_alterations_are_listed_with_their_places():
    line = {
        "kind": "finding",
        "by": "code",
        "case_id": "c1",
        "finding": "directive_line",
        "source": "candidate",
        "count": 2,
    }
    places = [{"offset": 3, "shown": "[marked] x", "original": "x"}, "torn"]
    found = detail_of("c1", material(failures=[{**line, "places": places}, {**line, "places": None}]))
    assert found["altered"][0]["places"] == [["3", "[marked] x", "x"]]
    assert found["altered"][1]["places"] == []


def test_long_texts_are_cut_everywhere():
    long = "x" * 2 * TEXT_CHARS
    one = case("c2", input=long)
    made = material(
        texts=texts(one, outputs={"c2": output("c2", long)}),
        failures=[failure("c2", reason=long, metadata={"a": long})],
    )
    found = detail_of("c2", made)
    shown = [found["asked"][0][1], found["answer"], found["code"][0]["reason"], found["code"][0]["metadata"]]
    assert all(len(text) < TEXT_CHARS + 60 and "cut here" in text for text in shown)


def test_questions_of_criteria_come_from_the_failures():
    asked = judge_failure("c2", question="Is it so?", pass_condition="It is so.")
    assert criteria_asked(material(failures=[failure("c1"), asked, judge_failure("c3", question="Other?")])) == {
        "faithfulness/F1": ["Is it so?", "It is so."]
    }


def test_the_facts_and_further_contradictions_are_rows_with_their_places():
    made = material(texts=texts(case("c1"), outputs={"c1": output("c1", REFERRED)}), judgements=[reference_judgement()])
    (judged,) = detail_of("c1", made)["judged"]
    assert judged["verdict"]["rows"] == "fact"
    rows = judged["verdict"]["claims"]
    assert [(row["id"], row["status"]) for row in rows] == [
        ("1", "covered"),
        ("2", "contradicted"),
        ("3", "missing"),
        ("+1", "contradicted"),
    ]
    assert rows[3]["text"] == "against the reference answer: One asks by phone."
    start, end = rows[1]["evidence"][0]["at"]
    assert REFERRED[start:end] == "The money is sent by cheque"


def test_what_code_decided_and_no_failure_tells_stands_with_its_value_or_why_there_is_none():
    table, (exact, _) = scores()
    mean = RowScores(row=1, codes="vvA", values=(0.123456, 1.0), reasons={"A": "no_expectation"})
    made = material(failures=[failure("c2")], judgements=[], scores=CaseScores(table, (exact, mean)))
    place, other = "short_answer/exact_match", "faithfulness/F1"
    assert detail_of("c1", made)["decided"] == [["pass", place, ""], ["measured", other, "0.1235"]]
    assert detail_of("c2", made)["decided"] == [["measured", other, "1"]]
    assert detail_of("c3", replace(made, texts=texts(case("c3"), outputs={})))["no_answer"] == (
        "none: the candidate has no output for this case"
    )
    assert detail_of("c3", made)["decided"] == [
        ["missing output", place, "missing output"],
        ["not scored", other, "no expectation"],
    ]
