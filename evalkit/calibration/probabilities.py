"""A classifier scorer's probabilities against people's labels: do they come true, and from where on may they decide alone.

Labels name the scorer's rows as their rubric and `classifier` as their criterion; an option is read as pass or fail. Only blind test labels of a
random draw count: strata drawn by a judge's verdict stand for another population. How sure an answer is, is the larger of the probabilities of
pass and fail; thresholds on it are tested from the strictest to the loosest (design 6, row 18).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from evalkit.calibration.people import Labelled
from evalkit.calibration.rows import BINARY, PASS
from evalkit.records.calibrations import ProbabilityBin, ProbabilityRow
from evalkit.records.classified import ClassifiedCase
from evalkit.stats.reliability import Forecast, reliability
from evalkit.stats.results import Refused
from evalkit.stats.sequences import levels_of, selective_threshold

EVEN = 0.5

_Text = tuple[str, str | tuple[str, str] | None, str | None]
"""Case id, output hash, scorer."""
Answered = tuple[str, str]
"""Capability and scorer."""


def probability_rows(
    answers: Iterable[ClassifiedCase], labelled: Sequence[Labelled], *, risk: float | None, seed: int
) -> tuple[ProbabilityRow, ...]:
    """Return a row per classifier scorer that answered; with `risk`, above 0 and below 1, also the threshold that holds it."""
    by_scorer: dict[Answered, list[ClassifiedCase]] = defaultdict(list)
    for one in answers:
        by_scorer[one.capability, one.scorer].append(one)
    said = {(one.item[0], one.item[1], one.item[2]): one.label == PASS for one in labelled if _counts(one)}
    return tuple(_row(cases, said, risk, seed) for cases in by_scorer.values())


def _counts(one: Labelled) -> bool:
    return one.split == "test" and one.drawn.design == "random" and one.label in BINARY


def _row(cases: Sequence[ClassifiedCase], said: Mapping[_Text, bool], risk: float | None, seed: int) -> ProbabilityRow:
    first = cases[0]
    forecasts = [
        Forecast(one.p_pass, said[key])
        for one in cases
        if (key := (one.case_id, one.output_sha256, one.scorer)) in said
    ]
    row = ProbabilityRow(
        capability=first.capability,
        scorer=first.scorer,
        configuration_hash=first.configuration_hash,
        models=tuple(sorted({one.model for one in cases})),
        calibrated=all(one.calibrated for one in cases),
        answers=len(cases),
        labels=len(forecasts),
        seed=seed,
        risk=risk,
    )
    mixed = _mixed(row.models)
    found = reliability(forecasts, seed)
    if isinstance(found, Refused):
        return row.model_copy(update={"reading": "no blind test labels of a random draw are about its answers"})
    bins = tuple(
        ProbabilityBin(
            low=one.low,
            high=one.high,
            n=one.n,
            stated=one.stated,
            observed=one.observed.value,
            interval=one.observed.interval,
        )
        for one in found.bins
    )
    measured = row.model_copy(
        update={
            "bins": bins,
            "error": found.error,
            "honest_error": found.honest_error,
            "brier": found.brier.value,
            "brier_interval": found.brier.interval,
            "skill": found.skill,
            "reading": "; ".join(part for part in (mixed, found.insufficient) if part),
        }
    )
    if risk is None:
        return measured
    if mixed:
        return measured.model_copy(update={"to_people": len(cases), "threshold_reading": mixed})
    return measured.model_copy(update=_threshold(cases, forecasts, risk))


def _mixed(models: Sequence[str]) -> str:
    """Several snapshots are several instruments: a pooled figure is none of theirs."""
    if len(models) < 2:
        return ""
    return f"mixed: {len(models)} models answered under one configuration, and these figures are of none of them"


def _threshold(cases: Sequence[ClassifiedCase], forecasts: Sequence[Forecast], risk: float) -> dict[str, object]:
    """Return the fields of a row about the loosest threshold whose error bound holds."""
    sure = [(sureness(p), (p > EVEN) == happened) for p, happened in forecasts]
    found = selective_threshold(levels_of(sure), len(sure), risk)
    if isinstance(found, Refused):
        return {"to_people": len(cases), "threshold_reading": found.reason}
    kept = sum(sureness(one.p_pass) >= found.threshold for one in cases)
    return {
        "threshold": found.threshold,
        "coverage": kept / len(cases),
        "threshold_error": found.error,
        "threshold_upper": found.upper,
        "to_people": len(cases) - kept,
    }


def sureness(p: float) -> float:
    """Return the larger of a probability and its complement, 0.5 to 1."""
    return round(max(p, 1 - p), 12)
