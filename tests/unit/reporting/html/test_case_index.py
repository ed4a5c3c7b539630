from __future__ import annotations

from dataclasses import replace

from fakes.pages import case, material, texts
from fakes.stored_runs import failure, judge_failure, judgement, report, scores

from evalkit.records.case_scores import CaseScores, RowScores
from evalkit.records.cases import Message
from evalkit.reporting.html.case_index import OUTCOMES, entries, packed
from evalkit.reporting.html.material import unlisted

F1 = ("faithfulness", "faithfulness", "F1")
OVERALL = ("faithfulness", "faithfulness", "overall")
EXACT = ("short_answer", "exact_match", "exact_match")


def by_id(made):
    return {entry.case_id: entry for entry in entries(made)}


def test_each_case_has_the_outcome_of_each_criterion_that_the_run_wrote_down():
    found = by_id(material())
    assert found["c1"].outcomes == {F1: "pass", OVERALL: "pass"}
    assert found["c2"].outcomes == {EXACT: "fail", F1: "fail", OVERALL: "fail"}
    assert found["c3"].outcomes == {OVERALL: "judge error"}
    assert found["c2"].failed == [EXACT, F1]
    assert found["c3"].failed == [OVERALL]


def test_samples_that_differ_are_unstable_and_flipped_and_one_without_a_verdict_is_a_judge_error():
    made = material(
        failures=[],
        judgements=[
            judgement("c1", "pass"),
            judgement("c1", "fail", sample=1),
            judgement("c2", None),
            judgement("c2", "pass", sample=1),
        ],
    )
    found = by_id(made)
    assert (found["c1"].outcomes[F1], found["c1"].flipped) == ("unstable", True)
    assert found["c2"].outcomes[OVERALL] == "judge error"


def test_what_was_not_bought_and_what_the_floor_abstains_from_are_no_failures():
    never = judgement("c1", None).model_copy(update={"rejected": ()})
    base = judgement("c2", "fail")
    silent = base.model_copy(update={"abstained": ("F1",)})
    found = by_id(material(failures=[], judgements=[never, silent]))
    assert found["c1"].outcomes == {OVERALL: "not bought"}
    assert set(found["c2"].outcomes.values()) == {"floor abstains"}
    assert not found["c1"].failed
    assert not found["c2"].failed


def test_a_scorer_error_is_somebodys_to_mend():
    found = by_id(material(failures=[failure("c1", kind="scorer_error")], judgements=[]))
    assert found["c1"].outcomes == {EXACT: "scorer error"}
    assert found["c1"].failed == [EXACT]


def test_a_case_says_what_was_asked_and_why_it_failed_by_a_contradicted_claim_first():
    chat = (Message(role="user", content="First?"), Message(role="user", content="  And\nnow? "))
    contradicted = judge_failure("c2", claims=[{"status": "contradicted", "text": "It is free."}])
    made = material(texts=texts(case("c2", input=chat)), failures=[failure("c2"), contradicted])
    found = by_id(made)["c2"]
    assert found.title == "And now?"
    assert found.why == 'contradicted claim "It is free."; claim 1 decides'
    assert by_id(material(texts=texts()))["c2"].title == "How long?"
    long = by_id(material(failures=[failure("c2", reason="word " * 500)]))["c2"]
    assert len(long.why) < 230
    assert long.why.endswith(" ...")


def test_worst_are_breaches_then_contradictions_then_the_most_criteria():
    base = judgement("b", "fail")
    claim = base.verdict.claims[0].model_copy(update={"status": "contradicted"})
    contradicted = base.model_copy(update={"verdict": base.verdict.model_copy(update={"claims": (claim,)})})
    breach = failure("c", capability="policy", scorer="forbidden_tools", criterion="forbidden_tools")
    many = [failure("d"), failure("d", criterion="other"), failure("d", criterion="third")]
    made = material(failures=[failure("a"), breach, *many], judgements=[contradicted], texts=texts())
    found = entries(made)
    order = packed(found, report())["worst"]
    assert [found[index].case_id for index in order] == ["c", "b", "d", "a"]


def test_cases_stand_in_the_order_of_the_golden_set_and_unknown_ones_behind_them():
    made = material(texts=texts(case("c3"), case("c1"), case("unlisted")))
    assert [entry.case_id for entry in entries(made)] == ["c3", "c1", "c2"]


def test_the_packed_list_names_each_thing_once():
    made = replace(material(), flips=frozenset({("c1", "f" * 64)}))
    found = packed(entries(made), made.report)
    assert found["places"] == [list(EXACT), list(F1), list(OVERALL)]
    assert found["tags"] == ["answerable", "hard"]
    assert found["cases"][0] == ["c1", "How long do I have to return it?", "", [0], [], [1, 0, 2, 0], 1]
    assert [OUTCOMES[number] for number in found["mend"]] == [
        "fail",
        "partial",
        "judge error",
        "scorer error",
        "unstable",
    ]


def test_what_code_decided_is_an_outcome_of_every_case_it_decided_about():
    known = texts(case("c1"), case("c2"), case("c3"))
    table, (exact, _) = scores()
    other = RowScores(row=1, codes="AvB", values=(0.25,), reasons={"A": "no_expectation", "B": "output_error"})
    several = CaseScores(table, (exact, other))
    found = by_id(material(failures=[failure("c2")], judgements=[], texts=known, scores=several))
    assert found["c1"].outcomes == {EXACT: "pass", F1: "not scored"}
    assert found["c2"].outcomes == {EXACT: "fail", F1: "measured"}
    assert found["c3"].outcomes == {EXACT: "missing output", F1: "missing output"}
    assert [entry.case_id for entry in sorted(found.values(), key=lambda entry: entry.severity)] == ["c1", "c3", "c2"]


def test_a_verdict_goes_before_what_code_wrote_for_its_row():
    found = by_id(material(scores=scores("ppp", "ppp")))
    assert found["c2"].outcomes == {EXACT: "fail", F1: "fail", OVERALL: "fail"}


def test_a_run_that_is_too_large_lists_what_failed_or_was_judged_and_says_so(monkeypatch):
    made = material(failures=[failure("c2")], judgements=[], scores=scores())
    assert unlisted(made) == ""
    monkeypatch.setattr("evalkit.reporting.html.material.LISTED", 2)
    assert {name: entry.outcomes for name, entry in by_id(made).items()} == {"c2": {EXACT: "fail"}}
    assert "more than 2 cases" in unlisted(made)
    assert "scores.jsonl is missing" in unlisted(material())
