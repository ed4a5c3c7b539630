"""Hooks one by one: what each looks at, what it leaves alone, and what it hands on."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from fakes.scripted_classifier import MISSING, Scripted

from evalkit.classifiers import (
    AgentRouterClassifier,
    ContentBlockedError,
    ContentGuardClassifier,
    Dispatch,
    Hooks,
    ModelRouterClassifier,
    Override,
    SkillRelevanceClassifier,
    ToolGuardClassifier,
    ToolRelevanceClassifier,
    ToolResult,
    ToolResultFilterClassifier,
    Turn,
)
from evalkit.classifiers.batteries.tool_result_filter import query_of

USER = {"role": "user", "content": "Write to Ines."}
FIRST_ONLY = Scripted(lambda _, name: 0.9 if name.endswith("_1") else 0.1)


def turned(hooks, turn):
    return asyncio.run(hooks.before_llm(turn))


def test_skills_are_overridden_for_the_turn_with_and_without_a_next():
    seen = []

    async def following(turn):
        seen.append(turn.skills)
        return Override(tools=("t",))

    battery = SkillRelevanceClassifier(FIRST_ONLY, on_error="open")
    turn = Turn(messages=[USER], tools=("a", "b"), skills=("polite", "law"))
    assert turned(battery.as_hook(), turn) == Override(skills=("polite",))
    assert turned(battery.as_hook(Hooks(before_llm=following)), turn) == Override(skills=("polite",), tools=("t",))
    assert seen == [("polite",)]


def test_a_hook_that_has_no_objection_returns_what_next_returns():
    async def following(_):
        return Override(model="m")

    turn = Turn(messages=[USER], tools=("a",))
    hooks = ToolRelevanceClassifier(FIRST_ONLY, on_error="open").as_hook(Hooks(before_llm=following))
    assert turned(hooks, turn) == Override(model="m")


@pytest.mark.parametrize(
    "messages", [[], [{"role": "system", "content": "x"}], [{"role": "user", "content": [{"type": "image"}]}]]
)
@pytest.mark.parametrize("kind", ["tools", "skills", "model", "content"])
def test_a_turn_without_a_users_text_asks_nothing(messages, kind):
    classifier = Scripted(0.9)
    battery = {
        "tools": lambda: ToolRelevanceClassifier(classifier, on_error="closed"),
        "skills": lambda: SkillRelevanceClassifier(classifier, on_error="closed"),
        "model": lambda: ModelRouterClassifier(classifier, models={"a": "x", "b": "y"}),
        "content": lambda: ContentGuardClassifier(classifier, on_error="closed"),
    }[kind]()
    assert turned(battery.as_hook(), Turn(messages=messages, tools=("a",), skills=("b",), model="m")) is None
    assert classifier.asked == []


def test_the_prompt_is_the_users_last_message_its_text_parts_a_line_each():
    parts = [{"type": "text", "text": "one"}, {"type": "image"}, {"type": "text", "text": "two"}, "stray"]
    messages = [USER, {"role": "user", "content": parts}, {"role": "assistant", "content": "x"}]
    assert Turn(messages=messages).prompt == "one\ntwo"
    assert Turn(messages=[USER, {"role": "user"}]).prompt == ""


def test_an_override_of_nothing_is_something_and_an_unset_field_is_not():
    turn = Turn(messages=[USER], tools=("a",), model="m")
    assert Override(tools=()).over(turn).tools == ()
    assert Override().over(turn) == turn
    assert Override(tools=("a",)).under(Override(tools=())) == Override(tools=())
    assert Override(tools=("a",)).under(None) == Override(tools=("a",))


@pytest.mark.parametrize(
    ("call", "query"),
    [
        ({"arguments": {"query": "How long?", "limit": 3}}, "How long?"),
        ({"arguments": {"query": " "}}, '{"query": " "}'),
        ({"arguments": {"query": 3}}, '{"query": 3}'),
        ({"arguments": {"text": "Übersicht"}}, '{"text": "Übersicht"}'),
        ({"arguments": "query=x"}, '"query=x"'),
        ({"name": "search"}, '{"name": "search"}'),
        ("search(x)", '"search(x)"'),
    ],
)
def test_what_a_call_asked_for_is_its_query_else_its_arguments_else_the_call(call, query):
    assert query_of(call) == query


@pytest.mark.parametrize(
    "result",
    [ToolResult(content="text"), ToolResult(content={"a": 1}), ToolResult(content=["a", "b"], error=True)],
)
def test_results_that_are_no_list_and_errors_pass_as_they_are(result):
    seen = []

    async def following(_, given):
        seen.append(given)

    hooks = ToolResultFilterClassifier(FIRST_ONLY, on_error="closed").as_hook(Hooks(after_tool=following))
    assert asyncio.run(hooks.after_tool({}, result)) is None
    assert seen == [result]


def test_next_sees_the_kept_passages_and_its_result_wins():
    async def following(_, given):
        assert given.content == ["a"]
        return ToolResult(content="next")

    battery = ToolResultFilterClassifier(FIRST_ONLY, on_error="closed")
    result = ToolResult(content=["a", "b"])
    assert asyncio.run(battery.as_hook().after_tool({}, result)).content == ["a"]
    wrapped = battery.as_hook(Hooks(after_tool=following))
    assert asyncio.run(wrapped.after_tool({}, result)).content == "next"


def test_the_model_router_overrides_only_with_another_model():
    router = ModelRouterClassifier(Scripted("large"), models={"large": "Hard.", "small": "Easy."})
    turn = Turn(messages=[USER], model="small")
    assert turned(router.as_hook(), turn) == Override(model="large")
    assert turned(router.as_hook(), Turn(messages=[USER], model="large")) is None


def test_the_content_guard_hands_on_what_it_lets_through():
    seen = []

    async def inbound(text):
        seen.append(text)

    async def after_llm(message):
        seen.append(message)

    async def before_llm(turn):
        seen.append(turn.prompt)
        return Override(model="m")

    hooks = ContentGuardClassifier(Scripted(0.5), on_error="closed").as_hook(
        Hooks(inbound=inbound, before_llm=before_llm, after_llm=after_llm), observe=lambda v: seen.append(v.action)
    )
    asyncio.run(hooks.inbound("hello"))
    assert turned(hooks, Turn(messages=[USER])) == Override(model="m")
    asyncio.run(hooks.after_llm({"content": "reply"}))
    asyncio.run(hooks.after_llm({"content": None}))
    asyncio.run(hooks.after_llm("bare"))
    assert seen == [
        "review",
        "hello",
        "review",
        USER["content"],
        "review",
        {"content": "reply"},
        {"content": None},
        "review",
        "bare",
    ]


TURN = Turn(messages=[USER], tools=("a", "b"), skills=("polite", "law"), model="small")
MODELS = {"large": "Hard.", "small": "Easy."}
AGENTS = {"billing": "Invoices.", "tech": "Crashes."}
SEARCH = {"name": "search", "arguments": {"query": "How long?"}}


@pytest.mark.parametrize(
    ("make", "place", "given", "asked"),
    [
        (
            lambda c, **o: ToolRelevanceClassifier(c, on_error="closed").as_hook(**o),
            "before_llm",
            (TURN,),
            {"prompt": "Write to Ines.", "tool_1": "a", "tool_2": "b"},
        ),
        (
            lambda c, **o: SkillRelevanceClassifier(c, on_error="closed").as_hook(**o),
            "before_llm",
            (TURN,),
            {"prompt": "Write to Ines.", "skill_1": "polite", "skill_2": "law"},
        ),
        (
            lambda c, **o: ModelRouterClassifier(c, models=MODELS).as_hook(**o),
            "before_llm",
            (TURN,),
            {"prompt": "Write to Ines."},
        ),
        (
            lambda c, **o: ContentGuardClassifier(c, on_error="open").as_hook(**o),
            "before_llm",
            (TURN,),
            {"text": "Write to Ines."},
        ),
        (
            lambda c, **o: ContentGuardClassifier(c, on_error="open").as_hook(**o),
            "inbound",
            ("hello",),
            {"text": "hello"},
        ),
        (
            lambda c, **o: ToolResultFilterClassifier(c, on_error="closed").as_hook(**o),
            "after_tool",
            (SEARCH, ToolResult(content=["x", "y"])),
            {"query": "How long?", "chunk_1": "x", "chunk_2": "y"},
        ),
        (
            lambda c, **o: ToolGuardClassifier(c, on_error="closed").as_hook(**o),
            "before_tool",
            (SEARCH,),
            {"call": SEARCH},
        ),
        (
            lambda c, **o: AgentRouterClassifier(c).as_hook(agents=AGENTS, fallback="desk", **o),
            "dispatch",
            (Dispatch(task="It crashes", agent="loop"),),
            {"task": "It crashes"},
        ),
    ],
)
def test_each_hook_asks_about_what_stands_at_its_place_and_tells_the_verdict(make, place, given, asked):
    classifier, told = Scripted(MISSING), []
    asyncio.run(getattr(make(classifier, observe=told.append), place)(*given))
    [(state, questions)] = classifier.asked
    assert {name: value for name, value in state.items() if name != "role"} == asked
    assert questions
    [verdict] = told
    assert (verdict.model, verdict.error) == ("scripted-1", None)


def test_a_selection_that_drops_nothing_overrides_nothing():
    keeps = Scripted(0.9)
    for battery in (SkillRelevanceClassifier, ToolRelevanceClassifier):
        assert turned(battery(keeps, on_error="closed").as_hook(), TURN) is None
    after_tool = ToolResultFilterClassifier(keeps, on_error="closed").as_hook().after_tool
    assert asyncio.run(after_tool(SEARCH, ToolResult(content=("x", "y")))) is None


def test_routers_without_a_sure_pick_leave_the_turns_model_and_the_named_fallback():
    unsure = Scripted(MISSING)
    assert turned(ModelRouterClassifier(unsure, models=MODELS).as_hook(), TURN) is None
    hooks = AgentRouterClassifier(unsure).as_hook(agents=AGENTS, fallback="desk")
    assert asyncio.run(hooks.dispatch(Dispatch(task="It crashes", agent="loop"))) == "desk"


def test_next_is_told_the_call_whose_result_was_filtered():
    seen = []

    async def following(call, result):
        seen.append((call, result.content))

    hooks = ToolResultFilterClassifier(FIRST_ONLY, on_error="closed").as_hook(Hooks(after_tool=following))
    asyncio.run(hooks.after_tool(SEARCH, ToolResult(content=["x", "y"])))
    assert seen == [(SEARCH, ["x"])]


@pytest.mark.parametrize(("place", "given"), [("inbound", "bad words"), ("before_llm", TURN)])
def test_a_blocked_text_is_named_by_its_place_and_next_is_not_called(place, given):
    called = []

    async def following(what):
        called.append(what)

    guard = ContentGuardClassifier(Scripted(0.9), on_error="closed")
    hooks = guard.as_hook(Hooks(**{place: following}))
    with pytest.raises(ContentBlockedError, match=f"^the text was blocked at {place}: sure of insult"):
        asyncio.run(getattr(hooks, place)(given))
    assert called == []


def test_what_json_does_not_know_in_a_call_is_shown_as_text():
    assert query_of({"arguments": {"when": Path("a")}}) == '{"when": "a"}'


def test_the_content_guard_reads_the_models_own_words():
    classifier = Scripted(0.01)
    asyncio.run(ContentGuardClassifier(classifier, on_error="closed").as_hook().after_llm({"content": "reply"}))
    assert [state["text"] for state, _ in classifier.asked] == ["reply"]
