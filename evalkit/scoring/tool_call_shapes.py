"""Tool calls and tool definitions in the shapes in which providers write them, read into one.

Calls: `{"function": {"name", "arguments"}}` (OpenAI), `{"name", "input"}` (Anthropic), `{"name", "args"}` and
`{"functionCall": {...}}` (Google, LangChain), `{"toolUse": {...}}` (Bedrock), `{"name", "arguments" | "parameters"}`, and JSON
text of any of them. Arguments are an object, JSON text of an object, or nothing (`""`, null, absent: a call without arguments).
Call text such as `refund(id=4)` is not read: its arguments would be a guess.

OpenAI's `multi_tool_use.parallel` is no tool but a parcel of calls (`{"tool_uses": [{"recipient_name", "parameters"}]}`):
`unwrapped` opens it, so that what is called inside is seen.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from evalkit.records.base import Json
from evalkit.scoring.tool_names import bare_name, folded_name
from evalkit.text.strict_json import strict_json

_WRAPPERS = ("function", "functionCall", "function_call", "toolUse", "tool_use")
_ARGUMENTS = ("arguments", "input", "args", "parameters")
_SCHEMAS = ("parameters", "input_schema", "inputSchema", "parametersJsonSchema")
_PARCEL = re.compile(r"(?:.*\.)?multi_tool_use(?:[._-]?parallel)?")
_NAMESPACE = re.compile(r"\s*functions\.", re.IGNORECASE)
_CALL_TEXT = re.compile(r"\s*([A-Za-z_][\w.\-]*)\s*\(")


class ToolCallRead(NamedTuple):
    """A tool call as made. `problem` is empty where it was read; what could be read stands beside the problem otherwise."""

    name: str | None
    arguments: dict[str, Json] | None
    problem: str = ""

    def as_json(self) -> dict[str, Json]:
        """Return the call for a score's metadata."""
        problem = {"problem": self.problem} if self.problem else {}
        return {"name": self.name, "arguments": self.arguments, **problem}


class ToolsOffered(NamedTuple):
    """The tools that a candidate was given."""

    schemas: Mapping[str, Json]
    """Tool name -> JSON Schema of its arguments; None where the definition has none."""
    unreadable: tuple[int, ...]
    """Positions, from 1, of entries that name no tool."""


def read_call(made: Json) -> ToolCallRead:
    """Return a tool call, or what is wrong with it; never raises."""
    if isinstance(made, str):
        return _read_text(made)
    if not isinstance(made, dict):
        return ToolCallRead(None, None, f"a tool call is an object, this is {_kind(made)}")
    if "custom" in made:
        custom = made["custom"]
        name = custom.get("name") if isinstance(custom, dict) else None
        return ToolCallRead(_text(name), None, "a custom tool call carries free text, no JSON arguments")
    for wrapper in _WRAPPERS:
        if wrapper in made:
            inner = made[wrapper]
            if not isinstance(inner, dict):
                return ToolCallRead(_text(made.get("name")), None, f"{wrapper!r} is {_kind(inner)}, not an object")
            return _read_object(inner)
    return _read_object(made)


def read_calls(made: Iterable[Json]) -> list[ToolCallRead]:
    """Return all calls of an output, those inside a parcel in its place."""
    return [call for entry in made for call in unwrapped(read_call(entry))]


def unwrapped(call: ToolCallRead) -> list[ToolCallRead]:
    """Return the calls inside a parcel, or the call itself. A parcel that cannot be opened is a call whose tool cannot be told."""
    waiting, found = [call], []
    while waiting:
        outer = waiting.pop()
        inside = _parcel(outer)
        if inside is None:
            found.append(outer)
        else:
            waiting.extend(reversed(inside))
    return found


def _parcel(call: ToolCallRead) -> list[ToolCallRead] | None:
    """Return what a parcel of calls holds; None for an ordinary call."""
    if call.name is None:
        return None
    uses = (call.arguments or {}).get("tool_uses")
    name = folded_name(call.name)
    if not _PARCEL.fullmatch(name) and not (bare_name(name) == "parallel" and isinstance(uses, list | tuple)):
        return None
    if not isinstance(uses, list | tuple):
        problem = call.problem or f"tool_uses is {_kind(uses)}, not a list"
        return [ToolCallRead(None, None, f"which tools {call.name[:100]!r} calls cannot be told: {problem}")]
    return [_read_recipient(use) for use in uses]


def _read_recipient(use: Json) -> ToolCallRead:
    recipient = _text(use.get("recipient_name")) if isinstance(use, dict) else None
    if recipient is None:
        return read_call(use)
    return _read_object({**use, "name": recipient[_end_of_namespace(recipient) :]})


def _end_of_namespace(name: str) -> int:
    match = _NAMESPACE.match(name)
    return 0 if match is None else match.end()


def _read_text(made: str) -> ToolCallRead:
    try:
        value = strict_json(made)
    except ValueError:
        named = _CALL_TEXT.match(made[:300])
        if named:
            return ToolCallRead(named[1], None, "call text is not read; give name and arguments as JSON")
        return ToolCallRead(None, None, "a text that is neither JSON nor a call")
    if isinstance(value, dict):
        return read_call(value)
    return ToolCallRead(None, None, f"JSON text of {_kind(value)}, not of an object")


def _read_object(call: Mapping[str, Json]) -> ToolCallRead:
    name = _text(call.get("name"))
    if not name:
        return ToolCallRead(None, None, "no tool name")
    given = [key for key in _ARGUMENTS if key in call]
    if len(given) > 1:
        return ToolCallRead(name, None, f"arguments are given more than once: {', '.join(given)}")
    return _with_arguments(name, call[given[0]] if given else None)


def _with_arguments(name: str, given: Json) -> ToolCallRead:
    if given is None or (isinstance(given, str) and not given.strip()):
        return ToolCallRead(name, {})
    if isinstance(given, str):
        try:
            given = strict_json(given)
        except ValueError as error:
            return ToolCallRead(name, None, f"arguments are no JSON: {str(error)[:200]}")
    if not isinstance(given, dict):
        return ToolCallRead(name, None, f"arguments are {_kind(given)}, not an object")
    return ToolCallRead(name, given)


def read_offered(tools: Iterable[Json]) -> ToolsOffered:
    """Return the tools that were offered: names, OpenAI's and Anthropic's definitions, MCP's and Google's."""
    schemas: dict[str, Json] = {}
    unreadable: list[int] = []
    for number, tool in enumerate(tools, 1):
        definition = tool.get("function", tool) if isinstance(tool, dict) else tool
        if isinstance(definition, str) and definition:
            schemas[definition] = None
        elif isinstance(definition, dict) and _text(definition.get("name")):
            schemas[definition["name"]] = next((definition[key] for key in _SCHEMAS if key in definition), None)
        else:
            unreadable.append(number)
    return ToolsOffered(schemas, tuple(unreadable))


def _text(value: Json) -> str | None:
    return value if isinstance(value, str) and value else None


def _kind(value: Json) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "a boolean"
    names = {str: "a text", int: "a number", float: "a number", list: "a list", tuple: "a list", dict: "an object"}
    return names.get(type(value), type(value).__name__)
