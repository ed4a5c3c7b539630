"""A small agent with a model on the loopback: what a host's loop does at each place of its hooks."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import aiohttp

from evalkit.classifiers import Hooks, Pending, ToolResult, Turn
from fakes.chat_server import Behaviour, completion, send_json

Tool = Callable[[Mapping[str, Any]], Any]


@dataclass
class Suspended:
    """A run that waits for a person."""

    pending: Pending
    left: list[dict[str, Any]]
    """Calls of the turn that are not done; the first is the pending one."""


@dataclass
class Agent:
    """Runs until the model calls no more tools, or a call is pending."""

    url: str
    tools: Mapping[str, Tool]
    hooks: Hooks | None = None
    model: str = "small"
    messages: list[dict[str, Any]] = field(default_factory=list)
    ran: list[str] = field(default_factory=list)

    async def run(self, prompt: str) -> str | Suspended:
        """Answer a prompt."""
        if self.hooks and self.hooks.inbound:
            await self.hooks.inbound(prompt)
        self.messages.append({"role": "user", "content": prompt})
        return await self._go_on([])

    async def resume(self, suspended: Suspended) -> str | Suspended:
        """Go on after the pending request was answered."""
        return await self._go_on(suspended.left)

    async def _go_on(self, left: list[dict[str, Any]]) -> str | Suspended:
        while True:
            while left:
                done = await self._call(left[0])
                if isinstance(done, Pending):
                    return Suspended(done, left)
                left = left[1:]
            message = await self._ask()
            self.messages.append(message)
            left = [self._named(call) for call in message.get("tool_calls") or []]
            if not left:
                return str(message["content"])

    async def _ask(self) -> dict[str, Any]:
        offered = [
            {"type": "function", "function": {"name": name, "description": tool.__doc__}}
            for name, tool in self.tools.items()
        ]
        turn = Turn(messages=self.messages, tools=offered, model=self.model)
        if self.hooks and self.hooks.before_llm:
            override = await self.hooks.before_llm(turn)
            turn = override.over(turn) if override else turn
        body = {"model": turn.model, "messages": list(turn.messages), "tools": list(turn.tools)}
        async with aiohttp.ClientSession() as session, session.post(f"{self.url}/chat/completions", json=body) as reply:
            message: dict[str, Any] = (await reply.json())["choices"][0]["message"]
        if self.hooks and self.hooks.after_llm:
            await self.hooks.after_llm(message)
        return message

    async def _call(self, call: dict[str, Any]) -> Pending | None:
        result = await self.hooks.before_tool(call) if self.hooks and self.hooks.before_tool else None
        if isinstance(result, Pending):
            return result
        if result is None:
            self.ran.append(call["name"])
            result = ToolResult(content=self.tools[call["name"]](call["arguments"]))
        if self.hooks and self.hooks.after_tool:
            result = await self.hooks.after_tool(call, result) or result
        content = result.content if isinstance(result.content, str) else json.dumps(result.content)
        content = f"ERROR: {content}" if result.error else content
        self.messages.append({"role": "tool", "tool_call_id": call["id"], "content": content})
        return None

    @staticmethod
    def _named(call: Mapping[str, Any]) -> dict[str, Any]:
        function = call["function"]
        return {"id": call["id"], "name": function["name"], "arguments": json.loads(function["arguments"])}


def calls_tools(*calls: tuple[str, Mapping[str, Any]]) -> Behaviour:
    """Answer with tool calls, whose ids are call-1, call-2 and so on."""
    data = completion(None, finish_reason="tool_calls")
    data["choices"][0]["message"]["tool_calls"] = [
        {"id": f"call-{number}", "type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}}
        for number, (name, arguments) in enumerate(calls, 1)
    ]
    return send_json(data)


def bodies(requests: Sequence[Any]) -> list[str]:
    """Return what was sent, in the order of its keys, with its length on the wire."""
    return [f"{one.headers['Content-Length']} {json.dumps(one.body)}" for one in requests]
