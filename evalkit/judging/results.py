"""Verdicts on the one contract: per case and criterion a Score or an Unscored, also over several samples, never a vote."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean

from evalkit.judging.modes import MODES
from evalkit.judging.pointwise_grades import OVERALL
from evalkit.judging.requests import Measurement
from evalkit.records.scores import CriterionSpec, Result, Score, Unscored
from evalkit.records.verdicts import AnyVerdict, Judgement


def specs_of(measurement: Measurement) -> tuple[CriterionSpec, ...]:
    """Return what a measurement has rows for: rates of graded criteria, and the mode's counts or shares as means."""
    return measurement.mode.specs(measurement.rubric)


def criteria_of(measurement: Measurement) -> tuple[str, ...]:
    """Return the graded criteria of a measurement: those that are passed or failed."""
    return tuple(spec.id for spec in specs_of(measurement) if spec.estimate == "rate")


def results_of(measurement: Measurement, samples: Sequence[Judgement]) -> tuple[Result, ...]:
    """Return one result per row of `specs_of`, from all samples of one case.

    Any sample without a verdict: judge_error (or not_bought). All pass or all fail: that. Otherwise `unstable`. A count is the
    mean over the samples.
    """
    specs = specs_of(measurement)
    for judgement in samples:
        if judgement.verdict is None:
            return tuple(_no_verdict(judgement) for _ in specs)
    verdicts = [judgement.verdict for judgement in samples if judgement.verdict is not None]
    return tuple(_combined(measurement, spec.id, verdicts) for spec in specs)


def counts_of(measurement: Measurement, row: str, samples: Sequence[Judgement]) -> tuple[float, ...]:
    """Return the number that each sample of one case gives a row of counts; none where a sample has none, or the floor abstains."""
    if row in measurement.abstained:
        return ()
    verdicts = [judgement.verdict for judgement in samples]
    readings = [measurement.mode.read(row, verdict) for verdict in verdicts if verdict is not None]
    counts = tuple(reading for reading in readings if not isinstance(reading, str))
    return counts if len(counts) == len(samples) else ()


def grade_of(criterion: str, judgement: Judgement) -> str | Unscored:
    """Return the grade that one judgement gives a graded criterion, or why it gives none."""
    if judgement.verdict is None:
        return _no_verdict(judgement)
    if criterion in judgement.abstained or (criterion == OVERALL and judgement.abstained):
        return Unscored("floor_abstains")
    return str(MODES[judgement.mode].read(criterion, judgement.verdict))


def _no_verdict(judgement: Judgement) -> Unscored:
    if not judgement.rejected:
        return Unscored("not_bought")
    last = judgement.rejected[-1].rejection
    return Unscored(f"judge_error:{last.kind}", last.message)


def _combined(measurement: Measurement, criterion: str, verdicts: Sequence[AnyVerdict]) -> Result:
    abstained = measurement.abstained
    if criterion in abstained or (abstained and (criterion == OVERALL or not measurement.form.rubric.criteria)):
        return Unscored("floor_abstains")
    mode = measurement.mode
    readings = [mode.read(criterion, verdict) for verdict in verdicts]
    numbers = [reading for reading in readings if not isinstance(reading, str)]
    if numbers:
        return Score(fmean(numbers), passed=None)
    if len(set(readings)) > 1:
        return Unscored("unstable", f"samples: {', '.join(map(str, readings))}")
    if readings[0] == "not_applicable":
        return Unscored("not_applicable")
    passed = readings[0] == "pass"
    return Score(float(passed), passed, "" if passed else mode.reason(criterion, verdicts[0]))
