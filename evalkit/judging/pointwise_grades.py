"""What a pointwise verdict says on each criterion, and on all critical ones together."""

from __future__ import annotations

from evalkit.records.rubrics import Rubric
from evalkit.records.scores import CriterionSpec
from evalkit.records.verdicts import Verdict

OVERALL = "overall"
"""Reserved criterion id: the conjunction of the critical criteria that apply."""


def specs(rubric: Rubric) -> tuple[CriterionSpec, ...]:
    """Return a rate per criterion of the rubric, then `overall`."""
    return tuple(CriterionSpec(id=name) for name in (*(c.id for c in rubric.criteria), OVERALL))


def read(criterion: str, verdict: Verdict) -> str:
    """Return the grade of a criterion or of `overall`: pass, fail, not_applicable, or partial where the rubric has it."""
    if criterion != OVERALL:
        return verdict.criteria[criterion].grade
    return {True: "pass", False: "fail", None: "not_applicable"}[verdict.overall_pass]


def reason(criterion: str, verdict: Verdict) -> str:
    """Return why a criterion did not pass: the judge's rationale; for `overall` which criteria failed."""
    if criterion != OVERALL:
        return verdict.criteria[criterion].rationale
    failed = [name for name, entry in verdict.criteria.items() if entry.grade in ("fail", "partial")]
    return f"failed: {', '.join(failed)}"
