"""A classifier's probabilities against people's labels: do they come true, and from where on may they decide alone.

Of a scorer, and of the cheap tier of a cascade, criterion by criterion, whoever decided the case in the end. Labels name the scorer's rows as their rubric and `classifier` as their criterion; an option is read as pass or fail. Only blind test labels of a
random draw count: strata drawn by a judge's verdict stand for another population. How sure an answer is, is the larger of the probabilities of
pass and fail; thresholds on it are tested from the strictest to the loosest (design 6, row 18). What is found is named as cuts that `bands` and
`cascade` take: strictly outside them is sure. An answer of 0.5 says neither pass nor fail, so no cut lets it decide.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import ROUND_CEILING, Decimal
from typing import NamedTuple

from evalkit.calibration.people import Labelled
from evalkit.calibration.rows import BINARY, PASS
from evalkit.records.calibrations import ProbabilityBin, ProbabilityRow
from evalkit.records.classified import CRITERION, ClassifiedCase
from evalkit.records.decisions import NoulAnswer
from evalkit.records.labels import LabelledItem
from evalkit.records.tiers import CascadeReport
from evalkit.records.verdicts import Judgement
from evalkit.stats.reliability import Forecast, reliability
from evalkit.stats.results import Refused
from evalkit.stats.sequences import levels_of, selective_threshold

EVEN = 0.5
EXACT = 12
"""Places to which a probability is compared."""


class Stated(NamedTuple):
    """One probability of a pass, as a classifier stated it."""

    capability: str
    scorer: str
    """The scorer's rows, or the rubric of a cascade."""
    criterion: str
    case_id: str
    output_sha256: str
    configuration_hash: str
    p_pass: float
    model: str
    calibrated: bool
    cuttable: bool = True
    """Whether the cuts of `bands` or `cascade` are held against this probability; those of a choice or a score read its confidence."""

    @property
    def row(self) -> tuple[str, str, str]:
        """What a row is about."""
        return self.capability, self.scorer, self.criterion

    @property
    def item(self) -> LabelledItem:
        """What a label of it names."""
        return self.case_id, self.output_sha256, self.scorer, self.criterion


def stated_by_scorers(answers: Iterable[ClassifiedCase]) -> Iterator[Stated]:
    """Yield what classifier scorers stated."""
    for one in answers:
        yield Stated(
            one.capability,
            one.scorer,
            CRITERION,
            one.case_id,
            one.output_sha256,
            one.configuration_hash,
            one.p_pass,
            one.model,
            one.calibrated,
            isinstance(one.answer, NoulAnswer),
        )


def stated_by_cascades(cascades: Iterable[CascadeReport], judgements: Iterable[Judgement]) -> Iterator[Stated]:
    """Yield what the cheap tier of each cascade stated; the samples of a case hold the same answers, which count once."""
    hashes = {(one.capability, one.rubric): one.configuration_hash for one in cascades}
    for judgement in judgements if hashes else ():
        use = judgement.capability, judgement.rubric
        if judgement.tiers is None or judgement.sample or use not in hashes:
            continue
        for criterion, answer in judgement.tiers.answers.items():
            yield Stated(
                *use,
                criterion,
                judgement.case_id,
                judgement.output_sha256,
                hashes[use],
                answer.p_pass,
                answer.model,
                answer.calibrated,
            )


def probability_rows(
    answers: Iterable[Stated], labelled: Sequence[Labelled], *, risk: float | None, seed: int
) -> tuple[ProbabilityRow, ...]:
    """Return a row per scorer, or criterion of a cascade; with `risk`, above 0 and below 1, also the threshold that holds it."""
    by_row: dict[tuple[str, str, str], list[Stated]] = defaultdict(list)
    for one in answers:
        by_row[one.row].append(one)
    said = {one.item: one.label == PASS for one in labelled if _counts(one)}
    return tuple(_row(cases, said, risk, seed) for cases in by_row.values())


def _counts(one: Labelled) -> bool:
    return one.split == "test" and one.drawn.design == "random" and one.label in BINARY


def _row(cases: Sequence[Stated], said: Mapping[LabelledItem, bool], risk: float | None, seed: int) -> ProbabilityRow:
    first = cases[0]
    forecasts = [Forecast(one.p_pass, said[one.item]) for one in cases if one.item in said]
    row = ProbabilityRow(
        capability=first.capability,
        scorer=first.scorer,
        criterion=first.criterion,
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


def _threshold(cases: Sequence[Stated], forecasts: Sequence[Forecast], risk: float) -> dict[str, object]:
    """Return the fields of a row about the loosest cuts whose error bound holds."""
    sure = [(sureness(p), (p > EVEN) == happened) for p, happened in forecasts if sureness(p) > EVEN]
    found = selective_threshold(levels_of(sure), len(forecasts), risk)
    if isinstance(found, Refused):
        return {"to_people": len(cases), "threshold_reading": found.reason}
    stated = [sureness(one.p_pass) for one in cases]
    high = cut_under(found.threshold, max((one for one in stated if one < found.threshold), default=EVEN))
    kept = sum(one > high for one in stated)
    return {
        "low": round(1 - high, EXACT),
        "high": high,
        "cuttable": all(one.cuttable for one in cases),
        "coverage": kept / len(cases),
        "threshold_error": found.error,
        "threshold_upper": found.upper,
        "to_people": len(cases) - kept,
    }


def sureness(p: float) -> float:
    """Return the larger of a probability and its complement, 0.5 to 1, to 12 places."""
    return round(max(p, 1 - p), EXACT)


def cut_under(threshold: float, below: float) -> float:
    """Return a cut that `threshold` lies above and `below` does not: the one of fewest places, two at least, and of these the highest.

    Range: 0.5 <= below < threshold <= 1, both to 12 places.
    """
    exact = Decimal(str(threshold))
    for places in range(2, EXACT):
        step = Decimal(1).scaleb(-places)
        cut = exact.quantize(step, ROUND_CEILING) - step
        if cut >= Decimal(str(below)):
            return float(cut)
    return below
