"""A policy over a classifier's answers: ordered rules, the first that matches wins."""

from typing import Annotated, Literal

from pydantic import ConfigDict, Field, model_validator

from evalkit.records.bands import Bands
from evalkit.records.base import Record
from evalkit.records.decisions import Answer

Name = Annotated[str, Field(min_length=1)]


class Rule(Record):
    """One condition on one answer, and what to do where it holds. Exactly one of below, at_least and is."""

    model_config = ConfigDict(validate_by_name=True, validate_by_alias=True, serialize_by_alias=True)

    question: Name
    """Id of the question."""
    below: float | None = None
    """Holds for a noul's p or a score's value under it."""
    at_least: float | None = None
    """Holds for a noul's p or a score's value of it or more; score values run from 0 to n - 1."""
    is_: Name | None = Field(default=None, alias="is")
    """Holds for this option of a choice; `is` in files."""
    action: Name
    """What to do; the host's word."""

    @model_validator(mode="after")
    def _one_condition(self) -> "Rule":
        if sum(condition is not None for condition in (self.below, self.at_least, self.is_)) != 1:
            raise ValueError("a rule has exactly one of `below`, `at_least` and `is`")
        return self


class Policy(Record):
    """Rules in the order in which they are read."""

    rules: Annotated[tuple[Rule, ...], Field(min_length=1)]
    skip_uncertain: bool = False
    """Whether an uncertain answer passes over its rule instead of escalating at once."""
    default: Name | None = None
    """Action where no rule fired; without one that escalates."""
    bands: Bands = Bands.model_construct()
    """What counts as sure."""


Reason = Literal["rule", "default", "missing", "uncertain", "misfit", "no_rule"]


class GateOutcome(Record):
    """What a policy makes of a decision."""

    action: str | None
    """The action of the rule that fired, or the default; None where it escalated."""
    escalated: bool
    """Whether somebody else must decide."""
    reason: Reason
    """A rule fired, the default holds, an answer is missing or uncertain, a condition does not fit its answer, or no rule fired."""
    detail: str
    """The reason in words."""
    rule: int | None
    """Index of the rule that fired or that escalated; None where all were passed."""
    answers: dict[str, Annotated[Answer, Field(discriminator="type")]]
    """The answers that were read, all of the decision's."""
    calibrated: bool
    """The decision's: with false, cuts that were tuned on a calibrated classifier do not hold."""
