"""Tool calls: are they well formed against the tools that were offered, and are they the expected ones.

Calls are read by `tool_call_shapes`; arguments are validated against the offered tool's JSON Schema (draft 2020-12) and compared
by JSON value. A text answer where a call was expected fails both criteria; it is no error.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from evalkit.records.base import Json, Record
from evalkit.records.cases import Case, ToolCall
from evalkit.records.outputs import Output
from evalkit.records.scores import CriterionSpec, Result, Score, Signature, Unscored
from evalkit.scoring.json_values import same_json
from evalkit.scoring.schema_validator import UndecidedError, validator_for
from evalkit.scoring.settings import Resources, read_settings
from evalkit.scoring.tool_call_shapes import ToolCallRead, ToolsOffered, read_calls, read_offered

_PASS = Score(1.0, passed=True)


class ToolCallSettings(Record):
    """Settings of `tool_calls`."""

    order: Literal["in_order", "any_order", "subset"] = "in_order"
    """`in_order`: the expected calls and no others, in order; `any_order`: the same in any order; `subset`: the expected calls
    in any order, others allowed."""
    arguments: Literal["exact", "listed", "names"] = "exact"
    """`exact`: equal arguments; `listed`: the expected ones are there and equal, others allowed; `names`: only names compare."""


class _UndecidableError(Exception):
    """What the suite or the output says about a tool is too broken to judge a call by it."""


class ToolCalls:
    """Two rates: `valid` (each call is well formed) and `match` (the calls are those of `expected.tool_calls`)."""

    criteria = (CriterionSpec(id="valid"), CriterionSpec(id="match"))

    def __init__(self, settings: Mapping[str, Json], resources: Resources) -> None:
        self._settings = read_settings(ToolCallSettings, "tool_calls", settings, resources)
        self.signature = Signature(scorer="tool_calls", version="1", settings=self._settings.model_dump(mode="json"))

    def score(self, case: Case, output: Output) -> tuple[Result, ...]:
        """Return the scores of valid and match."""
        calls = read_calls(output.tool_calls or ())
        expected = case.expected.tool_calls
        if not calls and expected:
            wanted = [call.model_dump(mode="json") for call in expected]
            fail = Score(0.0, passed=False, reason="no tool call", metadata={"expected": wanted})
            return (fail, fail)
        return (_validity(calls, expected, output.tools_offered), self._match(calls, expected))

    def _match(self, calls: Sequence[ToolCallRead], expected: Sequence[ToolCall] | None) -> Result:
        if expected is None:
            return Unscored("no_expectation", "expected.tool_calls is not given")
        if self._settings.order == "in_order":
            pairs = zip(expected, calls, strict=False)
            found = {number for number, (wanted, made) in enumerate(pairs) if self._equal(wanted, made)}
            passed = len(found) == len(expected) == len(calls)
            used = found
        else:
            assigned = self._assignment(expected, calls)
            found, used = set(assigned), set(assigned.values())
            passed = len(found) == len(expected) and (self._settings.order == "subset" or len(used) == len(calls))
        if passed:
            return _PASS
        missing = [wanted.model_dump(mode="json") for number, wanted in enumerate(expected) if number not in found]
        extra = [made.as_json() for number, made in enumerate(calls) if number not in used]
        metadata = {"missing": missing, "extra": extra, "made": [made.as_json() for made in calls]}
        return Score(0.0, passed=False, reason=_mismatch(missing, extra), metadata=metadata)

    def _equal(self, wanted: ToolCall, made: ToolCallRead) -> bool:
        if made.problem or made.name != wanted.name or made.arguments is None:
            return False
        rule = self._settings.arguments
        if rule == "exact":
            return same_json(wanted.arguments, made.arguments)
        if rule == "listed":
            given = made.arguments
            return all(key in given and same_json(value, given[key]) for key, value in wanted.arguments.items())
        return True

    def _assignment(self, expected: Sequence[ToolCall], calls: Sequence[ToolCallRead]) -> dict[int, int]:
        """Return a largest one-to-one assignment, expected -> made (Kuhn 1955, by augmenting paths).

        First come, first served would be wrong with `listed`, where a call may fit several expectations.
        """
        fits = [[at for at, made in enumerate(calls) if self._equal(wanted, made)] for wanted in expected]
        holder: dict[int, int] = {}

        def place(wanted: int, tried: set[int]) -> bool:
            for at in fits[wanted]:
                if at not in tried:
                    tried.add(at)
                    if at not in holder or place(holder[at], tried):
                        holder[at] = wanted
                        return True
            return False

        for wanted in range(len(expected)):
            place(wanted, set())
        return {wanted: at for at, wanted in holder.items()}


def _validity(calls: Sequence[ToolCallRead], expected: Sequence[ToolCall] | None, tools: Sequence[Json]) -> Result:
    if not calls:
        return Unscored("not_applicable", "no tool was called")
    offered = read_offered(tools)
    known = None if not tools and expected is None else {*offered.schemas, *(call.name for call in expected or ())}
    faults: list[dict[str, Json]] = []
    undecided = ""
    for number, call in enumerate(calls, 1):
        try:
            problem = _problem(call, offered, known)
        except _UndecidableError as error:
            undecided = undecided or f"call {number}: {error}"
            continue
        if problem:
            faults.append({"call": number, "name": call.name, "problem": problem})
    if faults:
        reason = "; ".join(f"call {fault['call']}: {fault['problem']}" for fault in faults[:3])
        return Score(0.0, passed=False, reason=reason[:600], metadata={"faults": faults})
    if undecided:
        return Unscored("scorer_error", undecided)
    if known is None:
        detail = "well formed, but neither tools_offered nor expected.tool_calls says which tools exist"
        return Unscored("not_applicable", detail)
    return _PASS


def _problem(call: ToolCallRead, offered: ToolsOffered, known: set[str] | None) -> str:
    if call.problem or call.name is None or call.arguments is None:
        return call.problem
    if known is not None and call.name not in known:
        if offered.unreadable:
            raise _UndecidableError(f"tools_offered entry {offered.unreadable[0]} names no tool")
        return f"no tool {call.name[:100]!r} was offered (there are: {', '.join(sorted(known)) or 'none'})"
    schema = offered.schemas.get(call.name)
    if schema is None:
        return ""
    if not isinstance(schema, dict | bool):
        raise _UndecidableError(f"the schema of tool {call.name[:100]!r} is no JSON Schema")
    try:
        return "; ".join(validator_for(schema).faults(call.arguments))
    except UndecidedError as error:
        raise _UndecidableError(str(error)) from None
    except ValueError as error:
        raise _UndecidableError(f"tool {call.name[:100]!r}: {error}") from None


def _mismatch(missing: Sequence[Mapping[str, Json]], extra: Sequence[Mapping[str, Json]]) -> str:
    """Return why calls do not match; for a call that differs from an expected one in its arguments alone, which ones."""
    if not missing and not extra:
        return "the expected calls, in another order"
    for wanted in missing:
        for made in extra:
            if made["name"] == wanted["name"]:
                return f"{str(wanted['name'])[:100]}: {_argument_differences(wanted['arguments'], made)}"[:600]
    parts = [f"not called: {', '.join(str(call['name']) for call in missing[:5])}"] if missing else []
    if extra:
        names = ", ".join(str(call["name"] or "a call without a name") for call in extra[:5])
        parts.append(f"called, but not expected: {names}")
    return "; ".join(parts)[:600]


def _argument_differences(wanted: Mapping[str, Json], made: Mapping[str, Json]) -> str:
    if made["arguments"] is None:
        return str(made["problem"])
    given = made["arguments"]
    differing = [key for key in wanted if key in given and not same_json(wanted[key], given[key])]
    parts = [
        f"{what} {', '.join(keys[:5])}"
        for what, keys in (
            ("missing argument", [key for key in wanted if key not in given]),
            ("other value of", differing),
            ("unexpected argument", [key for key in given if key not in wanted]),
        )
        if keys
    ]
    return "; ".join(parts) or "called in another place than expected"
