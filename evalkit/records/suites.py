"""A suite: what is measured on which cases, and what may block a release."""

from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from evalkit.records.acceptance_terms import AcceptanceTerms
from evalkit.records.base import Json, Record
from evalkit.records.cases import Identifier
from evalkit.records.rubrics import Mode

Share = Annotated[float, Field(ge=0, le=1)]


class ScorerUse(Record):
    """A deterministic scorer with its settings: `{scorer: token_f1, min: 0.8}`."""

    scorer: Identifier
    """A name of the catalogue, or `file.py:function` for a scorer of the user's own."""
    name: Identifier | None = None
    """What its rows are called; needed where a capability uses one scorer several times."""
    settings: dict[str, Json] = Field(default_factory=dict)
    """The other keys of the entry, checked by the scorer itself."""

    @model_validator(mode="before")
    @classmethod
    def _gather(cls, data: Any) -> Any:
        if isinstance(data, dict) and "scorer" in data and "settings" not in data:
            own = {key: data[key] for key in ("scorer", "name") if key in data}
            return {**own, "settings": {key: value for key, value in data.items() if key not in own}}
        return data


class JudgeUse(Record):
    """A rubric that a judge applies: `{rubric: faithfulness}`."""

    rubric: Identifier
    """A rubric's name: the suite's folder first, then what the package ships."""
    mode: Mode | None = None
    """The rubric's own by default."""


class Selection(Record):
    """Which cases a capability covers, instead of those that name it."""

    all: bool = False
    """Every case."""
    tags: tuple[str, ...] = ()
    """Cases with any of these tags."""
    ids: tuple[str, ...] = ()
    """These cases."""


class Capability(Record):
    """A capability: a group of rows that are read beside each other, never merged."""

    name: Identifier
    """The name that cases use."""
    scorers: tuple[ScorerUse, ...] = ()
    """What code decides."""
    judge: tuple[JudgeUse, ...] = ()
    """What only a judge can decide."""
    cases: Selection | None = None
    """Which cases; by default those that list the capability."""


class Gate(Record):
    """A threshold on a row."""

    capability: Identifier
    scorer: str | None = None
    criterion: Identifier
    min: float | None = None
    """Lowest value that passes."""
    max: float | None = None
    """Highest value that passes."""
    on: Literal["value", "lower", "no_regression"] = "lower"
    """The estimate, its lower bound, or the difference from the baseline."""
    margin: Annotated[float, Field(ge=0)] = 0.0
    """Margin of `no_regression`."""


class Budgets(Record):
    """Ceilings set in advance."""

    judge_error: Share = 0.02
    """Share of judged cases that may end without a verdict."""
    self_agreement: Share | None = None
    """Lowest pairwise self-agreement (lower bound) of a capability that may gate."""


class TrustBars(Record):
    """What a criterion's judge must reach against human labels before it may gate."""

    tpr: Share = 0.9
    """True-pass rate, lower bound."""
    tnr: Share = 0.8
    """True-fail rate, lower bound."""
    tolerance: Share = 0.05
    """Largest bias that is tolerated."""
    planted_fails: bool = False
    """Whether planted fails may establish the true-fail rate, where the labels drawn by chance hold too few fails."""


class Suite(Record):
    """suite.yaml."""

    schema_version: Literal[1] = 1
    """Version of this format."""
    name: Identifier
    """The suite's name; a run folder belongs to one suite."""
    version: Identifier = "1"
    """Changes with any change of meaning."""
    golden: str = "golden.jsonl"
    """The golden set, relative to the suite's folder."""
    capabilities: Annotated[tuple[Capability, ...], Field(min_length=1)]
    """What is measured."""
    policy: tuple[ScorerUse, ...] = ()
    """Conditions decided in code that block: one breach in any case exits 1."""
    gates: tuple[Gate, ...] = ()
    """Thresholds on rows."""
    budgets: Budgets = Budgets.model_construct()
    """Ceilings on the instrument itself."""
    trust: TrustBars = TrustBars.model_construct()
    """Bars for trusting a judge."""
    acceptance: AcceptanceTerms | None = None
    """On which terms `evalkit accept` accepts a result by this suite's criteria."""
    judge: str | None = None
    """judge.yaml, relative to the suite's folder; the embedded floor judge by default."""
    allow_custom_scorers: bool = False
    """Opt-in for `scorer: file.py:function`, which runs the suite's own code."""
