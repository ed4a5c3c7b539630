"""What a triage says on each row: criteria and overall as rates, a count per class as a mean, never one number for all."""

from __future__ import annotations

from math import inf

from evalkit.judging import pointwise_grades
from evalkit.records.rubrics import Rubric
from evalkit.records.scores import CriterionSpec
from evalkit.records.verdicts import RULING_ROWS, SPECIFICITY, TriageVerdict

COUNTS = (*RULING_ROWS, SPECIFICITY)
"""Rows that are numbers per answer."""
FLOOR_ABSTAINS = ("misattributions", "inaccurate_general", "cleared")
"""Counts that need a reader who knows who found what, and what is true: the floor gives none."""


def specs(rubric: Rubric) -> tuple[CriterionSpec, ...]:
    """Return a rate per criterion, `overall`, then the counts; an empty text breaks no rule and holds no statement to count."""
    counts = (CriterionSpec(id=row, estimate="mean", within=(0.0, inf), without_output="exclude") for row in COUNTS)
    return (*pointwise_grades.specs(rubric), *counts)


def read(row: str, verdict: TriageVerdict) -> str | float:
    """Return the grade of a criterion or of `overall`, or a count."""
    return verdict.measures[row] if row in COUNTS else pointwise_grades.read(row, verdict)


def reason(row: str, verdict: TriageVerdict) -> str:
    """Return why a criterion did not pass: the statements that fail it, quoted."""
    return pointwise_grades.reason(row, verdict)
