"""What stored judgements come to on each criterion, read from verdicts.jsonl alone: for verifying and for comparing runs."""

from __future__ import annotations

from collections.abc import Sequence

from evalkit.records.verdicts import Judgement

OVERALL = "overall"
NO_VERDICT = ""
"""Stands in `Grades` for a judgement without a verdict."""
NOT_SCORED = frozenset({"judge_error", "not_bought", "unstable", "not_applicable", "floor_abstains", "none"})
"""Outcomes that are neither pass nor fail."""

Grades = dict[str, str]
"""Criterion -> grade, with `overall`: all that is kept of a judgement while lines stream past."""


def grades_of(judgement: Judgement) -> Grades:
    """Return a judgement's grades; where it has no verdict, why, under `NO_VERDICT`."""
    verdict = judgement.graded
    if verdict is None:
        return {NO_VERDICT: "judge_error" if judgement.rejected else "not_bought"}
    overall = {True: "pass", False: "fail", None: "not_applicable"}[verdict.overall_pass]
    grades = {**{name: entry.grade for name, entry in verdict.criteria.items()}, OVERALL: overall}
    if judgement.abstained:
        grades |= dict.fromkeys((*judgement.abstained, OVERALL), "floor_abstains")
    return grades


def outcome_of(criterion: str, samples: Sequence[Grades]) -> str:
    """Return what the samples of one case come to on one criterion: pass, fail, or one of `NOT_SCORED`."""
    missing = {grades[NO_VERDICT] for grades in samples if NO_VERDICT in grades}
    if missing:
        return "judge_error" if "judge_error" in missing else "not_bought"
    found = {grades.get(criterion, "none") for grades in samples}
    if len(found) > 1:
        return "unstable"
    return "fail" if found == {"partial"} else found.pop()
