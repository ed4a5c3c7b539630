"""What makes a rubric measure badly is named; the shipped rubrics are clean."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from fakes.verdicts import faithfulness

from evalkit.judging.lint import lint_rubric
from evalkit.records.rubrics import Criterion, Rubric

SHIPPED = sorted((Path(__file__).resolve().parents[3] / "rubrics").glob("*.yaml"))
SOUND = {
    "id": "C1",
    "question": "Does the answer name the deadline?",
    "pass_condition": "A sentence of the answer states the deadline that a source gives. Length is no evidence.",
}


def problems(claims: str = "none", **changes) -> list[str]:
    rubric = Rubric(id="r", version="1", claims=claims, criteria=(Criterion(**(SOUND | changes)),))  # type: ignore[arg-type]
    warnings = lint_rubric(rubric)
    assert all(warning.criterion == "C1" and warning.remedy for warning in warnings)
    return [warning.problem for warning in warnings]


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_a_shipped_rubric_is_clean(path):
    rubric = Rubric.model_validate(yaml.safe_load(path.read_text(encoding="utf-8")), strict=False)
    assert rubric.id == path.stem
    assert lint_rubric(rubric) == []
    for criterion in rubric.criteria:
        assert criterion.example_pass
        assert criterion.example_fail


def test_the_shipped_faithfulness_rubric_is_three_critical_criteria_with_a_floor():
    path = next(path for path in SHIPPED if path.stem == "faithfulness")
    rubric = Rubric.model_validate(yaml.safe_load(path.read_text(encoding="utf-8")), strict=False)
    assert [(c.id, c.claims_rule, c.critical, c.floor) for c in rubric.criteria] == [
        ("F1", "all_supported", True, "claims"),
        ("F2", "none_contradicted", True, "claims"),
        ("F3", "citations_support", True, "claims"),
    ]
    assert rubric.claims == "plain"


def test_a_sound_criterion_gets_no_warning():
    assert problems() == []


@pytest.mark.parametrize(
    "word", ["good", "appropriate", "high-quality", "helpful", "clear", "mostly", "well written", "Professional"]
)
def test_vague_words_are_named(word):
    assert word.lower() in problems(question=f"Is the answer {word}?")[0]
    assert "vague" in problems(pass_condition=f"The answer is {word}. Length is no evidence.")[0]


@pytest.mark.parametrize(
    "question", ["Rate the answer from 1 to 10.", "How is the answer on a scale of five?", "Is it 8 out of 10?"]
)
def test_a_scale_is_no_criterion(question):
    assert any("scale" in problem for problem in problems(question=question))


@pytest.mark.parametrize(
    "question",
    ["Is the answer in French and does it cite a source?", "Is it right? Is it short?", "Does the answer name the deadline and avoid prices, or is it silent?"],
)  # fmt: skip
def test_two_questions_in_one_are_named(question):
    assert any("two questions" in problem for problem in problems(question=question))


def test_one_question_about_two_things_is_one_question():
    assert problems(question="Does the answer name the day and the month?") == []


def test_a_pass_condition_needs_something_to_point_at():
    assert any("observed" in problem for problem in problems(pass_condition="Everything is fine, at any length."))


def test_a_middle_grade_needs_its_own_definition():
    assert any(
        "partial" in problem for problem in problems(question="Does the answer fully or partially name the deadline?")
    )
    assert any("middle grade" in problem for problem in problems(partial="somewhat"))
    assert problems(partial="the answer names the day but not the month") == []


def test_a_quality_criterion_says_that_length_is_no_evidence():
    condition = "A sentence of the answer states the deadline that a source gives."
    assert any("length" in problem for problem in problems(pass_condition=condition))
    assert problems(pass_condition=condition, claims="plain", claims_rule="all_supported") == []


@pytest.mark.parametrize(
    "question",
    ["Is the answer valid JSON?", "Does the answer have at most fifty words?", "Does the answer contain the word refund?", "Do the citations resolve?",
     "Is the response time under a second?", "Does it call the right tool?"],
)  # fmt: skip
def test_what_code_can_decide_belongs_to_a_scorer(question):
    rubric = Rubric(id="r", version="1", criteria=(Criterion(**(SOUND | {"question": question})),))
    assert any(
        warning.problem == "code can decide this" and "scorer" in warning.remedy for warning in lint_rubric(rubric)
    )


def test_a_floor_rule_must_exist_and_fit():
    assert any("spans" in problem for problem in problems(floor="spans"))
    assert any("claims_rule" in problem for problem in problems(floor="claims"))
    assert any("mode reference" in problem for problem in problems(floor="facts"))
    assert lint_rubric(faithfulness()) == [] or all(
        "floor" not in warning.remedy for warning in lint_rubric(faithfulness())
    )
