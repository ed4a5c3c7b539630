"""Which exclusions could have been a pass or a fail."""

from __future__ import annotations

import pytest

from evalkit.aggregation.exclusions import hides_outcome, unknown_outcomes


@pytest.mark.parametrize("reason", ["not_applicable", "no_expectation", "not_applicable:no claims"])
def test_a_criterion_that_asks_nothing_hides_nothing(reason):
    assert not hides_outcome(reason)


@pytest.mark.parametrize(
    "reason",
    ["judge_error:parse", "judge_error:transport", "unknown_latency", "missing_output", "unstable", "not_bought"],
)
def test_a_case_that_was_not_measured_hides_its_outcome(reason):
    assert hides_outcome(reason)


def test_a_reason_that_nobody_wrote_down_widens_the_bounds():
    assert hides_outcome("the scorer of my own says so")


def test_only_hidden_outcomes_are_counted():
    assert unknown_outcomes({"not_applicable": 5, "judge_error:parse": 2, "null_text": 1}) == 3
