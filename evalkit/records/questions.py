"""Typed questions for a classifier: noul (yes or no), choice (one option of a list), score (a level of a rubric).

A question's id is the caller's and never reaches a model; the sentences carry the judgment. Questions over one state are independent.
"""

from typing import Annotated, Literal

from pydantic import ConfigDict, Field, model_validator

from evalkit.records.base import Json, Record

MIN_OPTIONS, MAX_OPTIONS = 2, 255
MIN_LEVELS, MAX_LEVELS = 2, 10

Words = Annotated[str, Field(min_length=1, pattern=r"\S")]
"""A text that says something."""


class Outcomes(Record):
    """What the two answers of a noul mean; one side may be left out."""

    model_config = ConfigDict(validate_by_name=True, validate_by_alias=True, serialize_by_alias=True)

    yes: Words | None = Field(default=None, alias="true")
    """When the answer is yes; `true` on the wire and in files."""
    no: Words | None = Field(default=None, alias="false")
    """When the answer is no; `false` on the wire and in files."""


class NoulQuestion(Record):
    """A question whose answer is the probability of yes."""

    type: Literal["noul"] = "noul"
    instructions: Words | None = None
    """The question, naming the field of the state that it judges."""
    criteria: Outcomes | None = None
    """What yes and no mean."""

    @model_validator(mode="after")
    def _asks_something(self) -> "NoulQuestion":
        described = self.criteria is not None and (self.criteria.yes or self.criteria.no)
        if not self.instructions and not described:
            raise ValueError("a noul needs instructions or a described outcome")
        return self


class ChoiceQuestion(Record):
    """A question whose answer is one option, with a probability for each."""

    type: Literal["choice"] = "choice"
    instructions: Words | None = None
    """The question, naming the field of the state that it judges."""
    criteria: Annotated[dict[Words, Words | None], Field(min_length=MIN_OPTIONS, max_length=MAX_OPTIONS)]
    """Option -> what it means, in the order in which they are shown."""

    @property
    def options(self) -> tuple[str, ...]:
        """The options, in order."""
        return tuple(self.criteria)


class ScoreQuestion(Record):
    """A question whose answer is a place on a rubric, as the expectation over its levels."""

    type: Literal["score"] = "score"
    instructions: Words | None = None
    """The question, naming the field of the state that it judges."""
    criteria: Annotated[tuple[Words, ...], Field(min_length=MIN_LEVELS, max_length=MAX_LEVELS)]
    """What each level means, from the lowest to the highest."""

    @property
    def options(self) -> tuple[str, ...]:
        """The levels as decimal texts, `0` the lowest."""
        return tuple(str(level) for level in range(len(self.criteria)))


Question = NoulQuestion | ChoiceQuestion | ScoreQuestion


def noul(instructions: str | None = None, *, yes: str | None = None, no: str | None = None) -> NoulQuestion:
    """Return a yes-or-no question. Raises ValueError (pydantic's) where it asks nothing."""
    outcomes = Outcomes(yes=yes, no=no) if yes is not None or no is not None else None
    return NoulQuestion(instructions=instructions, criteria=outcomes)


def choice(instructions: str | None, options: dict[str, str | None]) -> ChoiceQuestion:
    """Return a question with 2 to 255 options, each with what it means. Raises ValueError (pydantic's) for another number."""
    return ChoiceQuestion(instructions=instructions, criteria=options)


def score(instructions: str | None, levels: tuple[str, ...] | list[str]) -> ScoreQuestion:
    """Return a question with 2 to 10 levels, lowest first. Raises ValueError (pydantic's) for another number."""
    return ScoreQuestion(instructions=instructions, criteria=tuple(levels))


def canonical_question(question: Question) -> Json:
    """Return what a question asks as JSON in which the order of options counts; its id is no part of it."""
    asked = question.model_dump(exclude_none=True)
    if isinstance(question, ChoiceQuestion):
        asked["criteria"] = [[option, meaning] for option, meaning in question.criteria.items()]
    return asked
