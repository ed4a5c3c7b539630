"""May a criterion's judge gate? All conditions must be met (intersection-union, each at one-sided 5 %, so none is corrected for).

Decided on test labels that were drawn by chance and given blind. Undecided is not failed: it says what is missing. Planted fails speak
for the true-fail rate only where suite.yaml says so (`trust.planted_fails`), because a fault that was put in may be plainer than one
that happens.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from evalkit.aggregation.measured import by_another, newest
from evalkit.calibration import evidence
from evalkit.calibration.run_sources import of_use
from evalkit.records.answered import labelled, together
from evalkit.records.calibrations import CalibrationRow, ClassRate
from evalkit.records.experiments import Experiment, Kind
from evalkit.records.judges import FLOOR_NAME
from evalkit.records.reports import JudgeHeader, Report, Row
from evalkit.records.suites import Budgets, TrustBars
from evalkit.records.trust import Bars, Condition, LabelCounts, TrustRow, state_of
from evalkit.stats.bars import clears, labels_needed
from evalkit.stats.judge_rates import ENOUGH_OF_A_CLASS

NO_LABELS = "no test labels that were drawn by chance and given blind"


@dataclass(frozen=True, kw_only=True)
class Asked:
    """What a run's judge is held against, and what is known about it."""

    run: str
    report: Report
    bars: TrustBars
    budgets: Budgets
    experiments: Sequence[Experiment]
    """The suite's, the newest first."""
    labels_sha256: str
    calibrated_at: str


def trust_rows(asked: Asked, rows: Iterable[CalibrationRow]) -> tuple[TrustRow, ...]:
    """Return a row per criterion of every judge use of the run that can gate at all; pairs never do."""
    found = {(row.capability, row.rubric, row.criterion, row.sample): row for row in rows if row.split == "test"}
    return tuple(
        _decide(
            asked,
            header,
            row,
            found.get((row.capability, row.scorer, row.criterion, "drawn")),
            found.get((row.capability, row.scorer, row.criterion, "planted")),
        )
        for header in asked.report.judges
        for row in asked.report.rows
        if of_use(row, header) and row.mode != "pairwise"
    )


def _decide(
    asked: Asked, header: JudgeHeader, row: Row, drawn: CalibrationRow | None, planted: CalibrationRow | None
) -> TrustRow:
    source = fails_from(asked.bars, drawn, planted)
    tpr, tnr = rate_of(drawn, "tpr"), rate_of(source, "tnr")
    on_labels, needed = label_conditions(asked.bars, drawn, planted)
    conditions = (*on_labels, *_instrument(asked, header, row))
    state = state_of(conditions)
    return TrustRow(
        capability=row.capability,
        rubric=row.scorer,
        criterion=row.criterion,
        judge_config_hash=header.judge_config_hash,
        state=state,
        reading=_reading(conditions, needed),
        labels_needed=needed,
        conditions=conditions,
        tpr=tpr,
        tnr=tnr,
        tnr_from="drawn" if source is drawn else "planted",
        weighting=drawn.weighting if drawn else "none",
        labels=_counts(drawn),
        agreement=drawn.agreement if drawn else None,
        kappa=drawn.kappa.value if drawn else None,
        floor_agreement=drawn.floor.agreement if drawn and drawn.floor else None,
        bars=bars_of(asked.bars, asked.budgets),
        run=asked.run,
        outputs_sha256=asked.report.outputs.get("sha256", ""),
        golden_sha256=asked.report.golden_sha256,
        labels_sha256=asked.labels_sha256,
        calibrated_at=asked.calibrated_at,
    )


def bars_of(bars: TrustBars, budgets: Budgets) -> Bars:
    """Return what a suite asks of a judge now."""
    return Bars(
        tpr=bars.tpr,
        tnr=bars.tnr,
        tolerance=bars.tolerance,
        judge_error=budgets.judge_error,
        self_agreement=budgets.self_agreement,
        planted_fails=bars.planted_fails,
    )


def rate_of(row: CalibrationRow | None, name: str) -> ClassRate:
    """Return a row's `tpr` or `tnr`, or why there is none."""
    if row is None or not row.binary:
        return ClassRate(
            correct=0, n=0, value=None, reading=NO_LABELS if row is None else "labels are not pass and fail"
        )
    found: ClassRate | None = getattr(row, name)
    return found or ClassRate(correct=0, n=0, value=None, reading="unknown")


def fails_from(bars: TrustBars, drawn: CalibrationRow | None, planted: CalibrationRow | None) -> CalibrationRow | None:
    """Return the row whose true-fail rate counts: planted fails where the suite allows it and those drawn do not speak against it."""
    tnr = rate_of(drawn, "tnr")
    rejected = tnr.upper is not None and tnr.upper < bars.tnr
    return planted if bars.planted_fails and not rejected and rate_of(planted, "tnr").n > 0 else drawn


def label_conditions(
    bars: TrustBars, drawn: CalibrationRow | None, planted: CalibrationRow | None
) -> tuple[tuple[Condition, ...], dict[str, int]]:
    """Return the conditions on the labels, and per human class how many more are needed at least."""
    fails = fails_from(bars, drawn, planted)
    needed: dict[str, int] = {}
    weighted = drawn is not None and drawn.weighting == "begg-greenes"
    passes = _cleared("true-pass rate", "pass", rate_of(drawn, "tpr"), bars.tpr, needed, weighted=weighted)
    failing = _cleared(
        "true-fail rate", "fail", rate_of(fails, "tnr"), bars.tnr, needed, weighted=weighted and fails is drawn
    )
    return (passes, failing, _worst_case(bars, drawn, fails, passes, failing)), needed


def _worst_case(
    bars: TrustBars, drawn: CalibrationRow | None, fails: CalibrationRow | None, passes: Condition, failing: Condition
) -> Condition:
    if not (passes.state == failing.state == "met") or drawn is None or fails is None:
        return Condition(name="worst case", state="undecided", figures="the rates do not clear their bars")
    worst = ((drawn.worst_tpr, bars.tpr), (fails.worst_tnr, bars.tnr))
    holds = all(bound is not None and bound >= bar for bound, bar in worst)
    shown = " and ".join("n/a" if bound is None else f"{100 * bound:.1f} %" for bound, _ in worst)
    return Condition(
        name="worst case",
        state="met" if holds else "undecided",
        figures=f"with every missing verdict wrong the bounds are {shown}",
        remedy="" if holds else "run again: what could not be read is asked again; or more labels",
    )


def _cleared(
    name: str, human: str, rate: ClassRate, bar: float, needed: dict[str, int], *, weighted: bool
) -> Condition:
    """Return whether a rate's lower bound clears its bar, with at least 30 labels of its human class.

    Bounds of labels that count once each are exact. Those of weighted labels are approximate and taken at 97.5 % instead of 95 %.
    """
    short = max(0, ENOUGH_OF_A_CLASS - rate.n)
    if rate.value is None or rate.lower is None or rate.upper is None:
        needed[human] = max(labels_needed(_within(bar), 0), ENOUGH_OF_A_CLASS)
        words, remedy = rate.reading or "unknown", f"label {needed[human]} that people {human}, drawn by chance, blind"
        return Condition.model_validate(
            {"name": name, "state": "undecided", "figures": words, "bar": bar, "remedy": remedy}
        )
    lower = rate.interval[0] if weighted and rate.interval else rate.lower
    cleared = lower >= bar if weighted else clears(rate.correct, rate.n, _within(bar))
    if rate.upper < bar:
        state, remedy = "failed", "another judge, rubric or prompt"
    elif cleared and not rate.reading:
        state, remedy = "met", ""
    else:
        state = "undecided"
        more = labels_needed(_within(bar), rate.n - rate.correct) - rate.n
        needed[human] = max(more, short, 1)
        remedy = f"at least {needed[human]} more labels that people {human}, with no further error"
    words = (
        f"{rate.correct} of {rate.n} labels, {100 * rate.value:.1f} %, bound {100 * lower:.1f} %, bar {100 * bar:g} %"
    )
    if rate.reading:
        words += f" ({rate.reading})"
    return Condition.model_validate(
        {"name": name, "state": state, "figures": words, "observed": lower, "bar": bar, "remedy": remedy}
    )


def _within(bar: float) -> float:
    """Return a bar within (0, 1): a bar of 1 is cleared by no number of labels, a bar of 0 by one."""
    return min(max(bar, 1e-9), 1 - 1e-4)


def _instrument(asked: Asked, header: JudgeHeader, row: Row) -> Iterator[Condition]:
    """Yield the conditions on the judge as an instrument."""
    key = row.capability, row.scorer, row.criterion
    tolerance = asked.bars.tolerance
    if header.judge == FLOOR_NAME or _floor_before_judge(row):
        yield Condition(
            name="a model", state="failed", figures="the floor is a rule, not a model, and is never trusted"
        )
    yield from _one_instrument(asked.report, header)
    yield from _whole_run(asked.report)
    stability, other = _newest(asked, "stability", header)
    yield evidence.self_agreement(stability, asked.budgets.self_agreement, key, other)
    yield _judge_errors(asked.report, header, asked.budgets.judge_error)
    said = asked.report.independence
    family, other = _newest(asked, "family", header)
    yield evidence.independence(
        str(said.get("family_differs", "unknown")), str(said.get("reason", "")), family, tolerance, key, other=other
    )
    verbosity, other = _newest(asked, "verbosity", header)
    yield evidence.padding(verbosity, tolerance, key, other)


def _newest(asked: Asked, kind: Kind, header: JudgeHeader) -> tuple[Experiment | None, str]:
    """Return the experiment that speaks for a judge use; where none does, None and whom the newest one measured instead."""
    return newest(asked.experiments, kind, header), by_another(asked.experiments, kind, header)


def _one_instrument(report: Report, header: JudgeHeader) -> Iterator[Condition]:
    """Yield that several snapshots answered under one configuration: their verdicts are no one's, and trust is for one snapshot.

    Uses of other capabilities under the same configuration count: the ledger keeps snapshots by configuration.
    """
    uses = [one for one in report.judges if one.judge_config_hash == header.judge_config_hash]
    snapshots, of_classifier = together(uses)
    if max(len(snapshots), len(of_classifier)) > 1:
        yield Condition(
            name="one instrument",
            state="undecided",
            figures=f"mixed: several snapshots answered ({', '.join(labelled(snapshots, of_classifier))})",
            remedy="let one snapshot answer everything: evalkit run SUITE --cache NEW, then calibrate that run",
        )


def _whole_run(report: Report) -> Iterator[Condition]:
    """Yield that only a part of the cases was run: rates of a part say nothing of the cases that were left out."""
    if report.completeness != "complete":
        words = "a part of the cases was run" if report.completeness == "partial" else "the run is incomplete"
        remedy = "evalkit run SUITE without --case, --tag and --limit, then calibrate that run"
        if report.completeness == "incomplete":
            remedy = "evalkit run SUITE to the end"
        yield Condition(name="a whole run", state="undecided", figures=words, remedy=remedy)


def _floor_before_judge(row: Row) -> bool:
    """Tell whether a cascade's classifier is the floor: what it decides alone, a rule decides."""
    cascade = row.signature.get("cascade") or {}
    return bool(cascade) and cascade["classifier"].get("style") == "floor"


def _judge_errors(report: Report, header: JudgeHeader, ceiling: float) -> Condition:
    """Return whether verdicts are missing too often; of a cascade also whether its classifier is: then the judge alone was measured."""
    failures = classifier_failures(report, header)
    if failures is not None and failures.failed > ceiling * failures.cases:
        return Condition(
            name="judge errors",
            state="undecided",
            figures=failures.words,
            observed=failures.failed / failures.cases,
            bar=ceiling,
            remedy="evalkit run SUITE again: what failed is asked again",
        )
    health = report.health
    if failures is not None and health is not None and not health.judged and not health.not_bought:
        words = f"no request: the classifier decided all {failures.cases} cases"
        return Condition(name="judge errors", state="met", figures=words, observed=0.0, bar=ceiling)
    rate = health.judge_error_rate if health else None
    if health is None or rate is None or health.not_bought:
        words, remedy = "not every verdict was asked for", "evalkit run SUITE to the end"
        return Condition(name="judge errors", state="undecided", figures=words, bar=ceiling, remedy=remedy)
    return Condition(
        name="judge errors",
        state="met" if rate <= ceiling else "failed",
        figures=f"{sum(health.judge_errors.values())} of {health.judged} requests, budget {100 * ceiling:g} %",
        observed=rate,
        bar=ceiling,
    )


class Failures(NamedTuple):
    """Cases that a cascade's judge decided because the classifier had no answer."""

    failed: int
    cases: int

    @property
    def words(self) -> str:
        """The same in words."""
        return f"the classifier failed on {self.failed} of {self.cases} cases, and the judge decided them alone"


def classifier_failures(report: Report, header: JudgeHeader) -> Failures | None:
    """Return how often the classifier of a judge use's cascade failed in a run; None where it has none, or no case."""
    for found in report.cascades:
        if (found.capability, found.rubric) == (header.capability, header.rubric) and found.cases:
            return Failures(found.escalated.get("classifier_failed", 0), found.cases)
    return None


def _counts(row: CalibrationRow | None) -> LabelCounts:
    """Return the labels of a binary row by both verdicts; `partial` is no pass."""
    counts = {
        "judge_pass_human_pass": 0,
        "judge_pass_human_fail": 0,
        "judge_fail_human_pass": 0,
        "judge_fail_human_fail": 0,
    }
    for cell in row.confusion if row is not None and row.binary else ():
        verdict, human = ("pass" if label == "pass" else "fail" for label in (cell.judge, cell.human))
        counts[f"judge_{verdict}_human_{human}"] += cell.count
    return LabelCounts(**counts)


def _reading(conditions: Sequence[Condition], needed: dict[str, int]) -> str:
    open_ones = [condition for condition in conditions if condition.state != "met"]
    if not open_ones:
        return "every condition is met"
    failed = [condition for condition in open_ones if condition.state == "failed"]
    words = "; ".join(f"{one.name}: {one.figures}" for one in failed or open_ones if one.figures)
    more = ", ".join(f"{count} {human}" for human, count in needed.items())
    return words + (f"; labels still needed: {more}" if more and not failed else "")
