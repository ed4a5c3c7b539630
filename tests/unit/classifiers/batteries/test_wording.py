"""The sentences are the product: a word that changes takes a new version with it."""

from __future__ import annotations

import asyncio

import pytest
from fakes.scripted_classifier import MISSING, Scripted
from pydantic import ValidationError

from evalkit.classifiers import (
    AgentRouterClassifier,
    ContentGuardClassifier,
    IsCompleteClassifier,
    ModelRouterClassifier,
    SkillRelevanceClassifier,
    ToolGuardClassifier,
    ToolRelevanceClassifier,
    ToolResultFilterClassifier,
)
from evalkit.classifiers.batteries import wording
from evalkit.classifiers.lint import lint
from evalkit.records.identity import content_hash

PINNED = {
    "tool_guard/1": "46ea6b2d3b96355f",
    "tool_relevance/1": "e2b57ca620eb8c9c",
    "skill_relevance/1": "a312cfe77af146ff",
    "tool_result_filter/1": "062657cf41112dcb",
    "is_complete/1": "046aea9937dcdcc5",
    "agent_router/1": "4208df24653e5287",
    "model_router/1": "6f4cbca234071ec9",
    "content_guard/1": "64380d12b4d2c9dc",
}


def defaults():
    return {name: value for name, value in vars(wording).items() if isinstance(value, wording.Wording)}


def test_a_changed_word_comes_with_a_new_version():
    found = {
        value.version: content_hash("wording", value.model_dump(mode="json"))[:16] for value in defaults().values()
    }
    assert found == PINNED, "give the changed wording a new version, pin it here and note it in CHANGELOG.md"


def test_an_item_question_names_its_item():
    with pytest.raises(ValidationError, match="does not name the item"):
        wording.TOOL_RELEVANCE.model_validate(wording.TOOL_RELEVANCE.model_dump() | {"question": "Is it needed?"})


def test_a_wording_without_a_version_is_refused():
    given = wording.TOOL_GUARD.model_dump()
    del given["version"]
    with pytest.raises(ValidationError, match="version"):
        wording.GuardWording.model_validate(given)


def test_the_default_wordings_leave_the_lint_without_a_doubt():
    classifier = Scripted(MISSING)
    for asking in (
        ToolGuardClassifier(classifier, on_error="closed").check({"name": "a"}),
        ToolRelevanceClassifier(classifier, on_error="open").select("p", ["a"]),
        SkillRelevanceClassifier(classifier, on_error="open").select("p", ["a"]),
        ToolResultFilterClassifier(classifier, on_error="open").filter("p", ["a"]),
        IsCompleteClassifier(classifier, on_error="closed").check("p", "a", ["c"]),
        ContentGuardClassifier(classifier, on_error="closed").check("p"),
        AgentRouterClassifier(classifier).pick("p", {"a": "x", "b": "y"}, "z"),
        ModelRouterClassifier(classifier, models={"a": "x", "b": "y"}).pick("p", "z"),
    ):
        asyncio.run(asking)
    assert len(classifier.asked) == 8
    assert [str(doubt) for state, questions in classifier.asked for doubt in lint(questions, state)] == []
