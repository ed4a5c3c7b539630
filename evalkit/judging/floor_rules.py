"""The rules of the floor judge that a rubric can name; apart from the floor itself, so that linting a rubric does not load it."""

from __future__ import annotations

from evalkit.records.rubrics import Criterion, Rubric

RULES = ("claims",)
"""Floor rules that a rubric can name."""


def rule_fault(rubric: Rubric, criterion: Criterion) -> str | None:
    """Return what is wrong with a criterion's floor rule, or None."""
    if criterion.floor is None:
        return None
    if criterion.floor not in RULES:
        return f"the floor judge has no rule {criterion.floor!r}; it knows: {', '.join(RULES)}"
    if rubric.claims == "none" or criterion.claims_rule is None:
        return "the floor rule 'claims' needs `claims: plain` in the rubric and a claims_rule in the criterion"
    return None
