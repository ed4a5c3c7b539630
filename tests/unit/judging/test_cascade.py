"""Which rubrics a classifier may decide by, what it is asked, and who decides a case: values on the cuts above all."""

from __future__ import annotations

import pytest
from fakes.verdicts import faithfulness, helpfulness

from evalkit.judging.cascade import CheapTier, altered, decided, question_of, reading, state_of, why_not
from evalkit.judging.requests import Measurement, requests_for
from evalkit.records.cases import Case
from evalkit.records.classifiers import ClassifierConfig
from evalkit.records.decisions import Decision, NoulAnswer
from evalkit.records.judges import CascadeConfig, JudgeConfig
from evalkit.records.outputs import Output
from evalkit.records.rubrics import Criterion

ONE = "q"


def criterion(name, **changes):
    return Criterion(**{"id": name, "question": "Is it short?", "pass_condition": "One sentence."} | changes)


def rubric(*criteria, **changes):
    return helpfulness(criteria=criteria or (criterion("A"), criterion("B")), **changes)


def tier(*criteria, **settings):
    return CheapTier(rubric(*criteria), CascadeConfig(classifier="c.yaml", **settings), ClassifierConfig())


def said(p, **fields):
    return Decision(answers={ONE: NoulAnswer(p=p, **fields)}, model="cheap", calibrated=True)


def told(one, *values, failed=()):
    names = [entry.id for entry in one.rubric.criteria]
    return reading(one, {name: said(p) for name, p in zip(names, values, strict=False)}, failed, ONE)


def request_of(one, text="It is short."):
    measurement = Measurement("brevity", one.rubric, JudgeConfig(client="openai", model="m"), one)
    case = Case(id="c1", capabilities=("brevity",), input="Say it.", context=({"id": "d", "text": "A source."},))
    return requests_for(measurement, case, Output(case_id="c1", text=text))[0]


@pytest.mark.parametrize(
    ("p", "band"),
    [(0.0, "fail"), (0.299, "fail"), (0.3, "uncertain"), (0.7, "uncertain"), (0.701, "pass"), (1.0, "pass")],
)
def test_a_value_on_a_cut_is_the_judges(p, band):
    found = told(tier(criterion("A")), p)
    assert found.answers["A"].band == band
    assert found.decided_by == ("judge" if band == "uncertain" else "classifier")


def test_one_uncertain_criterion_sends_the_whole_case_to_the_judge():
    found = told(tier(), 0.99, 0.5)
    assert (found.decided_by, found.why) == ("judge", "uncertain")
    assert {name: answer.band for name, answer in found.answers.items()} == {"A": "pass", "B": "uncertain"}


def test_views_that_disagree_are_never_sure():
    found = reading(tier(criterion("A")), {"A": said(0.99, disagrees=True)}, (), ONE)
    assert found.why == "uncertain"


def test_a_missing_answer_is_a_failure_or_was_not_asked():
    failed, left = told(tier(), 0.99, failed=["down"]), told(tier(), 0.99)
    assert (failed.why, failed.detail, failed.decided_by) == ("classifier_failed", "down", "judge")
    assert (left.why, left.detail, left.decided_by) == ("not_asked", "", "judge")


def test_only_critical_criteria_make_the_overall_grade():
    one = tier(criterion("A"), criterion("B", critical=False))
    assert decided(one, request_of(one), told(one, 0.9, 0.1)).graded.overall_pass is True
    assert decided(one, request_of(one), told(one, 0.1, 0.9)).graded.overall_pass is False
    none = tier(criterion("A", critical=False))
    assert decided(none, request_of(none), told(none, 0.9)).graded.overall_pass is None


def test_a_decision_names_who_decided_and_quotes_nothing():
    one = tier()
    found = decided(one, request_of(one), told(one, 0.9, 0.1))
    assert found.graded.evidence == ()
    assert found.graded.criteria["B"].evidence == ()
    assert found.graded.criteria["B"].rationale.endswith("the probability of a pass is 0.1, below 0.3")
    assert found.graded.criteria["A"].rationale.endswith("the probability of a pass is 0.9, above 0.7")
    assert found.purchase is None
    assert found.request_key != request_of(one).key
    assert altered(one).decided_by == "judge"


def test_the_state_is_the_case_as_the_judge_is_shown_it():
    one = tier()
    assert state_of(request_of(one, "A\u200bB")) == {
        "question": "Say it.",
        "context": [{"id": "d", "text": "A source."}],
        "answer": "A\\u{200B}B",
    }
    question = question_of(criterion("A"))
    assert question.instructions == "About the text in `answer`: Is it short?"
    assert question.criteria.yes == "One sentence."


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        (rubric(), ""),
        (rubric(channels={"tone": "Which?"}), ""),
        (faithfulness(), "claims"),
        (rubric(claims="plain"), "claims"),
        (rubric(criterion("A"), criterion("P", partial="half")), "P: a middle grade"),
        (rubric(constitution="Be brief."), "constitution"),
        (rubric(mode="reference"), "reference"),
    ],
)
def test_what_a_probability_cannot_answer_stays_the_judges(given, reason):
    found = why_not(given)
    assert reason in found
    assert bool(found) == bool(reason)


def test_the_judges_hash_covers_the_cheap_tier_and_not_its_sample():
    def hashed(**settings):
        one = tier(**settings)
        return Measurement("brevity", one.rubric, JudgeConfig(client="openai", model="m"), one).config_hash

    alone = Measurement("brevity", rubric(), JudgeConfig(client="openai", model="m")).config_hash
    hashes = [hashed(), hashed(low=0.2), hashed(high=0.8), alone]
    assert len(set(hashes)) == 4
    assert hashed(sample=7, seed=3) == hashes[0]
