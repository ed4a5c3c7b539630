"""An agent on a loopback model, with and without batteries: what is sent, what runs, and in which order."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest
from fakes.chat_server import ChatServer, say
from fakes.scripted_classifier import Scripted
from fakes.small_agent import Agent, Suspended, bodies, calls_tools

from evalkit.classifiers import (
    Approvals,
    ContentBlockedError,
    ContentGuardClassifier,
    Hooks,
    ModelRouterClassifier,
    Override,
    ToolGuardClassifier,
    ToolRelevanceClassifier,
    ToolResult,
    ToolResultFilterClassifier,
)

RISKS = {"read_file": 0, "delete_path": 3, "send_mail": 2}
THREE_CALLS = calls_tools(
    ("read_file", {"path": "a.txt"}), ("delete_path", {"path": "b.txt"}), ("send_mail", {"to": "ines"})
)

DEFAULT_SCRIPT = (THREE_CALLS, say("done"))


def read_file(_):
    """Reads a file."""
    return "text of a.txt"


def delete_path(_):
    """Deletes a path."""
    return "deleted"


def send_mail(_):
    """Sends a mail."""
    return "sent"


TOOLS = {"read_file": read_file, "delete_path": delete_path, "send_mail": send_mail}


def risk(state, _):
    return RISKS[state["call"]["name"]]


def everything_fine(state, name):
    return 0 if name == "risk" else 0.01 if "text" in state else 0.9


def finished(hooks, script=DEFAULT_SCRIPT, tools=TOOLS):
    """Return what an agent's run sent, ran and gave."""
    with ChatServer(script=list(script)) as server:
        agent = Agent(server.url, tools, hooks)
        end = asyncio.run(agent.run("Tidy up and tell Ines."))
        return bodies(server.requests), agent.ran, end, agent.messages


def test_a_host_without_batteries_sends_and_runs_exactly_the_same():
    without = finished(None)
    assert finished(Hooks()) == without
    assert without[1] == ["read_file", "delete_path", "send_mail"]


def test_batteries_that_have_no_objection_leave_every_byte_as_it_was():
    classifier = Scripted(everything_fine)
    hooks = ToolGuardClassifier(classifier, on_error="closed").as_hook(
        ToolRelevanceClassifier(classifier, on_error="open").as_hook(
            ToolResultFilterClassifier(classifier, on_error="open").as_hook(
                ContentGuardClassifier(classifier, on_error="closed").as_hook()
            )
        )
    )
    assert finished(hooks) == finished(None)
    assert classifier.asked


def test_a_run_in_which_one_call_is_allowed_one_denied_and_one_suspended_and_resumed():
    order = []

    async def record(call):
        order.append(f"next {call['name']}")

    def noted(name, tool):
        def run(arguments):
            order.append(f"tool {name}")
            return tool(arguments)

        return run

    approvals = Approvals()
    guard = ToolGuardClassifier(Scripted(risk), on_error="closed")
    hooks = guard.as_hook(
        Hooks(before_tool=record), approvals=approvals, observe=lambda v: order.append(f"guard {v.action}")
    )
    with ChatServer(script=[THREE_CALLS, say("All done.")]) as server:
        agent = Agent(server.url, {name: noted(name, tool) for name, tool in TOOLS.items()}, hooks)
        stopped = asyncio.run(agent.run("Tidy up and tell Ines."))
        assert isinstance(stopped, Suspended)
        assert len(server.requests) == 1, "the model is not asked while a call waits"
        assert order == ["guard allow", "next read_file", "tool read_file", "guard deny", "guard ask"]
        assert stopped.pending.request.data["call"]["name"] == "send_mail"

        approvals.answer(stopped.pending.request.id, approved=True)
        assert asyncio.run(agent.resume(stopped)) == "All done."
    assert order[5:] == ["next send_mail", "tool send_mail"]
    told = [message["content"] for message in agent.messages if message["role"] == "tool"]
    assert told[0] == "text of a.txt"
    assert told[1].startswith("ERROR: This call was not carried out: risk 3.00")
    assert told[2] == "sent"


def test_a_refused_call_is_told_to_the_model_and_neither_next_nor_the_tool_runs():
    order = []

    async def record(call):
        order.append(call["name"])

    approvals = Approvals()
    hooks = ToolGuardClassifier(Scripted(2), on_error="closed").as_hook(Hooks(before_tool=record), approvals=approvals)
    script = [calls_tools(("send_mail", {"to": "ines"})), say("Then not.")]
    with ChatServer(script=script) as server:
        agent = Agent(server.url, TOOLS, hooks)
        stopped = asyncio.run(agent.run("Tell Ines."))
        approvals.answer(stopped.pending.request.id, approved=False)
        assert asyncio.run(agent.resume(stopped)) == "Then not."
    assert order == agent.ran == []
    assert agent.messages[-2]["content"] == "ERROR: A person refused this call."


def test_an_approval_lets_one_call_through_and_only_this_call():
    approvals = Approvals()
    before_tool = ToolGuardClassifier(Scripted(2), on_error="closed").as_hook(approvals=approvals).before_tool
    call = {"id": "call-1", "name": "send_mail", "arguments": {"to": "ines"}}
    pending = asyncio.run(before_tool(call))
    approvals.answer(pending.request.id, approved=True)
    other = asyncio.run(before_tool({**call, "arguments": {"to": "everybody"}}))
    assert other.request.id != pending.request.id
    assert asyncio.run(before_tool(call)) is None
    assert asyncio.run(before_tool(call)) == pending


def test_the_order_of_side_effects_of_stacked_hooks_is_outside_in():
    order = []

    async def last_tool(call):
        order.append("next before_tool")

    async def last_llm(turn):
        order.append(f"next before_llm with {len(turn.tools)} tools")

    def relevant(state, name):
        if name == "risk":
            return 0
        return 0.9 if state[name]["function"]["name"] == "read_file" else 0.1

    classifier = Scripted(relevant)
    hooks = ToolGuardClassifier(classifier, on_error="closed").as_hook(
        ToolRelevanceClassifier(classifier, on_error="open").as_hook(
            Hooks(before_tool=last_tool, before_llm=last_llm), observe=lambda v: order.append(f"select {v.reason}")
        ),
        observe=lambda v: order.append(f"guard {v.action}"),
    )
    sent, ran, _, _ = finished(hooks, [calls_tools(("read_file", {"path": "a"})), say("done")])
    turn = ["select 1 of 3 kept", "next before_llm with 1 tools"]
    assert order == [*turn, "guard allow", "next before_tool", *turn]
    assert ran == ["read_file"]
    assert all("delete_path" not in body for body in sent)


def test_fields_that_next_sets_win_over_the_batterys_and_hold_for_one_turn():
    turns = []

    async def choose(turn):
        turns.append(turn.model)
        return Override(model="fixed") if len(turns) == 1 else None

    router = ModelRouterClassifier(Scripted("large"), models={"large": "Hard questions.", "small": "Everything else."})
    sent, _, _, _ = finished(router.as_hook(Hooks(before_llm=choose)), [THREE_CALLS, say("done")])
    assert turns == ["large", "large"], "the second turn starts from the loop's own model again"
    assert '"model": "fixed"' in sent[0]
    assert '"model": "large"' in sent[1]


def test_a_blocked_text_never_reaches_the_model():
    guard = ContentGuardClassifier(Scripted(lambda _, name: 0.9 if name == "harm" else 0.01), on_error="closed")
    with ChatServer("ok") as server:
        with pytest.raises(ContentBlockedError, match="blocked at inbound: sure of harm") as raised:
            asyncio.run(Agent(server.url, TOOLS, guard.as_hook()).run("secret words"))
        assert server.requests == []
    assert "secret words" not in str(raised.value)


def test_what_the_model_says_is_only_observed():
    seen = []
    texts = {"Hello": 0.01}
    guard = ContentGuardClassifier(Scripted(lambda state, _: texts.get(state["text"], 0.99)), on_error="closed")
    with ChatServer("You fool") as server:
        hooks = guard.as_hook(observe=lambda v: seen.append(v.action))
        assert asyncio.run(Agent(server.url, TOOLS, hooks).run("Hello")) == "You fool"
    assert seen == ["allow", "allow", "block"]


def test_passages_that_surely_do_not_answer_are_not_shown_to_the_model():
    def search(_):
        """Searches the help."""
        return ["Parcels take two days.", "Passwords last an hour."]

    hooks = ToolResultFilterClassifier(
        Scripted(lambda state, name: 0.9 if "Parcels" in state[name] else 0.1), on_error="open"
    ).as_hook()
    script = [calls_tools(("search", {"query": "How long?"})), say("Two days.")]
    *_, messages = finished(hooks, script, {"search": search})
    assert messages[2]["content"] == '["Parcels take two days."]'


def test_places_that_are_not_the_batterys_stay_what_they_were():
    async def inbound(_):
        return None

    async def after_tool(_, result):
        return replace(result, content="seen")

    mine = Hooks(inbound=inbound, after_tool=after_tool)
    wrapped = ToolGuardClassifier(Scripted(0), on_error="closed").as_hook(mine)
    assert wrapped.inbound is inbound
    assert wrapped.after_tool is after_tool
    assert asyncio.run(wrapped.after_tool({}, ToolResult(content="x"))).content == "seen"
