"""Who may say that a result is done: states, transitions and endings, pure. Nothing here reads, asks, or waits.

    requested -> candidate -> cleared -> complete | complete_provisional | requested again, with feedback
        |            |           |-----> judgment_skipped | accepted_unjudged     nobody could judge
        |            |           `-----> exhausted                                a limit
        |            |-----> blocked_by_policy                                    decided in code, whatever the quality
        |            `-----> exhausted
        `-> error | exhausted                                                     there is no candidate

A generator's turn leads to `candidate`, policy in code to `cleared`, a verdict on this very candidate further. A verdict is bound to
(request, attempt, hash of the text): one on anything else changes nothing. Every count that passes its limit ends the request.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal

from evalkit.records.acceptance_terms import AcceptanceTerms, Limits

State = Literal[
    "requested",
    "candidate",
    "cleared",
    "complete",
    "complete_provisional",
    "accepted_unjudged",
    "blocked_by_policy",
    "judgment_skipped",
    "exhausted",
    "error",
]

ENDINGS: frozenset[State] = frozenset({
    "complete",
    "complete_provisional",
    "accepted_unjudged",
    "blocked_by_policy",
    "judgment_skipped",
    "exhausted",
    "error",
})  # fmt: skip
"""States that nothing leads out of."""

TRANSITIONS: Mapping[State, frozenset[State]] = {
    "requested": frozenset({"requested", "candidate", "exhausted", "error"}),
    "candidate": frozenset({"cleared", "blocked_by_policy", "exhausted"}),
    "cleared": frozenset(
        {"requested", "complete", "complete_provisional", "judgment_skipped", "accepted_unjudged", "exhausted"}
    ),
    **{ending: frozenset() for ending in ENDINGS},
}
"""State -> the states that can follow it."""

LIMITS = tuple(Limits.model_fields)


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """What is judged."""

    request: str
    """Id of the request."""
    attempt: int
    output_sha256: str
    """Hash of the candidate's text."""

    def sentence(self) -> str:
        """Return the object of evaluation in one sentence."""
        return f"request {self.request}, attempt {self.attempt}, candidate {self.output_sha256}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """How often something was done again, each kind apart."""

    quality_retries: int = 0
    verdict_retries: int = 0
    transport_retries: int = 0
    tool_turns: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Situation:
    """Where one request stands."""

    state: State = "requested"
    reason: str = ""
    """A stable word for counting, e.g. the limit that ended it."""
    detail: str = ""
    """What happened, in words."""
    subject: Subject | None = None
    """The candidate that is being looked at, or was last."""
    counts: Counts = Counts()

    @property
    def ended(self) -> bool:
        """Whether nothing leads further."""
        return self.state in ENDINGS


@dataclass(frozen=True, slots=True, kw_only=True)
class Produced:
    """The generator gave a candidate."""

    subject: Subject
    transport_retries: int = 0
    """Calls sent again for it, as far as they were not events of their own."""
    tool_turns: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Failed:
    """The generator gave no candidate."""

    reason: str
    detail: str = ""
    again: bool = False
    """Whether the same call may help when it is sent again."""
    transport_retries: int = 0
    """Calls sent again for it already."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NoCandidate:
    """There is nobody to ask for a candidate: a recording ends, or no criterion covers the request."""

    reason: str
    detail: str = ""
    ending: Literal["exhausted", "error"] = "error"


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """Every policy condition was looked at in code."""

    broken: tuple[str, ...] = ()
    undecided: tuple[str, ...] = ()
    """Conditions that could not be decided; they block too, for nothing may pass because nobody could tell."""
    detail: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """Every criterion that applies was decided."""

    subject: Subject
    required_missed: tuple[str, ...]
    """Required criteria that the candidate does not meet."""
    score: float
    """sum(weight x passed) / sum(weight), in [0, 1]."""
    trusted: bool
    """Whether every judge that took part has earned trust, or none was needed."""
    doubt: str = ""
    """Why not."""
    verdict_retries: int = 0
    detail: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class NoVerdict:
    """Some criterion could not be decided, so there is no score."""

    subject: Subject
    reason: str
    detail: str = ""
    verdict_retries: int = 0


Event = Produced | Failed | NoCandidate | Policy | Verdict | NoVerdict


def step(now: Situation, event: Event, terms: AcceptanceTerms) -> Situation:
    """Return the situation after an event.

    An event that the state does not wait for, and a verdict on anything but the current candidate, change nothing.
    """
    if now.state == "requested" and isinstance(event, Produced | Failed | NoCandidate):
        return _generated(now, event, terms.limits)
    if now.state == "candidate" and isinstance(event, Policy):
        return _checked(now, event, terms.limits)
    if now.state == "cleared" and isinstance(event, Verdict | NoVerdict) and event.subject == now.subject:
        return _judged(now, event, terms)
    return now


def _generated(now: Situation, event: Produced | Failed | NoCandidate, limits: Limits) -> Situation:
    if isinstance(event, NoCandidate):
        return replace(now, state=event.ending, reason=event.reason, detail=event.detail)
    resent = now.counts.transport_retries + event.transport_retries
    if isinstance(event, Produced):
        counts = replace(now.counts, transport_retries=resent, tool_turns=now.counts.tool_turns + event.tool_turns)
        return Situation(state="candidate", subject=event.subject, counts=counts)
    counts = replace(now.counts, transport_retries=resent)
    if not event.again:
        return replace(now, state="error", reason=event.reason, detail=event.detail, counts=counts)
    if resent >= limits.transport_retries:
        used = f"{event.reason}: {event.detail}" if event.detail else event.reason
        return replace(now, state="exhausted", reason="transport_retries", detail=used, counts=counts)
    counts = replace(counts, transport_retries=resent + 1)
    return replace(now, reason=event.reason, detail=event.detail, counts=counts)


def _checked(now: Situation, event: Policy, limits: Limits) -> Situation:
    if event.broken:
        return replace(now, state="blocked_by_policy", reason=", ".join(event.broken), detail=event.detail)
    if event.undecided:
        reason = f"undecided: {', '.join(event.undecided)}"
        return replace(now, state="blocked_by_policy", reason=reason, detail=event.detail)
    return _over(now, limits) or replace(now, state="cleared")


def _judged(now: Situation, event: Verdict | NoVerdict, terms: AcceptanceTerms) -> Situation:
    counts = replace(now.counts, verdict_retries=now.counts.verdict_retries + event.verdict_retries)
    now = replace(now, counts=counts, reason="", detail=event.detail)
    over = _over(now, terms.limits)
    if over:
        return over
    if isinstance(event, NoVerdict):
        state: State = "accepted_unjudged" if terms.on_skipped == "accept_unjudged" else "judgment_skipped"
        return replace(now, state=state, reason=event.reason)
    if event.required_missed or not event.score >= terms.threshold:
        return _missed(now, event, terms)
    if terms.require_trust and not event.trusted:
        return replace(now, state="complete_provisional", reason="untrusted_judge", detail=event.doubt)
    return replace(now, state="complete", reason="criteria_met")


def _missed(now: Situation, event: Verdict, terms: AcceptanceTerms) -> Situation:
    why = "required_missed" if event.required_missed else "below_threshold"
    if now.counts.quality_retries >= terms.limits.quality_retries:
        return replace(now, state="exhausted", reason="quality_retries", detail=why)
    counts = replace(now.counts, quality_retries=now.counts.quality_retries + 1)
    return replace(now, state="requested", reason=why, counts=counts)


def _over(now: Situation, limits: Limits) -> Situation | None:
    """Return the ending of a request one of whose counts has passed its limit."""
    for name in LIMITS:
        count, most = getattr(now.counts, name), getattr(limits, name)
        if count > most:
            return replace(now, state="exhausted", reason=name, detail=f"{count}, at most {most}")
    return None
