from __future__ import annotations

import pytest
from fakes.references import reference_judgement
from fakes.stored_runs import judgement

from evalkit.runstore.grades import grades_of, outcome_of


def test_a_judgement_comes_to_its_grades_and_the_overall_verdict():
    assert grades_of(judgement("c1", "pass")) == {"F1": "pass", "overall": "pass"}


@pytest.mark.parametrize(
    ("samples", "outcome"),
    [
        (["pass", "pass"], "pass"),
        (["pass", "fail"], "unstable"),
        (["partial"], "fail"),
        (["pass", None], "judge_error"),
    ],
)
def test_samples_come_to_one_outcome_and_never_to_a_vote(samples, outcome):
    grades = [grades_of(judgement("c1", grade, sample=index)) for index, grade in enumerate(samples)]
    assert outcome_of("F1", grades) == outcome


def test_criteria_that_the_floor_left_out_take_the_overall_verdict_with_them():
    abstained = judgement("c1", "pass").model_copy(update={"abstained": ("F2",)})
    assert grades_of(abstained) == {"F1": "pass", "F2": "floor_abstains", "overall": "floor_abstains"}


def test_the_shares_of_a_reference_are_numbers_and_averaged_over_samples():
    first = grades_of(reference_judgement())
    assert first["coverage"] == pytest.approx(1 / 3)
    assert outcome_of("coverage", [first, {**first, "coverage": 1.0}]) == pytest.approx(2 / 3)
    assert outcome_of("coverage", [first, grades_of(judgement("c1", None))]) == "judge_error"
