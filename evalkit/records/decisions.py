"""What a classifier answered: probabilities, the value read from them, and a confidence computed here.

Servers define confidence differently, so it is computed from the probabilities and the server's number is kept beside it.
A noul has none: a gate reads its distance from 0.5.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Annotated, Literal

from pydantic import Field

from evalkit.records.base import Json, Record

NEAR_UNIFORM = 0.05
"""Largest distance of any probability from 1/n at which an answer says nothing."""

EXACT = 12
"""Decimals to which computed numbers are rounded, so that a sum that should meet a threshold meets it."""

Probability = Annotated[float, Field(ge=0, le=1)]


class NoulAnswer(Record):
    """The answer to a noul."""

    type: Literal["noul"] = "noul"
    p: Probability
    """Probability of yes."""
    source: str = ""
    """Who answered: a model, `static`, `floor`, `person`."""
    disagrees: bool = False
    """Whether several views of the case gave different answers; a gate takes that for uncertain."""

    def value(self) -> float:
        """Return the probability of yes."""
        return self.p


class ChoiceAnswer(Record):
    """The answer to a choice."""

    type: Literal["choice"] = "choice"
    choice: str
    """The most probable option."""
    probabilities: dict[str, Probability]
    """Option -> probability, in the question's order."""
    confidence: Probability
    """(max p - 1/n) / (1 - 1/n)."""
    server_confidence: float | None = None
    """The server's own number, where it gave one."""
    source: str = ""
    disagrees: bool = False

    def value(self) -> str:
        """Return the most probable option."""
        return self.choice

    @property
    def near_uniform(self) -> bool:
        """Whether every probability lies within 0.05 of 1/n."""
        return near_uniform(tuple(self.probabilities.values()))


class ScoreAnswer(Record):
    """The answer to a score."""

    type: Literal["score"] = "score"
    score: Annotated[float, Field(ge=0)]
    """The expectation over the levels, 0 to n - 1."""
    probabilities: tuple[Probability, ...]
    """Probability of each level, lowest first."""
    confidence: Probability
    """max(0, 1 - sum p_i |i - mode| / D), D the mean |i - (n - 1)/2| of the uniform distribution; the lowest of equal modes."""
    server_confidence: float | None = None
    """The server's own number, where it gave one."""
    source: str = ""
    disagrees: bool = False

    def value(self) -> float:
        """Return the expectation, 0 to n - 1."""
        return self.score

    @property
    def normalised(self) -> float:
        """The expectation as a share of the highest level, 0 to 1."""
        return self.score / (len(self.probabilities) - 1)

    @property
    def near_uniform(self) -> bool:
        """Whether every probability lies within 0.05 of 1/n."""
        return near_uniform(self.probabilities)


Answer = NoulAnswer | ChoiceAnswer | ScoreAnswer


class DecisionUsage(Record):
    """What a decision took."""

    requests: int = 0
    """Requests that were answered; 0 where no server was asked."""
    input_tokens: int | None = None
    """Sum over requests; None where a server did not say."""
    output_tokens: int | None = None


class Decision(Record):
    """The answers of one evaluation."""

    answers: dict[str, Annotated[Answer, Field(discriminator="type")]]
    """Question id -> answer, in the order asked; what was not answered is missing here and stands in `unanswered`."""
    model: str
    """The model that answered, as the server named it."""
    calibrated: bool
    """Whether the model was trained to give probabilities that mean what they say; thresholds tuned on one that is do not carry over."""
    usage: DecisionUsage = DecisionUsage.model_construct()
    unanswered: dict[str, str] = Field(default_factory=dict)
    """Question id -> why there is no answer."""


class Request(Record):
    """A question to somebody outside, on which a result waits; it is answered by its id."""

    id: str
    """Hash of kind, prompt and data."""
    kind: str
    """What is asked for, e.g. `judgment` or `tool_approval`."""
    prompt: str
    """The question to the person, in words."""
    data: dict[str, Json]
    """What the person must see to answer; untrusted where it came from a model or a user."""


def distribution_fault(probabilities: Sequence[float]) -> str | None:
    """Return what is wrong with the probabilities of a question's n options, or None.

    Each is a number from 0 to 1; servers round to two decimals, so their sum may be off by max(0.05, 0.005 n).
    """
    for p in probabilities:
        if not 0 <= p <= 1:  # NaN too
            return f"a probability of {p:g} is outside 0 to 1"
    total = math.fsum(probabilities)
    if round(abs(total - 1), EXACT) > max(0.05, 0.005 * len(probabilities)):
        return f"the probabilities sum to {total:.3f}, not to 1"
    return None


def choice_confidence(probabilities: tuple[float, ...]) -> float:
    """Return (max p - 1/n) / (1 - 1/n), within 0 and 1: 0 for a uniform answer, 1 for a certain one."""
    share = 1 / len(probabilities)
    return max(0.0, round((max(probabilities) - share) / (1 - share), EXACT))


def score_confidence(probabilities: tuple[float, ...]) -> float:
    """Return max(0, 1 - sum p_i |i - mode| / D): 1 for one certain level, less the farther the rest lies from the mode."""
    size = len(probabilities)
    mode = probabilities.index(max(probabilities))
    uniform = sum(abs(level - (size - 1) / 2) for level in range(size)) / size
    spread = sum(p * abs(level - mode) for level, p in enumerate(probabilities))
    return max(0.0, round(1 - spread / uniform, EXACT))


def near_uniform(probabilities: tuple[float, ...]) -> bool:
    """Tell whether max |p - 1/n| <= 0.05."""
    share = 1 / len(probabilities)
    return round(max(abs(p - share) for p in probabilities), EXACT) <= NEAR_UNIFORM


def expectation(probabilities: tuple[float, ...]) -> float:
    """Return the mean level under probabilities that may not sum to exactly 1."""
    return round(sum(level * p for level, p in enumerate(probabilities)) / sum(probabilities), EXACT)


def choice_answer(
    probabilities: Mapping[str, float],
    *,
    choice: str | None = None,
    server_confidence: float | None = None,
    source: str = "",
    disagrees: bool = False,
) -> ChoiceAnswer:
    """Return the answer that a distribution over options gives; without a `choice` the first of the most probable options."""
    values = tuple(probabilities.values())
    return ChoiceAnswer(
        choice=choice or max(probabilities, key=lambda option: probabilities[option]),
        probabilities=dict(probabilities),
        confidence=choice_confidence(values),
        server_confidence=server_confidence,
        source=source,
        disagrees=disagrees,
    )


def score_answer(
    probabilities: Sequence[float],
    *,
    score: float | None = None,
    server_confidence: float | None = None,
    source: str = "",
    disagrees: bool = False,
) -> ScoreAnswer:
    """Return the answer that a distribution over levels gives, lowest first; without a `score` its expectation."""
    values = tuple(probabilities)
    return ScoreAnswer(
        score=expectation(values) if score is None else score,
        probabilities=values,
        confidence=score_confidence(values),
        server_confidence=server_confidence,
        source=source,
        disagrees=disagrees,
    )
