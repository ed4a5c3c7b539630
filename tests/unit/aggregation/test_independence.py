"""Judge and candidate: the same model, the same family, different, unknown."""

from __future__ import annotations

import pytest

from evalkit.aggregation.independence import CLASSIFIER, independence, least_independent


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


def test_the_classifier_before_a_judge_is_named_as_what_it_is():
    found = independence("jev-1", "jev", "jev-2", "jev", who=CLASSIFIER)
    assert found["reason"] == "classifier and candidate are of the same family (jev)"
    unknown = independence("x", None, "m", "f", who=CLASSIFIER)
    assert unknown["reason"] == "the family of the classifier is unknown; say it in classifier.yaml"
    assert independence("list", None, "m", "f", who=CLASSIFIER, floor=True)["independent"] is True


def test_the_less_independent_tier_speaks_and_where_they_are_equal_both_do():
    differs = independence("j", "judges", "m", "writers")
    same, unknown = (
        independence("c", "writers", "m", "writers", who=CLASSIFIER),
        independence("c", None, "m", "writers"),
    )
    assert least_independent([differs], [same]) == same
    assert least_independent([differs], [unknown])["independent"] is None
    assert least_independent([differs], []) == differs
    both = least_independent([differs], [independence("c", "jevs", "m", "writers", who=CLASSIFIER)])
    assert both["reason"] == (
        "different families: judge judges, candidate writers; different families: classifier jevs, candidate writers"
    )
