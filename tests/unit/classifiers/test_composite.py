"""Composite: the host's weights over independent answers."""

from __future__ import annotations

import pytest
from fakes.classifiers import decide

from evalkit.classifiers import Bands
from evalkit.classifiers.composite import composite
from evalkit.errors import UsageError


def test_nouls_and_scores_are_weighted_on_one_scale():
    found = composite(decide({"rude": 0.9, "risk": [0.0, 0.95, 0.05]}), {"rude": 3, "risk": 1})
    assert found.value == pytest.approx(0.75 * 0.9 + 0.25 * 1.05 / 2)
    assert {name: part.weight for name, part in found.parts.items()} == {"rude": 0.75, "risk": 0.25}
    assert {name: part.amount for name, part in found.parts.items()} == {"rude": 0.9, "risk": 0.525}
    assert found.parts["rude"].confidence == 0.8
    assert found.parts["risk"].confidence == 0.925
    assert found.least_confidence == 0.8
    assert not found.uncertain
    assert found.missing == ()


@pytest.mark.parametrize(("p", "confidence"), [(0.1, 0.8), (0.5, 0.0), (0.7, 0.4), (1.0, 1.0)])
def test_a_nouls_confidence_is_its_distance_from_the_middle(p, confidence):
    assert composite(decide({"rude": p}), {"rude": 1}).least_confidence == confidence


@pytest.mark.parametrize(("p", "uncertain"), [(0.29, False), (0.30, True), (0.70, True), (0.71, False)])
def test_one_unsure_part_makes_the_whole_uncertain(p, uncertain):
    found = composite(decide({"rude": p, "risk": 0}), {"rude": 1, "risk": 1})
    assert found.uncertain is uncertain
    assert found.parts["risk"].sure
    assert found.parts["rude"].sure is not uncertain


def test_the_bands_are_the_callers():
    assert not composite(decide({"rude": 0.6}), {"rude": 1}, bands=Bands(low=0.5, high=0.5)).uncertain


def test_a_missing_answer_is_an_error_that_names_it():
    with pytest.raises(UsageError, match="'risk'"):
        composite(decide({"rude": 0.9}), {"rude": 1, "risk": 1})


def test_a_missing_answer_may_be_skipped_and_is_named():
    found = composite(decide({"rude": 0.9}), {"rude": 1, "risk": 3}, missing="skip")
    assert found.value == 0.9
    assert found.parts["rude"].weight == 1
    assert found.missing == ("risk",)


def test_a_composite_of_nothing_but_missing_answers_is_an_error():
    with pytest.raises(UsageError, match="no answer"):
        composite(decide({"team": "sales"}), {"rude": 1, "risk": 1}, missing="skip")


@pytest.mark.parametrize("weights", [{}, {"rude": 0}, {"rude": -1}, {"rude": float("nan")}, {"rude": float("inf")}])
def test_weights_are_the_hosts_and_positive(weights):
    with pytest.raises(UsageError, match="weight"):
        composite(decide({"rude": 0.9}), weights)


def test_a_choice_has_no_amount():
    with pytest.raises(UsageError, match="'team'"):
        composite(decide({"team": "sales"}), {"team": 1})


@pytest.mark.parametrize("calibrated", [True, False])
def test_it_says_whether_its_answers_are_calibrated(calibrated):
    assert composite(decide({"rude": 0.9}, calibrated=calibrated), {"rude": 1}).calibrated is calibrated


def test_every_missing_answer_is_named():
    with pytest.raises(UsageError, match=r"^no answer to 'risk', 'calm', which the composite weighs$"):
        composite(decide({"rude": 0.9}), {"rude": 1, "risk": 1, "calm": 1})
    with pytest.raises(UsageError, match=r"^a composite needs the host's weights$"):
        composite(decide({"rude": 0.9}), {})
