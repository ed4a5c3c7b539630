"""Verdicts on the one contract: per case and criterion a Score or an Unscored, also over several samples, never a vote."""

from __future__ import annotations

from collections.abc import Sequence

from evalkit.judging.requests import Measurement
from evalkit.records.scores import Result, Score, Unscored
from evalkit.records.verdicts import Judgement, Verdict

OVERALL = "overall"
"""Reserved criterion id: the conjunction of the critical criteria that apply."""


def criteria_of(measurement: Measurement) -> tuple[str, ...]:
    """Return the criteria a measurement has rows for: the rubric's, then `overall`."""
    return (*(c.id for c in measurement.rubric.criteria), OVERALL)


def results_of(measurement: Measurement, samples: Sequence[Judgement]) -> tuple[Result, ...]:
    """Return one result per criterion of `criteria_of`, from all samples of one case.

    Any sample without a verdict: judge_error (or not_bought). All pass or all fail: that. Otherwise `unstable`.
    """
    for judgement in samples:
        if judgement.verdict is None:
            return tuple(_no_verdict(judgement) for _ in criteria_of(measurement))
    verdicts = [judgement.verdict for judgement in samples if judgement.verdict is not None]
    return tuple(_combined(criterion, verdicts, measurement.abstained) for criterion in criteria_of(measurement))


def grade_of(criterion: str, judgement: Judgement) -> str | Unscored:
    """Return the grade that one judgement gives a criterion (or `overall`), or why it gives none."""
    if judgement.verdict is None:
        return _no_verdict(judgement)
    if criterion in judgement.abstained or (criterion == OVERALL and judgement.abstained):
        return Unscored("floor_abstains")
    return _grade(criterion, judgement.verdict)


def _no_verdict(judgement: Judgement) -> Unscored:
    if not judgement.rejected:
        return Unscored("not_bought")
    last = judgement.rejected[-1].rejection
    return Unscored(f"judge_error:{last.kind}", last.message)


def _combined(criterion: str, verdicts: Sequence[Verdict], abstained: Sequence[str]) -> Result:
    if criterion in abstained or (criterion == OVERALL and abstained):
        return Unscored("floor_abstains")
    grades = [_grade(criterion, verdict) for verdict in verdicts]
    if len(set(grades)) > 1:
        return Unscored("unstable", f"samples: {', '.join(grades)}")
    if grades[0] == "not_applicable":
        return Unscored("not_applicable")
    passed = grades[0] == "pass"
    return Score(float(passed), passed, "" if passed else _reason(criterion, verdicts[0]))


def _grade(criterion: str, verdict: Verdict) -> str:
    if criterion != OVERALL:
        return verdict.criteria[criterion].grade
    return {True: "pass", False: "fail", None: "not_applicable"}[verdict.overall_pass]


def _reason(criterion: str, verdict: Verdict) -> str:
    if criterion != OVERALL:
        return verdict.criteria[criterion].rationale
    failed = [name for name, entry in verdict.criteria.items() if entry.grade in ("fail", "partial")]
    return f"failed: {', '.join(failed)}"
