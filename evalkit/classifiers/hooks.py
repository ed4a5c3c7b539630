"""Where a judgment goes in an agent's loop: the hooks that a host's loop calls, and what it gets back.

Each place holds one hook. A battery's `as_hook(next)` returns hooks that do their own part and then hand over to `next`; places
that are not the battery's are `next`'s, untouched. `Hooks()` does nothing: a loop that is given none, or this, sends the same bytes.
evalkit has no agent loop; docs/batteries.md shows what a loop does at each place.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace

from evalkit.errors import UserError
from evalkit.records.base import Json
from evalkit.records.battery_verdicts import BatteryVerdict, ContentVerdict
from evalkit.records.decisions import Request


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolResult:
    """What a tool gave, or what stands in its place."""

    content: Json
    """Text, or a list of passages, or any JSON."""
    error: bool = False
    """Whether the model is told that the call failed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pending:
    """A call that waits for a person. The loop suspends and goes on once `request.id` is answered."""

    request: Request


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """What is about to be sent to the model."""

    messages: Sequence[Mapping[str, Json]]
    tools: Sequence[Json] = ()
    skills: Sequence[Json] = ()
    model: str = ""

    @property
    def prompt(self) -> str:
        """The text of the user's last message; empty where there is none."""
        for message in reversed(self.messages):
            if message.get("role") == "user":
                return text_of(message.get("content"))
        return ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Override:
    """What one turn uses instead; None leaves a field as it is. The next turn starts from the loop's own again."""

    messages: Sequence[Mapping[str, Json]] | None = None
    tools: Sequence[Json] | None = None
    skills: Sequence[Json] | None = None
    model: str | None = None

    def over(self, turn: Turn) -> Turn:
        """Return the turn with this in its place."""
        return replace(
            turn, **{field.name: value for field in fields(self) if (value := getattr(self, field.name)) is not None}
        )

    def under(self, later: Override | None) -> Override:
        """Return both together; where `later` sets a field, it wins."""
        return self if later is None else Override(**{f.name: _later(self, later, f.name) for f in fields(self)})


@dataclass(frozen=True, slots=True, kw_only=True)
class Dispatch:
    """A task that is about to be handed to an agent."""

    task: str
    agent: str
    """The agent so far: the loop's own choice, or what a hook before picked."""


BeforeTool = Callable[[Json], Awaitable[ToolResult | Pending | None]]
"""A call -> what stands in its place; None carries it out."""
AfterTool = Callable[[Json, ToolResult], Awaitable[ToolResult | None]]
"""A call and its result -> what the model gets instead; None leaves it."""
BeforeLLM = Callable[[Turn], Awaitable[Override | None]]
AfterLLM = Callable[[Json], Awaitable[None]]
"""The model's message, to look at only."""
Inbound = Callable[[str], Awaitable[None]]
"""A text from outside; raising refuses it."""
Dispatching = Callable[[Dispatch], Awaitable[str | None]]
"""A task -> the agent that gets it; None leaves the one so far."""
Observe = Callable[[BatteryVerdict], None]
"""Is told every verdict, for the host's log."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Hooks:
    """One hook per place of a loop; None does nothing there."""

    inbound: Inbound | None = None
    before_llm: BeforeLLM | None = None
    after_llm: AfterLLM | None = None
    before_tool: BeforeTool | None = None
    after_tool: AfterTool | None = None
    dispatch: Dispatching | None = None


class ContentBlockedError(UserError):
    """ContentGuard blocked a text. The message names dimensions and never repeats the text."""

    def __init__(self, place: str, verdict: ContentVerdict) -> None:
        super().__init__(f"the text was blocked at {place}: {verdict.reason}")
        self.verdict = verdict


def text_of(content: Json) -> str:
    """Return the text of a message: the content itself, or its text parts a line each."""
    if isinstance(content, str):
        return content
    if isinstance(content, list | tuple):
        parts = [part.get("text") for part in content if isinstance(part, Mapping)]
        return "\n".join(part for part in parts if isinstance(part, str))
    return ""


async def then_before_llm(following: Hooks, own: Override | None, turn: Turn) -> Override | None:
    """Hand a turn, with a battery's override in place, to the next hook; the fields that it sets win."""
    if following.before_llm is None:
        return own
    later = await following.before_llm(own.over(turn) if own else turn)
    return own.under(later) if own else later


async def then_after_tool(
    following: Hooks, own: ToolResult | None, call: Json, result: ToolResult
) -> ToolResult | None:
    """Hand a call's result, or a battery's in its place, to the next hook; what that returns wins."""
    if following.after_tool is None:
        return own
    later = await following.after_tool(call, own or result)
    return own if later is None else later


def told(observe: Observe | None, verdict: BatteryVerdict) -> None:
    """Tell a verdict to whoever listens."""
    if observe is not None:
        observe(verdict)


def _later(own: Override, later: Override, name: str) -> Json:
    value = getattr(later, name)
    return getattr(own, name) if value is None else value
