"""What a battery decided about one thing, with the probabilities that it decided from.

A classifier that failed is part of the verdict (`error`, `calibrated` false), decided by the host's `on_error` or fallback.
"""

from typing import Annotated, Literal

from pydantic import Field, model_validator

from evalkit.records.base import Json, Record
from evalkit.records.decisions import Answer, DecisionUsage

GuardAction = Literal["allow", "ask", "deny"]
ContentAction = Literal["allow", "review", "block"]


Level = Annotated[float, Field(ge=0)]


class RiskCuts(Record):
    """Where ToolGuard's risk, 0 to 3, changes the action."""

    allow_below: Level = 1.5
    """A risk below it is allowed; one on it asks."""
    deny_from: Level = 2.5
    """A risk from it on is denied."""

    @model_validator(mode="after")
    def _in_order(self) -> "RiskCuts":
        if self.allow_below > self.deny_from:
            raise ValueError("`allow_below` lies above `deny_from`")
        return self


class BatteryVerdict(Record):
    """What every verdict says about how it came about."""

    battery: str
    """Which battery decided."""
    signature: str
    """64 hex digits over the classifier, the wording with its version, bands, cuts and `on_error`: figures belong to it."""
    model: str = ""
    """The model that answered; empty where none was asked, or it failed."""
    calibrated: bool = False
    """Whether thresholds tuned on a calibrated classifier mean anything here; false after an error."""
    error: str | None = None
    """Why the classifier gave no answers; the action is then the host's `on_error` or fallback."""
    reason: str
    """Which rule decided, in words."""
    answers: dict[str, Annotated[Answer, Field(discriminator="type")]] = Field(default_factory=dict)
    """Question id -> answer with its probabilities; a question without an answer is missing."""
    usage: DecisionUsage = DecisionUsage.model_construct()
    """What the decision took."""


class GuardVerdict(BatteryVerdict):
    """ToolGuard on one call."""

    action: GuardAction
    risk: float | None
    """Expected level, 0 (read-only) to 3 (destructive, money, credentials); None without an answer."""


class SelectionVerdict(BatteryVerdict):
    """ToolRelevance, SkillRelevance or ToolResultFilter on a list. kept + dropped = items, each in the order offered."""

    kept: tuple[Json, ...]
    dropped: tuple[Json, ...]
    stays: tuple[bool, ...]
    """Per item, in the order offered, whether it was kept."""
    p: tuple[float | None, ...]
    """Per item, in the order offered, the probability that it is needed; None without an answer."""


class CompleteVerdict(BatteryVerdict):
    """IsComplete on one answer."""

    complete: bool
    p: float | None
    """The smallest probability of a yes among the questions; None where one has no answer."""


class RouteVerdict(BatteryVerdict):
    """AgentRouter on one task."""

    agent: str
    """The agent that was picked, or the fallback."""
    path: tuple[str, ...]
    """The options that were surely picked, from the top of the tree; the last is the agent where one was routed to."""
    routed: bool
    """False where the fallback was taken."""


class ModelVerdict(BatteryVerdict):
    """ModelRouter on one prompt."""

    chosen: str
    """The model that was picked, or the fallback."""
    routed: bool
    """False where the fallback was taken."""


class ContentVerdict(BatteryVerdict):
    """ContentGuard on one text."""

    action: ContentAction
    p: dict[str, float | None]
    """Dimension -> probability that the text is of it; None without an answer."""
