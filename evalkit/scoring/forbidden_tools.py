"""Forbidden tools: a policy that no answer calls any of these, whether alone or inside a parcel of parallel calls."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import Field

from evalkit.records.base import Json, Record
from evalkit.records.cases import Case, Identifier
from evalkit.records.outputs import Output
from evalkit.records.scores import CriterionSpec, Result, Score, Signature
from evalkit.scoring.settings import Resources, read_settings
from evalkit.scoring.tool_call_shapes import ToolCallRead, read_call, unwrapped
from evalkit.scoring.tool_names import ToolNames


class ForbiddenToolSettings(Record):
    """Settings of `forbidden_tools`."""

    names: Annotated[tuple[Identifier, ...], Field(min_length=1)]
    """Tools that may not be called; `*` stands for any characters, letter case does not matter."""
    unreadable: Literal["fail", "ignore"] = "fail"
    """What a call whose tool cannot be told counts as: it cannot be shown to be allowed."""


class ForbiddenTools:
    """No call names a forbidden tool, whatever its arguments; an output without calls passes."""

    criteria = (CriterionSpec(id="forbidden_tools"),)

    def __init__(self, settings: Mapping[str, Json], resources: Resources) -> None:
        self._settings = read_settings(ForbiddenToolSettings, "forbidden_tools", settings, resources)
        self._forbidden = ToolNames(self._settings.names)
        self.signature = Signature(
            scorer="forbidden_tools", version="1", settings=self._settings.model_dump(mode="json")
        )

    def score(self, _case: Case, output: Output) -> tuple[Result, ...]:
        """Return one Score."""
        faults: list[dict[str, Json]] = []
        for number, made in enumerate(output.tool_calls or (), 1):
            call = read_call(made)
            calls = [call] if call.name is not None and call.name in self._forbidden else unwrapped(call)
            faults += [{"call": number, **fault} for one in calls if (fault := self._fault(one))]
        if not faults:
            return (Score(1.0, passed=True),)
        reason = "; ".join(f"call {fault['call']} {fault['problem']}" for fault in faults[:3])
        return (Score(0.0, passed=False, reason=reason, metadata={"faults": faults}),)

    def _fault(self, call: ToolCallRead) -> dict[str, Json] | None:
        if call.name is None:
            unreadable = {"name": None, "problem": f"cannot be read: {call.problem}"}
            return unreadable if self._settings.unreadable == "fail" else None
        if call.name in self._forbidden:
            return {"name": call.name, "problem": f"calls the forbidden tool {call.name[:100]!r}"}
        return None
