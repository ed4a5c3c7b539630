"""Numbers read from probabilities: confidence, near uniform, expectation, and what is no distribution."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalkit.records.decisions import (
    Decision,
    NoulAnswer,
    choice_answer,
    choice_confidence,
    distribution_fault,
    expectation,
    near_uniform,
    score_answer,
    score_confidence,
)


def test_the_wires_own_example_gives_the_servers_numbers():
    assert choice_answer({"billing": 0.88, "sales": 0.12}).confidence == 0.76
    risk = score_answer([0.0, 0.95, 0.05])
    assert risk.score == 1.05
    assert risk.confidence == 0.925  # 1 - 0.05 x 1 / (2/3), which the server rounds to 0.92
    assert risk.normalised == 0.525


@pytest.mark.parametrize("size", range(2, 256))
def test_choice_confidence_is_0_for_uniform_and_1_for_certain(size):
    assert choice_confidence((1 / size,) * size) == 0
    assert choice_confidence((1.0,) + (0.0,) * (size - 1)) == 1


def test_choice_confidence_of_four_options_meets_a_round_threshold():
    assert choice_confidence((0.775, 0.075, 0.075, 0.075)) == 0.7


def test_choice_confidence_is_never_negative():
    assert choice_confidence((0.475, 0.475)) == 0


@pytest.mark.parametrize(
    ("probabilities", "confidence"),
    [
        ((1.0, 0.0), 1.0),
        ((0.5, 0.5), 0.0),  # D = 1/2; spread 0.5 around the lower mode
        ((0.2, 0.8), 0.6),
        ((0.0, 0.5, 0.5), 0.25),  # D = 2/3; the lower of equal modes
        ((0.5, 0.0, 0.5), 0.0),  # spread 1 > D
        ((0.1, 0.7, 0.1, 0.1), 0.6),  # D = 1; spread 0.1 + 0.1 + 0.2
        ((0.0, 0.0, 0.0, 1.0), 1.0),
    ],
)
def test_score_confidence_by_hand(probabilities, confidence):
    assert score_confidence(probabilities) == pytest.approx(confidence, abs=1e-11)


@pytest.mark.parametrize(
    ("probabilities", "expected"),
    [
        ((0.55, 0.45), True),  # 0.05 on the edge, although 0.55 - 0.5 > 0.05 in floats
        ((0.56, 0.44), False),
        ((0.3, 0.2, 0.25, 0.25), True),
        ((0.19, 0.27, 0.27, 0.27), False),  # only one lies below
    ],
)
def test_near_uniform_is_within_5_hundredths_the_edge_included(probabilities, expected):
    assert near_uniform(probabilities) is expected
    assert score_answer(probabilities).near_uniform is expected
    assert choice_answer(dict(zip("abcd", probabilities, strict=False))).near_uniform is expected


def test_the_first_of_equal_options_is_the_choice():
    assert choice_answer({"a": 0.2, "b": 0.4, "c": 0.4}).choice == "b"


def test_the_expectation_does_not_depend_on_rounded_sums():
    assert expectation((0.0, 0.97)) == 1.0


@pytest.mark.parametrize(
    ("probabilities", "faulty"),
    [
        ((0.5, 0.5), False),
        ((0.45, 0.5), False),  # 0.95, on the edge
        ((0.55, 0.5), False),
        ((0.44, 0.5), True),
        ((0.56, 0.5), True),
        ((0.0,) * 9 + (0.95,), False),
        ((0.0,) * 10 + (0.945,), False),  # 11 options: 0.055
        ((0.0,) * 10 + (0.944,), True),
        ((math.nan, 1.0), True),
        ((-0.01, 1.0), True),
        ((1.01, 0.0), True),
        ((1.0, 0.0), False),
        ((math.inf, 0.0), True),
    ],
)
def test_what_is_a_distribution(probabilities, faulty):
    assert (distribution_fault(probabilities) is not None) is faulty


@given(st.lists(st.floats(0.01, 1), min_size=2, max_size=10))
def test_numbers_read_from_any_distribution_stay_in_range(weights):
    probabilities = tuple(weight / sum(weights) for weight in weights)
    answer = score_answer(probabilities)
    assert 0 <= answer.confidence <= 1
    assert 0 <= answer.score <= len(weights) - 1
    assert 0 <= choice_confidence(probabilities) <= 1


def test_a_decision_survives_its_own_json():
    decision = Decision(
        answers={"a": NoulAnswer(p=0.9), "b": choice_answer({"x": 1.0, "y": 0.0}), "c": score_answer([0.0, 1.0])},
        model="m",
        calibrated=True,
    )
    assert Decision.model_validate_json(decision.model_dump_json()) == decision
    assert [answer.value() for answer in decision.answers.values()] == [0.9, "x", 1.0]


def test_what_a_server_says_stands_beside_what_is_computed_and_nobody_is_named_who_was_not():
    for answer in (
        choice_answer({"a": 0.9, "b": 0.1}, server_confidence=0.4),
        score_answer([0.9, 0.1], server_confidence=0.4),
    ):
        assert (answer.confidence, answer.server_confidence, answer.source) == (0.8, 0.4, "")
