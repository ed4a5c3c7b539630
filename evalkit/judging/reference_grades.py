"""What a reference verdict says: its criteria, and two shares per case that are never mixed into a rate."""

from __future__ import annotations

from evalkit.judging import pointwise_grades
from evalkit.records.rubrics import Rubric
from evalkit.records.scores import CriterionSpec
from evalkit.records.verdicts import ReferenceVerdict

SHARES = ("coverage", "contradiction")
"""Rows beside the criteria; no criterion of a reference rubric may bear these names."""


def specs(rubric: Rubric) -> tuple[CriterionSpec, ...]:
    """Return a rate per criterion and `overall`, then the shares as means per case in [0, 1]."""
    return (
        *pointwise_grades.specs(rubric),
        CriterionSpec(id="coverage", estimate="mean", within=(0.0, 1.0)),
        # Silence contradicts nothing, and must not lower the share.
        CriterionSpec(id="contradiction", estimate="mean", within=(0.0, 1.0), without_output="exclude"),
    )


def read(row: str, verdict: ReferenceVerdict) -> str | float:
    """Return the grade of a criterion or of `overall`, or a share."""
    return verdict.measures[row] if row in SHARES else pointwise_grades.read(row, verdict)
