"""A suite that measures batteries: battery.yaml says which and how they are set, decisions.jsonl what is expected of them."""

from typing import Annotated, Literal

from pydantic import Field, model_validator

from evalkit.records.bands import Bands
from evalkit.records.base import Record
from evalkit.records.battery_verdicts import RiskCuts
from evalkit.records.cases import Identifier

BatteryName = Literal[
    "tool_guard",
    "tool_relevance",
    "skill_relevance",
    "tool_result_filter",
    "is_complete",
    "content_guard",
    "agent_router",
    "model_router",
]

ROUTERS = frozenset({"agent_router", "model_router"})
SELECTIONS = frozenset({"tool_relevance", "skill_relevance", "tool_result_filter"})
EXPECTED: dict[str, frozenset[str]] = {
    "tool_guard": frozenset({"allow", "ask", "deny"}),
    "is_complete": frozenset({"complete", "incomplete"}),
    "content_guard": frozenset({"allow", "review", "block"}),
}
"""Decisions that may be expected, where they are the battery's own; a router's are its options, a selection names what it keeps."""


class AgentGroup(Record):
    """Agents that are told apart one level further down."""

    description: str
    """What all of them are about."""
    agents: "dict[Identifier, str | AgentGroup]"
    """As in `agents` above."""


class BatteryUse(Record):
    """One battery and its settings."""

    battery: BatteryName
    """Which battery."""
    on_error: Literal["open", "closed"] | None = None
    """What a failing classifier means; required but for routers."""
    fallback: Identifier | None = None
    """Of a router, required: where it sends what it is not sure of."""
    bands: Bands = Bands.model_construct()
    """What counts as sure."""
    cuts: RiskCuts | None = None
    """Of tool_guard: where the risk changes the action; 1.5 and 2.5 by default."""
    agents: dict[Identifier, str | AgentGroup] | None = None
    """Of agent_router: the tree of agents, each with what it is responsible for."""
    models: dict[Identifier, str] | None = None
    """Of model_router: the models, each with what it is for."""
    skills: dict[Identifier, str] | None = None
    """Of skill_relevance: the skills that every case is offered."""

    @model_validator(mode="after")
    def _complete(self) -> "BatteryUse":
        own = {"fallback": ROUTERS, "cuts": {"tool_guard"}, "agents": {"agent_router"}, "models": {"model_router"}}
        own["skills"] = {"skill_relevance"}
        needed = {name for name, batteries in own.items() if self.battery in batteries and name != "cuts"}
        if self.battery not in ROUTERS:
            needed.add("on_error")
        missing = sorted(name for name in needed if getattr(self, name) is None)
        if missing:
            raise ValueError(f"{self.battery} needs {', '.join(missing)}")
        others = {name for name, batteries in own.items() if self.battery not in batteries}
        others |= {"on_error"} & ({"on_error"} if self.battery in ROUTERS else set())
        extra = sorted(name for name in others if getattr(self, name) is not None)
        if extra:
            raise ValueError(f"{self.battery} has no {', '.join(extra)}")
        return self


class BatterySuite(Record):
    """battery.yaml."""

    schema_version: Literal[1] = 1
    """Version of this format."""
    batteries: Annotated[tuple[BatteryUse, ...], Field(min_length=1)]
    """What is measured; each battery once."""
    decisions: str = "decisions.jsonl"
    """The expected decisions, relative to the suite's folder."""
    classifier: str | None = None
    """classifier.yaml, relative to the suite's folder; the floor classifier by default."""


class ExpectedDecision(Record):
    """A line of decisions.jsonl."""

    case_id: Identifier
    """The case."""
    battery: BatteryName
    """Who decides."""
    item: str | None = None
    """Of tool_guard: which call of the trajectory, `0` the first. Of content_guard: `input` or `output`."""
    expected: Identifier | None = None
    """The right decision: an action, complete | incomplete, or a router's option; its fallback where it should not be sure."""
    keep: tuple[str, ...] | None = None
    """Of a selection: names of the tools or skills, or ids of the documents, that are needed; all others should go."""
    level: Annotated[int, Field(ge=0, le=3)] | None = None
    """Of tool_guard: the level of risk that a person gave the call."""
    tags: tuple[str, ...] = ()
    """Groups that figures are shown for, e.g. `hostile`, `ambiguous`."""
    note: str = ""
    """Why this is right."""
