"""The gate: a policy's ordered rules over a decision's answers. Pure.

For each rule in order: a missing answer escalates; an uncertain one escalates, or is passed over with `skip_uncertain`; a condition
that does not fit the answer escalates; then it is compared. The first match wins. Nothing fired: the default, or escalation.
"""

from __future__ import annotations

from evalkit.classifiers.banding import is_sure
from evalkit.records.decisions import Answer, ChoiceAnswer, Decision, NoulAnswer
from evalkit.records.policies import GateOutcome, Policy, Reason, Rule


def gate(decision: Decision, policy: Policy) -> GateOutcome:
    """Return what the policy makes of the decision: an action, or an escalation with its reason."""
    for index, rule in enumerate(policy.rules):
        answer = decision.answers.get(rule.question)
        if answer is None:
            why = decision.unanswered.get(rule.question, "it was not answered")
            return _escalated(decision, "missing", f"no answer to {rule.question!r}: {why}", index)
        if not is_sure(answer, policy.bands):
            if policy.skip_uncertain:
                continue
            return _escalated(decision, "uncertain", f"the answer to {rule.question!r} is not sure", index)
        problem = _misfit(rule, answer)
        if problem:
            return _escalated(decision, "misfit", f"the rule on {rule.question!r} does not fit: {problem}", index)
        if _holds(rule, answer):
            return _outcome(decision, rule.action, "rule", f"rule {index} on {rule.question!r} holds", index)
    if policy.default is not None:
        return _outcome(decision, policy.default, "default", "no rule fired; the default holds", None)
    return _escalated(decision, "no_rule", "no rule fired, and there is no default", None)


def _misfit(rule: Rule, answer: Answer) -> str | None:
    """Return why a condition cannot be read on an answer, or None."""
    if isinstance(answer, ChoiceAnswer):
        if rule.is_ is None:
            return "a choice has no amount to compare"
        return None if rule.is_ in answer.probabilities else f"the question has no option {rule.is_!r}"
    cut = _cut(rule)
    if cut is None:
        return f"a {answer.type} has no options"
    highest = 1 if isinstance(answer, NoulAnswer) else len(answer.probabilities) - 1
    return None if 0 <= cut <= highest else f"{cut:g} is outside 0 to {highest}"


def _holds(rule: Rule, answer: Answer) -> bool:
    """Tell whether a condition that fits its answer holds."""
    if isinstance(answer, ChoiceAnswer):
        return answer.choice == rule.is_
    if rule.below is not None:
        return answer.value() < rule.below
    return rule.at_least is not None and answer.value() >= rule.at_least


def _cut(rule: Rule) -> float | None:
    return rule.at_least if rule.below is None else rule.below


def _escalated(decision: Decision, reason: Reason, detail: str, rule: int | None) -> GateOutcome:
    return _outcome(decision, None, reason, detail, rule)


def _outcome(decision: Decision, action: str | None, reason: Reason, detail: str, rule: int | None) -> GateOutcome:
    return GateOutcome(
        action=action,
        escalated=action is None,
        reason=reason,
        detail=detail,
        rule=rule,
        answers=decision.answers,
        calibrated=decision.calibrated,
    )
