"""The acceptance specification: criteria with a strategy each, policy, terms. Nothing in it falls back to a default judgment."""

from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from evalkit.records.acceptance_terms import AcceptanceTerms
from evalkit.records.base import Json, Record
from evalkit.records.cases import Identifier
from evalkit.records.judges import JudgeConfig
from evalkit.records.lexicons import Lexicon
from evalkit.records.rubrics import Rubric
from evalkit.records.suites import ScorerUse, Selection

_OWN = ("scorer", "rubric", "criterion")


class Strategy(Record):
    """Who decides a criterion: `{scorer: length_limit, max: 60}` in code, or `{rubric: faithfulness, criterion: F1}` a judge."""

    scorer: Identifier | None = None
    """A deterministic scorer; its settings stand beside it."""
    rubric: Identifier | None = None
    """A rubric that a judge applies: one of the specification's own `rubrics`, else one beside it or shipped."""
    criterion: Identifier | None = None
    """The criterion of that rubric, or of a scorer that has several."""
    settings: dict[str, Json] = Field(default_factory=dict)
    """The other keys of the entry, checked by the scorer itself."""

    @model_validator(mode="before")
    @classmethod
    def _gather(cls, data: Any) -> Any:
        if isinstance(data, dict) and "settings" not in data:
            own = {key: data[key] for key in _OWN if key in data}
            return {**own, "settings": {key: value for key, value in data.items() if key not in own}}
        return data

    @model_validator(mode="after")
    def _one_decides(self) -> "Strategy":
        if (self.scorer is None) == (self.rubric is None):
            raise ValueError("names a `scorer` or a `rubric`: exactly one of them decides")
        if self.rubric is not None and self.criterion is None:
            raise ValueError("names a `rubric` without the `criterion` of it")
        if self.rubric is not None and self.settings:
            raise ValueError(f"a rubric has no settings ({', '.join(sorted(self.settings))})")
        return self


class AcceptanceCriterion(Record):
    """One thing that a result must, or should, be."""

    name: Identifier
    """Its name in logs and feedback; unique."""
    description: str | None = None
    """What passes, in words that the generator gets as feedback. A judged criterion's is its pass condition, and no other."""
    required: bool
    """Whether no other strength can make up for it (a rubric's `critical`)."""
    weight: Annotated[float, Field(ge=0)] = 1.0
    """Its share of the score."""
    strategy: Strategy
    """Who decides it."""
    capability: Identifier | None = None
    """Only cases that list this capability are held to it; without one every request is."""
    cases: Selection | None = None
    """Which cases are held to it, instead of those that list the capability."""


class AcceptanceSpec(Record):
    """acceptance.yaml: everything that decides who may say that a result is done."""

    schema_version: Literal[1] = 1
    """Version of this format."""
    name: Identifier
    """The specification's name."""
    version: Identifier
    """Changes with any change of meaning; stands in every run's record."""
    terms: AcceptanceTerms
    """Threshold, what follows where nobody could judge, whether trust is needed, limits."""
    criteria: Annotated[tuple[AcceptanceCriterion, ...], Field(min_length=1)]
    """Quality: what is compared with the threshold."""
    policy: tuple[ScorerUse, ...] = ()
    """Conditions decided in code that block whatever the quality."""
    judge: JudgeConfig | str | None = None
    """A judge, written out or as the path of a judge.yaml beside this file; needed where a criterion is judged."""
    rubrics: dict[str, Rubric] = Field(default_factory=dict)
    """Rubrics written out, by the name that criteria use; a `constitution` is its text here."""
    lexicons: dict[str, Lexicon] = Field(default_factory=dict)
    """Lexicons written out, by the name that scorers use."""
    allow_custom_scorers: bool = False
    """Opt-in for `scorer: file.py:function`, which runs code that stands beside this file."""
