"""What each battery asks, to the word: role, fields, questions with both sides. The sentences carry the judgment."""

from __future__ import annotations

import asyncio

import pytest
from fakes.scripted_classifier import MISSING, Scripted

from evalkit.classifiers import (
    AgentRouterClassifier,
    ContentGuardClassifier,
    IsCompleteClassifier,
    ModelRouterClassifier,
    SkillRelevanceClassifier,
    ToolGuardClassifier,
    ToolRelevanceClassifier,
    ToolResultFilterClassifier,
    choice,
    noul,
    score,
)
from evalkit.classifiers.batteries import wording
from evalkit.classifiers.batteries.tool_guard import approval_request

MODELS = {"large": "Hard.", "small": "Easy."}
SIGNATURES = {
    "tool_guard/1": "4f0d1e0dbac8ed24ae012f51a7ac2dfe37ec28b3486f1a29896c7645ff29bb81",
    "tool_relevance/1": "a2366e245b45cb7dca6c2f780fb965c6778fffee9b84afb63d3c0b2ea9f9c641",
    "skill_relevance/1": "a597451d7b02547a306c05f876dae217a6d58e3bc7fbbe9f0b17b4639270c40c",
    "tool_result_filter/1": "58632e7a8808dc57251d44e89f674f9a2a99db59e1c894cd83f7171a07793b48",
    "is_complete/1": "e05f2af2e1199edb576687cdaf2322287d1761671c1f99ea70bfe1018d1006bc",
    "content_guard/1": "e2ee183fc9aa425e232cd8db45d442b562fad7b02dfc4f4e963655f6348adbc9",
    "agent_router/1": "954904dbe3234c7d9e3326bc979f2b1feeacf64f0fb75aa74ac8a5c05d2aa6ad",
    "model_router/1": "59344cd7ccdd3a9803e9f67dc7c3b05ca0cdc6329c1847a967842dc0e1ea54e6",
}
"""Version of a wording -> signature with the classifier below: who changes a word changes the version, and this line."""


def batteries(classifier):
    return [
        ToolGuardClassifier(classifier, on_error="closed"),
        ToolRelevanceClassifier(classifier, on_error="closed"),
        SkillRelevanceClassifier(classifier, on_error="closed"),
        ToolResultFilterClassifier(classifier, on_error="closed"),
        IsCompleteClassifier(classifier, on_error="closed"),
        ContentGuardClassifier(classifier, on_error="closed"),
        AgentRouterClassifier(classifier),
        ModelRouterClassifier(classifier, models=MODELS),
    ]


def test_a_word_changes_only_with_the_version_of_its_wording():
    found = {battery.wording_version: battery.signature for battery in batteries(Scripted(0))}
    assert found == SIGNATURES


def item(words, name):
    """Return the question about one item, with its name in every sentence."""
    return noul(words.question.replace("{item}", name), **sides(words, name))


def sides(words, name=""):
    return {"yes": words.yes.replace("{item}", name), "no": words.no.replace("{item}", name)}


RELEVANCE, SKILL, FILTER = wording.TOOL_RELEVANCE, wording.SKILL_RELEVANCE, wording.TOOL_RESULT_FILTER
COMPLETE, CONTENT = wording.IS_COMPLETE, wording.CONTENT_GUARD


@pytest.mark.parametrize(
    ("call", "role", "data", "questions"),
    [
        (
            lambda b: b[0].check("rm -r"),
            wording.TOOL_GUARD.role,
            {"call": "rm -r"},
            {"risk": score(wording.TOOL_GUARD.question, wording.TOOL_GUARD.levels)},
        ),
        (
            lambda b: b[1].select("Hi", ["a"]),
            RELEVANCE.role,
            {"prompt": "Hi", "tool_1": "a"},
            {"tool_1": item(RELEVANCE, "tool_1")},
        ),
        (
            lambda b: b[2].select("Hi", ["a"]),
            SKILL.role,
            {"prompt": "Hi", "skill_1": "a"},
            {"skill_1": item(SKILL, "skill_1")},
        ),
        (
            lambda b: b[3].filter("Hi", ["a"]),
            FILTER.role,
            {"query": "Hi", "chunk_1": "a"},
            {"chunk_1": item(FILTER, "chunk_1")},
        ),
        (
            lambda b: b[4].check("Do", "Done", ["x"]),
            COMPLETE.role,
            {"task": "Do", "answer": "Done", "claim_1": "x"},
            {"complete": noul(COMPLETE.question, **sides(COMPLETE)), "claim_1": item(COMPLETE.claim, "claim_1")},
        ),
        (
            lambda b: b[5].check("Hi"),
            CONTENT.role,
            {"text": "Hi"},
            {name: noul(one.question, **sides(one)) for name, one in CONTENT.dimensions.items()},
        ),
        (
            lambda b: b[6].pick("Hi", {"a": "x", "b": ""}, "desk"),
            wording.AGENT_ROUTER.role,
            {"task": "Hi"},
            {"level_1": choice(wording.AGENT_ROUTER.question, {"a": "x", "b": None})},
        ),
        (
            lambda b: b[7].pick("Hi", "small"),
            wording.MODEL_ROUTER.role,
            {"prompt": "Hi"},
            {"model": choice(wording.MODEL_ROUTER.question, MODELS)},
        ),
    ],
)
def test_each_battery_asks_its_wording_and_nothing_else(call, role, data, questions):
    classifier = Scripted(MISSING)
    asyncio.run(call(batteries(classifier)))
    assert classifier.asked == [({"role": role, **data}, questions)]


def test_verdicts_say_why_in_words():
    def reasons(answer):
        _, tools, _, _, complete, content, *_ = batteries(Scripted(answer))
        return [
            asyncio.run(made).reason
            for made in (
                tools.select("Hi", ["a"]),
                tools.select("Hi", []),
                complete.check("Do", "Done"),
                content.check("Hi"),
            )
        ]

    assert reasons(0.9) == [
        "1 of 1 kept",
        "nothing to choose from",
        "every part is a sure yes",
        "sure of insult, harm, sexual, private_data, takeover",
    ]
    assert reasons(0.5)[2:] == [
        "not every part is a sure yes",
        "unsure of insult, harm, sexual, private_data, takeover",
    ]
    assert reasons(RuntimeError())[0] == "on_error: closed"


def test_a_person_is_asked_in_words_with_the_call_before_them():
    request = approval_request({"name": "rm"})
    assert (request.kind, request.prompt) == ("tool_approval", "May this tool call be carried out?")
    assert request.data == {"call": {"name": "rm"}}
