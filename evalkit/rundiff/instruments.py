"""A run's judge as an instrument, said before any difference: how far it agrees with itself, and how often it gave no verdict."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from evalkit.aggregation.stability import agreement_of
from evalkit.records.diffs import Instrument
from evalkit.records.experiments import AgreementRow, Experiment
from evalkit.records.reports import Report
from evalkit.runstore.experiments import stored_experiments
from evalkit.runstore.reader import StoredRun


def instrument_of(run: StoredRun) -> Instrument | None:
    """Return what is known of a run's judge; None where nothing was judged. Raises RunStoreError for a broken experiment file."""
    report = run.report
    if report.health is None:
        return None
    kept = stored_experiments(run.folder.parent, run.manifest.suite, "stability")
    return Instrument(
        run=run.name,
        self_agreement="; ".join(_agreement(report, [experiment for _, experiment in kept])),
        judged=report.health.judged,
        judge_errors=sum(report.health.judge_errors.values()),
        judge_error_rate=report.health.judge_error_rate,
        within_budget=report.health.within_budget,
    )


def _agreement(report: Report, experiments: Sequence[Experiment]) -> Iterator[str]:
    """Yield the criterion of each judge use on which the judge agrees with itself least, by its lower bound."""
    for header in report.judges:
        name = "/".join(dict.fromkeys((header.capability, header.rubric)))
        rows = [row for row in agreement_of(header, experiments) if row.rubric == header.rubric]
        yield f"{name} {_lowest(rows)}"


def _lowest(rows: Sequence[AgreementRow]) -> str:
    measured = [row for row in rows if row.pairwise is not None]
    if not measured:
        return "not measured"
    least = min(measured, key=_lower)
    bounds = least.pairwise_interval
    words = "no interval" if bounds is None else f"95 %: {100 * bounds[0]:.1f} to {100 * bounds[1]:.1f} %"
    return f"{100 * (least.pairwise or 0.0):.1f} % ({words}; {least.n} items, {least.runs} runs) on {least.criterion}"


def _lower(row: AgreementRow) -> float:
    return -1.0 if row.pairwise_interval is None else row.pairwise_interval[0]
