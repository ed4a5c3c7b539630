"""Decisions put together: answers in the order asked, calibrated only if all are, usage added up."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from evalkit.records.decisions import Answer, Decision, DecisionUsage


def with_sources(decision: Decision) -> dict[str, Answer]:
    """Return a decision's answers, each naming who gave it: its own source, or the decision's model."""
    return {
        name: answer if answer.source else answer.model_copy(update={"source": decision.model})
        for name, answer in decision.answers.items()
    }


def merged(decisions: Sequence[Decision], order: Iterable[str]) -> Decision:
    """Return one decision of several: a later answer takes the place of an earlier one to the same question."""
    answers: dict[str, Answer] = {}
    unanswered: dict[str, str] = {}
    for decision in decisions:
        answers |= with_sources(decision)
        unanswered |= decision.unanswered
    names = tuple(order)
    return Decision(
        answers={name: answers[name] for name in names if name in answers},
        model=" + ".join(dict.fromkeys(decision.model for decision in decisions)),
        calibrated=all(decision.calibrated for decision in decisions),
        usage=summed([decision.usage for decision in decisions]),
        unanswered={name: unanswered[name] for name in names if name in unanswered and name not in answers},
    )


def summed(usages: Sequence[DecisionUsage]) -> DecisionUsage:
    """Return usages added up; a count that one server did not say is unknown for all, and who asked no server adds nothing."""
    asked = [usage for usage in usages if usage.requests]
    return DecisionUsage(
        requests=sum(usage.requests for usage in asked),
        input_tokens=_total([usage.input_tokens for usage in asked]),
        output_tokens=_total([usage.output_tokens for usage in asked]),
    )


def _total(counts: list[int | None]) -> int | None:
    known = [count for count in counts if count is not None]
    return sum(known) if known and len(known) == len(counts) else None
