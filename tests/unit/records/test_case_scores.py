from __future__ import annotations

import pytest

from evalkit.records.case_scores import CaseScores, stored_result
from evalkit.records.scores import Score, Unscored


@pytest.mark.parametrize(
    ("result", "rate", "stored"),
    [
        (Score(1.0, passed=True), True, True),
        (Score(0.5, passed=None), False, 0.5),
        (Score(0.5, passed=False), False, [0.5, False]),
        (Score(0.5, passed=None), True, "scorer_error"),
        (Score(float("nan"), passed=None), False, "scorer_error"),
        (Score(1e200, passed=None), False, "scorer_error"),
        (Unscored("no_expectation"), True, "no_expectation"),
    ],
)
def test_a_result_is_stored_as_a_row_counts_it(result, rate, stored):
    assert stored_result(result, rate=rate) == stored


def test_a_line_is_read_back_with_rows_as_numbers_and_pass_apart_from_value():
    text = '{"case_id": "c", "case": "0", "output": null, "scores": {"0": true, "1": 1, "2": "x", "10": [0.5, false]}}'
    scores = CaseScores.model_validate_json(text).scores
    assert scores == {0: True, 1: 1.0, 2: "x", 10: (0.5, False)}
    assert scores[0] is True
    assert scores[1] is not True
