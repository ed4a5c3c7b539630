"""The floor for references looks for words; what it says passes every check of a model's reply."""

from __future__ import annotations

import pytest
from fakes.references import coverage_rubric
from hypothesis import given, settings
from hypothesis import strategies as st

from evalkit.errors import UsageError
from evalkit.judging.floor_facts import floor_reply
from evalkit.judging.floor_rules import rule_fault
from evalkit.judging.requests import Measurement, requests_for
from evalkit.judging.results import results_of
from evalkit.judging.verdicts import lookup
from evalkit.records.cases import Case, Expected
from evalkit.records.judges import JudgeConfig
from evalkit.records.outputs import Output
from evalkit.records.rubrics import Rubric
from evalkit.records.scores import Score, Unscored
from evalkit.records.verdicts import Judgement, ReferenceVerdict

FACTS = ("Refunds are made within 30 days of purchase.", "Only a workspace owner can ask for a refund.")


def ruled() -> Rubric:
    rubric = coverage_rubric()
    return rubric.model_copy(update={"criteria": rubric.criteria[:2]})


def judged(text: str, rubric: Rubric | None = None, **expected) -> Judgement:
    case = Case(id="c", input="How do refunds work?", expected=Expected(**{"facts": FACTS} | expected))
    measurement = Measurement("coverage", rubric or ruled(), JudgeConfig())
    ((found,), misses) = lookup(requests_for(measurement, case, Output(case_id="c", text=text)), None)
    assert not misses
    assert found is not None
    return found


def verdict(text: str, **expected) -> ReferenceVerdict:
    found = judged(text, **expected).verdict
    assert isinstance(found, ReferenceVerdict)
    return found


def statuses(answer: str) -> list[str]:
    return [fact.status for fact in verdict(answer).facts]


def test_facts_in_the_same_words_are_covered_and_quoted():
    found = verdict("Refunds are made within 30 days of purchase. Only a workspace owner can ask for a refund.")
    assert [fact.status for fact in found.facts] == ["covered", "covered"]
    assert found.overall_pass is True
    assert found.facts[0].evidence[0].quote == "Refunds are made within 30 days of purchase."


def test_another_figure_contradicts_and_silence_is_missing():
    assert statuses("Refunds are made within 14 days of purchase.") == ["contradicted", "missing"]


def test_what_goes_against_the_reference_answer_alone_is_a_further_contradiction():
    said = "Refunds are made within 30 days of purchase. Only a workspace owner can ask for a refund. The support line opens at 9 am."
    found = verdict(said, answer="The support line opens at 8 am.")
    assert [fact.status for fact in found.facts] == ["covered", "covered"]
    assert [row.text for row in found.contradictions] == ["The support line opens at 9 am."]
    assert found.overall_pass is False
    assert found.coverage == 1.0
    assert found.contradiction == pytest.approx(1 / 3)


def test_a_criterion_without_a_floor_rule_is_left_out_and_overall_with_it():
    one = judged("Refunds are made within 30 days of purchase.", coverage_rubric())
    assert one.abstained == ("R3",)
    results = results_of(Measurement("coverage", coverage_rubric(), JudgeConfig()), [one])
    assert [type(result) for result in results] == [Score, Score, Unscored, Unscored, Score, Score]


def test_a_rubric_without_any_floor_rule_has_no_rows_by_the_floor():
    bare = coverage_rubric(criteria=(coverage_rubric().criteria[2],))
    results = results_of(Measurement("coverage", bare, JudgeConfig()), [judged("30 days.", bare)])
    assert {result.reason for result in results if isinstance(result, Unscored)} == {"floor_abstains"}
    assert len(results) == 4


def test_a_rule_of_another_mode_is_a_usage_error():
    wrong = ruled().model_copy(
        update={"criteria": tuple(c.model_copy(update={"floor": "claims"}) for c in ruled().criteria)}
    )
    case = Case(id="c", input="Q", expected=Expected(facts=FACTS))
    (request,) = requests_for(Measurement("a", wrong, JudgeConfig()), case, Output(case_id="c", text="x y"))
    with pytest.raises(UsageError, match="mode pointwise"):
        floor_reply(request)


@settings(max_examples=150, deadline=None)
@given(st.text(min_size=1), st.lists(st.text(min_size=1), min_size=1, max_size=3))
def test_whatever_stands_in_answer_and_facts_its_reply_passes_the_checks(answer, facts):
    if not any(fact.strip() for fact in facts):
        return
    found = judged(answer, facts=tuple(facts), answer="It costs 10 dollars. " + answer[::-1])
    if found.abstained or any(fact.isspace() for fact in facts):
        return
    assert found.verdict is not None, found.rejected


def test_a_floor_rule_without_a_rule_to_decide_is_said():
    bare = coverage_rubric().criteria[2].model_copy(update={"floor": "facts"})
    assert "needs a claims_rule" in str(rule_fault(coverage_rubric(), bare))
    assert rule_fault(coverage_rubric(), coverage_rubric().criteria[0]) is None
