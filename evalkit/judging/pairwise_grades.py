"""What a pairwise verdict says on each criterion and overall, in the places in which the answers were shown."""

from __future__ import annotations

from evalkit.judging.pointwise_grades import OVERALL
from evalkit.records.verdicts import PairVerdict


def read(criterion: str, verdict: PairVerdict) -> str:
    """Return A, B or tie for a criterion or `overall`; A is the answer shown first."""
    return verdict.overall if criterion == OVERALL else verdict.criteria[criterion].winner


def reason(criterion: str, verdict: PairVerdict) -> str:
    """Return the judge's words about a criterion; for `overall` what each criterion said."""
    if criterion != OVERALL:
        return verdict.criteria[criterion].rationale
    return ", ".join(f"{name}: {entry.winner}" for name, entry in verdict.criteria.items())
