"""What a classifier is: it answers typed questions about a state with probabilities, and writes no text.

Every style (static, systemone, llm, floor) and every pattern that stands for one (escalate, tape) has this one method.
Failing is an exception: UsageError where the request cannot be asked as it is, ProviderError where a server failed or its answer
cannot be trusted. `identity` is everything that makes the measurement but the questions; `configuration_hash` adds those.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from evalkit.errors import UsageError
from evalkit.records.bands import Bands
from evalkit.records.base import Json
from evalkit.records.decisions import Decision
from evalkit.records.identity import canonical_json, content_hash
from evalkit.records.questions import Question, canonical_question

ROLE = "role"


@dataclass(frozen=True, slots=True)
class State:
    """A state with the role of the judgment beside the data's fields; each question names the field that it judges."""

    role: str
    """For whom or as what the questions are answered."""
    data: Mapping[str, Json]
    """The fields of the case; none may be called `role`."""

    def value(self) -> dict[str, Json]:
        """Return the state as it is sent. Raises UsageError where the data has a role of its own."""
        if ROLE in self.data:
            raise UsageError(
                "the state's data has a field `role` of its own: rename it, or pass the data without State"
            )
        return {ROLE: self.role, **self.data}


AnyState = State | Json
"""A State, or text, object or list."""


class Classifier(Protocol):
    """Answers typed questions about a state."""

    @property
    def identity(self) -> Mapping[str, Json]:
        """Style, model, endpoint, layout of a request: all that makes the answers but the questions, as JSON, without keys."""
        ...

    async def evaluate(self, state: AnyState, questions: Mapping[str, Question]) -> Decision:
        """Return the answers to the questions, by their ids. Raises UsageError and ProviderError."""
        ...


def state_value(state: AnyState) -> Json:
    """Return a state as JSON. Raises UsageError for null, and for what is not text, object or list of JSON."""
    value = state.value() if isinstance(state, State) else state
    if not isinstance(value, str | dict | list | tuple | Mapping):
        raise UsageError(f"a state is text, an object or a list, not {type(value).__name__}")
    value = dict(value) if isinstance(value, Mapping) else value
    try:
        canonical_json(value)
    except (TypeError, ValueError, RecursionError) as error:
        raise UsageError(f"the state is not JSON: {error}") from None
    return value


def asked(questions: Mapping[str, Question]) -> dict[str, Question]:
    """Return the questions as a dict. Raises UsageError where there is none."""
    if not questions:
        raise UsageError("no questions: an evaluation asks at least one")
    return dict(questions)


def configuration_hash(
    classifier: Classifier, questions: Mapping[str, Question], *, bands: Bands | None = None, rules: Json = None
) -> str:
    """Return 64 hex digits for a whole measurement: the classifier, the wording in its order, and the thresholds.

    `rules` is whatever else decides: a policy, a battery's cuts. Trust is earned by this hash and by nothing smaller.
    """
    return hash_of(classifier.identity, questions, bands=bands, rules=rules)


def hash_of(
    identity: Mapping[str, Json], questions: Mapping[str, Question], *, bands: Bands | None = None, rules: Json = None
) -> str:
    """Return `configuration_hash` of the classifier with this identity, which need not have been made."""
    return content_hash(
        "classifier-config",
        {
            "classifier": dict(identity),
            "questions": [[name, canonical_question(question)] for name, question in questions.items()],
            "bands": bands.model_dump() if bands else None,
            "rules": rules,
        },
    )
