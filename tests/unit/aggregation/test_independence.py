"""Judge and candidate: the same model, the same family, different, unknown."""

from __future__ import annotations

import pytest

from evalkit.aggregation.independence import independence


@pytest.mark.parametrize(
    ("judge", "candidate"),
    [("gpt-4o", "gpt-4o"), ("openai/gpt-4o", "GPT-4o"), (" gpt-4o ", "azure/gpt-4o")],
)
def test_the_same_model_is_not_independent_whatever_its_families_are_said_to_be(judge, candidate):
    found = independence(judge, "gpt", candidate, "something else")
    assert (found["family_differs"], found["independent"]) == ("false", False)
    assert "same model" in found["reason"]


def test_models_of_one_name_from_two_makers_are_not_one_model():
    assert independence("north/base", "north", "south/base", "south")["independent"] is True


def test_the_same_family_is_not_independent():
    found = independence("gpt-4o", "GPT", "gpt-4o-mini", "gpt ")
    assert found == {
        "family_differs": "false",
        "independent": False,
        "reason": "judge and candidate are of the same family (GPT)",
    }


def test_different_families_are_independent():
    found = independence("gpt-4o", "gpt", "claude-sonnet", "claude")
    assert (found["family_differs"], found["independent"]) == ("true", True)
    assert found["reason"] == "different families: judge gpt, candidate claude"


@pytest.mark.parametrize(
    ("judge_family", "candidate_family", "words"),
    [
        (None, "claude", "the family of the judge is unknown; say it in judge.yaml"),
        ("gpt", None, "the family of the candidate is unknown; say it in candidate.yaml"),
        (None, "", "the family of the judge and of the candidate is unknown; say it in judge.yaml and candidate.yaml"),
    ],
)
def test_an_unknown_family_is_never_guessed(judge_family, candidate_family, words):
    found = independence("model-a", judge_family, "model-b", candidate_family)
    assert found == {"family_differs": "unknown", "independent": None, "reason": words}


def test_the_floor_is_no_model_and_so_no_kin():
    found = independence(None, None, None, None, floor=True)
    assert (found["family_differs"], found["independent"]) == ("true", True)
    assert "not a model" in found["reason"]
