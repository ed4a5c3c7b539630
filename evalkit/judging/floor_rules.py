"""The rules of the floor judge that a rubric can name; apart from the floor itself, so that linting a rubric does not load it."""

from __future__ import annotations

from collections.abc import Mapping

from evalkit.records.rubrics import Criterion, Rubric

RULES: Mapping[str, str] = {"claims": "pointwise", "facts": "reference", "statements": "triage"}
"""Floor rule that a rubric can name -> the mode that it belongs to."""


def rule_fault(rubric: Rubric, criterion: Criterion) -> str | None:
    """Return what is wrong with a criterion's floor rule, or None."""
    if criterion.floor is None:
        return None
    if criterion.floor not in RULES:
        return f"the floor judge has no rule {criterion.floor!r}; it knows: {', '.join(RULES)}"
    if RULES[criterion.floor] != rubric.mode:
        return f"the floor rule {criterion.floor!r} is for rubrics of mode {RULES[criterion.floor]}"
    return _misfit(rubric, criterion)


def _misfit(rubric: Rubric, criterion: Criterion) -> str | None:
    """Return why a rule of the right mode cannot decide this criterion, or None."""
    if criterion.floor == "statements":
        if criterion.claims_rule == "no_violation":
            return None
        return "the floor rule 'statements' decides no_violation alone: it knows nothing of owners and accuracy"
    if criterion.floor == "facts":
        return None if criterion.claims_rule else "the floor rule 'facts' needs a claims_rule in the criterion"
    if rubric.claims == "none" or criterion.claims_rule is None:
        return "the floor rule 'claims' needs `claims: plain` in the rubric and a claims_rule in the criterion"
    return None
