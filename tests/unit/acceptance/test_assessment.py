"""Results of criteria become a score in code, and what could not be decided becomes none."""

from __future__ import annotations

import pytest

from evalkit.acceptance.assessment import assess, result_of
from evalkit.records.acceptance import AcceptanceCriterion, Strategy
from evalkit.records.scores import NO_OUTPUT, Score, Unscored


def results(*given):
    return [
        result_of(
            AcceptanceCriterion(name=f"c{n}", required=required, weight=weight, strategy=Strategy(scorer="x")), result
        )
        for n, (required, weight, result) in enumerate(given)
    ]


PASS, FAIL, NOTHING = Score(1.0, passed=True), Score(0.0, passed=False, reason="no"), Unscored("not_applicable")


@pytest.mark.parametrize(
    ("given", "score", "required", "meets"),
    [
        ([(True, 1.0, PASS)], 1.0, (), True),
        ([(True, 1.0, FAIL), (False, 9.0, PASS)], 0.9, ("c0",), False),
        ([(False, 1.0, FAIL), (False, 4.0, PASS)], 0.8, (), True),
        ([(False, 1.0, FAIL), (False, 3.0, PASS)], 0.75, (), False),
        ([(True, 0.0, FAIL), (False, 1.0, PASS)], 1.0, ("c0",), False),
        ([(True, 1.0, NOTHING), (False, 1.0, PASS)], 1.0, (), True),
        ([(True, 1.0, NO_OUTPUT)], 0.0, ("c0",), False),
    ],
)
def test_the_score_is_the_share_of_weight_and_required_criteria_stand_beside_it(given, score, required, meets):
    found = assess(results(*given))
    assert (found.score, found.required_missed, found.meets(0.8)) == (score, required, meets)


@pytest.mark.parametrize(
    ("hidden", "reason"),
    [
        (Unscored("judge_error:transport", "connection refused"), "judge_error:transport"),
        (Unscored("not_bought"), "not_bought"),
        (Unscored("unstable", "samples: pass, fail"), "unstable"),
        (Unscored("scorer_error", "boom"), "scorer_error"),
        (Score(0.4, passed=None), "no_pass_rule"),
    ],
)
def test_one_criterion_that_could_not_be_decided_leaves_no_score(hidden, reason):
    found = assess(results((True, 1.0, PASS), (False, 1.0, hidden)))
    assert (found.score, found.meets(0.0), found.undecided) == (None, None, reason)
    assert found.detail.startswith("c1: ")


@pytest.mark.parametrize("given", [[(True, 1.0, NOTHING)], [(True, 0.0, PASS), (False, 1.0, NOTHING)], []])
def test_where_nothing_with_a_weight_applies_there_is_no_score(given):
    found = assess(results(*given))
    assert (found.score, found.undecided) == (None, "nothing_applicable")
