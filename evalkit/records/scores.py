"""One contract for every scorer, judge or not: per case and criterion a Score or an Unscored."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Literal, NamedTuple, Protocol

from evalkit.records.base import Json
from evalkit.records.cases import Case
from evalkit.records.outputs import Output

NOTHING: Mapping[str, Json] = MappingProxyType({})

Estimate = Literal["rate", "mean"]


class Score(NamedTuple):
    """A case was measured on one criterion."""

    value: float
    """The measurement; 1.0 or 0.0 for a rate."""
    passed: bool | None
    """True or False where the criterion has a pass rule, None for a bare measurement."""
    reason: str = ""
    """Why, in words that point into the output; empty where passing needs no words."""
    metadata: Mapping[str, Json] = NOTHING
    """What a reader needs to fix a failure: what was found, what was expected."""


class Unscored(NamedTuple):
    """A case could not be measured on one criterion. Not zero; counted by reason in every row."""

    reason: str
    """A stable word for counting, e.g. `missing_output`, `no_expectation`, `not_applicable`, `scorer_error`."""
    detail: str = ""
    """What happened, in words."""


Result = Score | Unscored

SCORER_ERROR = "scorer_error"
"""Why a case is not scored whose scorer failed, or gave a value that cannot be counted."""

NO_OUTPUT = Score(0.0, passed=False, reason="no_output")
"""What every scorer that reads the text gives for an empty one."""
UNCOUNTED = Unscored("no_output")
"""What a row gives for an empty text that counts what stands in it: nothing stands there, and 0 would read as honest."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CriterionSpec:
    """What a scorer measures under one name."""

    id: str
    """Criterion id, e.g. `recall@5`."""
    estimate: Estimate = "rate"
    """`rate`: passed or not; `mean`: a number per case."""
    within: tuple[float, float] | None = None
    """Range that a mean cannot leave, where there is one; its interval is cut there."""
    without_output: Literal["fail", "exclude"] = "fail"
    """What an empty text gives: a fail, or, for a count of what stands in the text, no measurement (`no_output`)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Signature:
    """What makes a deterministic number: two rows compare only where these are equal."""

    scorer: str
    version: str
    settings: Mapping[str, Json] = field(default_factory=dict)

    def as_json(self) -> dict[str, Json]:
        """Return the signature as it stands in a report."""
        return {"scorer": self.scorer, "version": self.version, "settings": dict(self.settings)}


class Scorer(Protocol):
    """A deterministic scorer. It keeps no state between cases and never raises for odd data: that is an Unscored."""

    @property
    def criteria(self) -> tuple[CriterionSpec, ...]:
        """What it measures, in the order in which `score` answers."""
        ...

    @property
    def signature(self) -> Signature:
        """Name, version and settings, as the report shows them."""
        ...

    def score(self, case: Case, output: Output) -> tuple[Result, ...]:
        """Return one result per criterion, in the order of `criteria`."""
        ...
