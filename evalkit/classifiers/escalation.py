"""Escalation: what the first classifier is not sure of goes to a second one, or to a person.

Only the answers under the gate go on. With a classifier the result is settled at once; with a person it suspends: it carries a
Request, and `resume` with the request's id and the person's answers settles it, in the same process or from its stored JSON.
A cheap-first cascade is this with a cheaper classifier in front. Each answer says who gave it; the whole is calibrated only if
every classifier that was asked is; a person's answer is certain and takes nothing from that.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated

from pydantic import Field

from evalkit.classifiers.banding import BANDS, is_sure
from evalkit.classifiers.merging import merged
from evalkit.classifiers.seam import AnyState, Classifier, asked, state_value
from evalkit.classifiers.static import Canned, answer_from
from evalkit.classifiers.suspensions import make_request
from evalkit.errors import UsageError
from evalkit.records.bands import Bands
from evalkit.records.base import Json, Record
from evalkit.records.decisions import Decision, Request
from evalkit.records.questions import Question

PERSON = "person"


@dataclass(frozen=True, slots=True)
class Person:
    """A fallback that answers later, from outside."""

    prompt: str
    """What the person is asked, in words; the state and the questions go along as data."""
    kind: str = "judgment"
    occasion: str = ""
    """What tells two requests about one case apart, e.g. a turn's id; part of the request's data where it is set."""


class Escalated(Record):
    """Where an escalation stands: settled, or suspended until its request is answered."""

    decision: Decision
    """The answers so far; while suspended those under the gate are the first classifier's."""
    questions: dict[str, Annotated[Question, Field(discriminator="type")]]
    """All questions, by id, in the order asked."""
    escalated: tuple[str, ...]
    """Ids of the questions that went on to the fallback."""
    request: Request | None = None
    """What the result waits for; None where it is settled."""


async def escalate(
    primary: Classifier,
    fallback: Classifier | Person,
    state: AnyState,
    questions: Mapping[str, Question],
    *,
    bands: Bands = BANDS,
) -> Escalated:
    """Ask the primary, and the fallback for every answer that is missing or not sure.

    Raises what either classifier raises: a failing tier is the caller's decision, not this pattern's.
    """
    everything = asked(questions)
    decision = merged([await primary.evaluate(state, everything)], everything)
    unsure = {name: question for name, question in everything.items() if not _clears(decision, name, bands)}
    request = None
    if isinstance(fallback, Person):
        request = _request(fallback, state, unsure, decision) if unsure else None
    elif unsure:
        decision = merged([decision, await fallback.evaluate(state, unsure)], everything)
    return Escalated(decision=decision, questions=everything, escalated=tuple(unsure), request=request)


def resume(
    suspended: Escalated, request_id: str, replies: Mapping[str, Canned | None], *, by: str = PERSON
) -> Escalated:
    """Return the settled result: each open question answered as the person said, by `by`.

    A noul takes a bool or a probability, a choice an option, a score a level; None says that the person cannot tell, and leaves
    the answer as it was. Raises UsageError for another id, a result that waits for nothing, and replies that do not fit.
    """
    if suspended.request is None:
        raise UsageError("this result waits for no request: it is settled")
    if suspended.request.id != request_id:
        raise UsageError(f"this result waits for the request {suspended.request.id}, not for {request_id!r}")
    if set(replies) != set(suspended.escalated):
        raise UsageError(f"replies are wanted for {sorted(suspended.escalated)}, and came for {sorted(replies)}")
    told = {
        name: answer_from(suspended.questions[name], reply, by) for name, reply in replies.items() if reply is not None
    }
    person = Decision(answers=told, model=by, calibrated=True)
    decision = merged([suspended.decision, person], suspended.questions)
    return suspended.model_copy(update={"decision": decision, "request": None})


class Cascade:
    """A cheap classifier in front of a dearer one, as one classifier."""

    def __init__(self, primary: Classifier, fallback: Classifier, *, bands: Bands = BANDS) -> None:
        self._primary = primary
        self._fallback = fallback
        self._bands = bands

    @property
    def identity(self) -> Mapping[str, Json]:
        """Both tiers and the cuts between them."""
        tiers = {"primary": dict(self._primary.identity), "fallback": dict(self._fallback.identity)}
        return {"style": "cascade", **tiers, "bands": self._bands.model_dump()}

    async def evaluate(self, state: AnyState, questions: Mapping[str, Question]) -> Decision:
        """Return the answers of the first tier that is sure of them; each names its source."""
        found = await escalate(self._primary, self._fallback, state, questions, bands=self._bands)
        return found.decision


def _clears(decision: Decision, name: str, bands: Bands) -> bool:
    answer = decision.answers.get(name)
    return answer is not None and is_sure(answer, bands)


def _request(person: Person, state: AnyState, questions: Mapping[str, Question], decision: Decision) -> Request:
    data: dict[str, Json] = {"occasion": person.occasion} if person.occasion else {}
    data |= {
        "state": state_value(state),
        "questions": {name: q.model_dump(mode="json", exclude_none=True) for name, q in questions.items()},
        "answers": {
            name: answer.model_dump(mode="json") for name, answer in decision.answers.items() if name in questions
        },
    }
    return make_request(person.kind, person.prompt, data)
