"""What stored judgements come to on each criterion, read from verdicts.jsonl alone: for verifying and for comparing runs."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean

from evalkit.records.verdicts import Judgement

OVERALL = "overall"
NO_VERDICT = ""
"""Stands in `Grades` for a judgement without a verdict."""
NOT_SCORED = frozenset({"judge_error", "not_bought", "unstable", "not_applicable", "floor_abstains", "none"})
"""Outcomes that are neither pass nor fail."""

Grades = dict[str, str | float]
"""Criterion -> grade, with `overall`; row of a mean -> number: all that is kept of a judgement while lines stream past."""


def grades_of(judgement: Judgement) -> Grades:
    """Return a judgement's grades; where it has no verdict, why, under `NO_VERDICT`."""
    verdict = judgement.graded
    if verdict is None:
        return {NO_VERDICT: "judge_error" if judgement.rejected else "not_bought"}
    overall = {True: "pass", False: "fail", None: "not_applicable"}[verdict.overall_pass]
    grades: Grades = {**{name: entry.grade for name, entry in verdict.criteria.items()}, OVERALL: overall}
    if verdict.criteria:  # a floor that abstained from all of them counts nothing
        grades |= verdict.measures
    if judgement.abstained:
        grades |= dict.fromkeys((*judgement.abstained, OVERALL), "floor_abstains")
    return grades


def outcome_of(criterion: str, samples: Sequence[Grades]) -> str | float:
    """Return what the samples of one case come to on one row: pass, fail, or one of `NOT_SCORED`; of a mean the number."""
    missing = {grades[NO_VERDICT] for grades in samples if NO_VERDICT in grades}
    if missing:
        return "judge_error" if "judge_error" in missing else "not_bought"
    given = [grades.get(criterion, "none") for grades in samples]
    numbers = [value for value in given if not isinstance(value, str)]
    if numbers:
        return fmean(numbers)
    found = set(given)
    if len(found) > 1:
        return "unstable"
    return "fail" if found == {"partial"} else found.pop()
