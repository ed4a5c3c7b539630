"""What was found about a candidate, in the machine's words."""

from __future__ import annotations

from collections.abc import Sequence

from evalkit.acceptance.assessment import Assessment
from evalkit.acceptance.machine import Failed, NoVerdict, Policy, Subject, Verdict
from evalkit.records.acceptance_log import ConditionResult
from evalkit.records.verdicts import Judgement

RESENDABLE = frozenset({"time_limit", "exit_status", "provider"})
"""Kinds of failure of a live generator for which the same call may help; the kind begins an output's `error`."""
FINAL = frozenset({"output_size", "unreadable_output", "rejected"})
"""Kinds for which it would not."""


def failure(error: str, resent: int, *, more: bool) -> Failed:
    """Return what an output's `error` means, after `resent` calls; `more`: a recording goes on after it.

    A live generator's errors begin with their kind; any other is a recording's own words.
    """
    kind, _, words = error.partition(": ")
    if kind not in RESENDABLE | FINAL:
        return Failed(reason="output_error", detail=error, again=more, transport_retries=resent)
    return Failed(reason=kind, detail=words, again=more or kind in RESENDABLE, transport_retries=resent)


def policy_event(conditions: Sequence[ConditionResult]) -> Policy:
    """Return what the conditions come to: what is broken, what could not be decided, and why."""
    faulty = [c for c in conditions if c.result in {"broken", "undecided"}]
    return Policy(
        broken=tuple(c.condition for c in faulty if c.result == "broken"),
        undecided=tuple(c.condition for c in faulty if c.result == "undecided"),
        detail="; ".join(f"{c.condition}: {c.reason}" for c in faulty if c.reason),
    )


def verdict_event(
    subject: Subject, assessment: Assessment, *, trusted: bool, doubt: str, verdicts: Sequence[Judgement]
) -> Verdict | NoVerdict:
    """Return an assessment as a verdict on its subject, or as none; `trusted` says whether the judges that had a say are, `doubt` why not."""
    retries = sum(_tries(judgement) - 1 for judgement in verdicts)
    if assessment.score is None:
        return NoVerdict(
            subject=subject, reason=assessment.undecided, detail=assessment.detail, verdict_retries=retries
        )
    return Verdict(
        subject=subject,
        required_missed=assessment.required_missed,
        score=assessment.score,
        trusted=trusted,
        doubt=doubt,
        verdict_retries=retries,
        detail=f"missed: {', '.join(assessment.missed)}" if assessment.missed else "",
    )


def _tries(judgement: Judgement) -> int:
    """Return how many replies a verdict took; at least one, for what the floor gives and what was never asked."""
    return max(1, judgement.purchase.tries if judgement.purchase else len(judgement.rejected))
