"""The end of a run: folds become the report, purchases become the manifest, the folder is written whole."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from evalkit.aggregation.gating import MIXED, gating
from evalkit.aggregation.readings import with_trust
from evalkit.errors import RunStoreError
from evalkit.judging.stop import Stop
from evalkit.loading.outputs import OutputsFolder
from evalkit.loading.suites import LoadedSuite
from evalkit.pipeline.columns import Columns, JudgeColumn
from evalkit.pipeline.constitution import constitution_uses
from evalkit.pipeline.describe import independence_of, judge_uses, now, snapshots_of
from evalkit.pipeline.judged import Verdicts
from evalkit.pipeline.request import RunOutcome
from evalkit.pipeline.scored import CaseScorer
from evalkit.providers.meter import cost_of
from evalkit.records.base import Json
from evalkit.records.case_scores import CaseScores
from evalkit.records.classified import ClassifiedCase, ClassifierUse
from evalkit.records.judges import FLOOR_NAME
from evalkit.records.manifests import JudgeUseManifest, Manifest, Purchases
from evalkit.records.reports import Completeness, Counts, Health, JudgeHeader, Report
from evalkit.records.verdicts import Judgement, Purchase
from evalkit.runstore.baselines import StoredBaseline
from evalkit.runstore.ledger import StoredLedger
from evalkit.runstore.writer import RunWriter

if TYPE_CHECKING:
    # A suite without a cascade imports no classifier.
    from evalkit.pipeline.cascade import CascadeStage

Renderer = Callable[[Report, Manifest, Iterable[Mapping[str, Json]]], str]
"""Makes report.md from the report, the manifest and the failure lines."""

DONE, FAILED, INVALID, INTERRUPTED = 0, 1, 3, 130


@dataclass(frozen=True, slots=True, kw_only=True)
class Finished:
    """Everything that was measured, before it becomes a report."""

    loaded: LoadedSuite
    outputs: OutputsFolder
    columns: Columns
    scorer: CaseScorer
    verdicts: Verdicts
    golden_sha256: str
    golden_count: int
    selection: dict[str, Json]
    stop: Stop
    not_bought: int
    scores: CaseScores
    """What code decided about each case."""
    baseline: StoredBaseline | None = None
    """What the suite's runs are held against."""
    ledger: StoredLedger | None = None
    """Which criteria of which judge are trusted."""
    classifiers: tuple[ClassifierUse, ...] = ()
    """The classifier scorers, and what asking took."""
    classified: tuple[ClassifiedCase, ...] = ()
    """What they answered, in the order of the golden set."""
    cascade: CascadeStage | None = None
    """What decided between the tiers; None where every judge was asked alone."""

    @property
    def completeness(self) -> Completeness:
        """complete; partial where a selection was asked for; incomplete where something that was asked for is missing."""
        if self.not_bought:
            return "incomplete"
        return "partial" if self.selection else "complete"

    @property
    def judgements(self) -> list[Judgement]:
        """Every end of a judge request."""
        return [judgement for _, judgements, _ in self.verdicts.lines for judgement in judgements]

    @property
    def bought(self) -> list[Judgement]:
        """Every end of a request that was bought, those about a cascade's sample included."""
        return self.verdicts.bought + (self.cascade.checks.bought if self.cascade else [])

    @property
    def saved(self) -> list[Judgement]:
        """Every verdict that the cache held, those about a cascade's sample included."""
        return self.verdicts.saved + (self.cascade.checks.hits if self.cascade else [])


def finish(
    done: Finished,
    manifest: Manifest,
    writer: RunWriter,
    notes: Sequence[str],
    render: Renderer,
) -> RunOutcome:
    """Build report and manifest, write the folder, return what came of the run."""
    judgements = done.judgements
    uses = judge_uses(done.columns, judgements)
    report = _trusted(build_report(done, judgements), done, uses)
    report = _against_baseline(report, done, judgements)
    writer.scores(done.scores)
    final = manifest.model_copy(
        update={
            "completeness": report.completeness,
            "finished_at": now(),
            "golden_sha256": done.golden_sha256,
            "judges": uses,
            "purchases": _purchases(done),
            "classifiers": done.classifiers,
            "cascades": done.cascade.uses(done.verdicts) if done.cascade else (),
            "notes": (*notes, *_unmeasured(done), *_answers_nothing(done.stop), *_queue_lost(done, writer)),
        }
    )
    folder = writer.finish(report, final, render(report, final, writer.failures()))
    return RunOutcome(
        folder=folder,
        report=report,
        manifest=final,
        first_failures=writer.first_failures,
        exit_status=exit_status(report, done.stop),
    )


def _trusted(report: Report, done: Finished, uses: tuple[JudgeUseManifest, ...]) -> Report:
    """Return the report with what the suite's ledger says of each judge row, where the suite has one."""
    if done.ledger is None:
        return report
    from evalkit.calibration.reliance import reliance_on
    from evalkit.calibration.trust import bars_of

    suite = done.loaded.suite
    relied = reliance_on(done.ledger.record, report, uses, bars_of(suite.trust, suite.budgets))
    rows = tuple(with_trust(row, relied(row)) if row.kind == "judge" else row for row in report.rows)
    return report.model_copy(update={"rows": rows, "trust": {"sha256": done.ledger.sha256}})


def _queue_lost(done: Finished, writer: RunWriter) -> Iterator[str]:
    """Write the run's review queue; say so where that cannot be done, for it costs nobody the run and can be made anew."""
    if not done.columns.judged and not done.classifiers:
        return
    from evalkit.pipeline.review_queue import write_run_queue

    try:
        samples = (samples for _, samples, _ in done.verdicts.lines)
        write_run_queue(writer.folder, done.loaded.suite.name, samples, done.classified)
    except RunStoreError as error:
        yield f"the review queue is not up to date, `evalkit review {writer.run_id}` makes it anew: {error}"


def _against_baseline(report: Report, done: Finished, judgements: Sequence[Judgement]) -> Report:
    """Return the report with its differences from the baseline, where the suite has one."""
    if done.baseline is None:
        return report
    from evalkit.rundiff.baseline import AgainstBaseline
    from evalkit.rundiff.outcomes import RunOutcomes

    outcomes = RunOutcomes(report.rows, done.scores, judgements)
    found = AgainstBaseline(done.baseline, report, outcomes).differences()
    return report.model_copy(update={"baseline": found.model_dump()})


def exit_status(report: Report, stop: Stop) -> int:
    """Return the run's exit status: interrupted, then a breached condition, then invalid for gating; a partial run is done."""
    if stop.reason == "interrupted":
        return INTERRUPTED
    if any(condition.breaches for condition in report.policy):
        return FAILED
    budget_kept = report.health is None or report.health.within_budget
    scored = any(row.n for row in report.rows if row.kind != "policy")
    decided = not any(condition.unknown for condition in report.policy)
    one_instrument = not any(reason.startswith(f"{MIXED}:") for reason in report.gating.reasons)
    sound = report.completeness != "incomplete" and budget_kept and scored and decided and one_instrument
    return DONE if sound else INVALID


def build_report(done: Finished, judgements: Sequence[Judgement]) -> Report:
    """Return the report: nothing of clock, machine or purchases is in it."""
    loaded, outputs = done.loaded, done.outputs
    rows = tuple(
        [fold.row() for code in done.columns.code for fold in code.folds]
        + [row for judged in done.columns.judged for row in judged.rows()]
    )
    health = _health(done)
    policy = tuple(fold.breach() for fold in done.scorer.policy.values())
    candidate = outputs.candidate
    judges = tuple(_header(column, judgements) for column in done.columns.judged)
    return Report(
        suite={"name": loaded.suite.name, "version": loaded.suite.version, "sha256": loaded.sha256},
        golden_sha256=done.golden_sha256,
        outputs={"name": outputs.name, "sha256": outputs.sha256},
        candidate={
            "name": candidate.name or outputs.name,
            "model": candidate.model,
            "family": candidate.family,
        },
        judges=judges,
        independence=independence_of(loaded, outputs) if done.columns.judged else {},
        constitutions=constitution_uses(
            [column.measurement.rubric for column in done.columns.judged], candidate.constitution_sha256
        ),
        completeness=done.completeness,
        selection=done.selection,
        gating=gating(
            rows=rows,
            health=health,
            completeness=done.completeness,
            selection=done.selection,
            stopped=done.stop.reason,
            policy=policy,
            judges=judges,
            classifiers=done.classifiers,
        ),
        counts=_counts(done, outputs),
        rows=rows,
        health=health,
        policy=policy,
        cascades=done.cascade.reports() if done.cascade else (),
    )


def _health(done: Finished) -> Health | None:
    if not done.columns.judged:
        return None
    return done.verdicts.health.health(
        [fold.association() for column in done.columns.judged for fold in column.lengths]
    )


def _header(column: JudgeColumn, judgements: Sequence[Judgement]) -> JudgeHeader:
    measurement, judge = column.measurement, column.measurement.judge
    return JudgeHeader(
        capability=measurement.capability,
        rubric=measurement.rubric.id,
        mode=measurement.rubric.mode,
        judge=FLOOR_NAME if judge.client == "floor" else judge.model or "",
        snapshots=snapshots_of(judgements, measurement.capability, measurement.config_hash),
        prompt=str(measurement.identity["prompt"]),
        judge_config_hash=measurement.config_hash,
        samples=judge.samples,
    )


def _counts(done: Finished, outputs: OutputsFolder) -> Counts:
    joined = done.scorer.joined
    extra, extra_ids = outputs.unused()
    return Counts(
        cases=joined.cases,
        golden=done.golden_count,
        missing_outputs=joined.states["missing_output"],
        null_texts=joined.states["null_text"],
        empty_texts=joined.states["empty_text"],
        output_errors=joined.states["output_error"],
        extra_outputs=extra,
        extra_ids=extra_ids,
        earlier_attempts=outputs.earlier_attempts,
    )


def _purchases(done: Finished) -> Purchases:
    saved = {judgement.request_key: judgement.purchase for judgement in done.saved if judgement.purchase}
    tokens_in = sum(purchase.input_tokens or 0 for purchase in saved.values())
    tokens_out = sum(purchase.output_tokens or 0 for purchase in saved.values())
    bought = {judgement.request_key: judgement for judgement in done.bought}
    if all(judge.client == "replay" for judge in done.loaded.judges):
        return Purchases(replayed=len(bought), cache_hits=len(saved), stopped=done.stop.reason)
    return done.stop.meter.to_purchases().model_copy(
        update={
            "bought": sum(judgement.verdict is not None for judgement in bought.values()),
            "failed": sum(judgement.verdict is None for judgement in bought.values()),
            "cache_hits": len(saved),
            "shared": len(done.bought) - len(bought),
            "saved_input_tokens": tokens_in,
            "saved_output_tokens": tokens_out,
            "saved_cost_usd": _saved_cost(done),
            "verdict_retries": sum(_retried(judgement) for judgement in bought.values()),
            "stopped": done.stop.reason,
        }
    )


def _saved_cost(done: Finished) -> float | None:
    """Return what the cached verdicts cost when they were bought, by each one's own judge; None where a judge has no prices."""
    judges = {column.measurement.config_hash: column.measurement.judge for column in done.columns.judged}
    saved = {one.request_key: one for one in done.saved if one.purchase}
    total = 0.0
    by_judge: dict[str, list[Purchase]] = {name: [] for name in judges}
    for one in saved.values():
        if one.purchase is not None:
            by_judge[one.judge_config_hash].append(one.purchase)
    for name, purchases in by_judge.items():
        cost = cost_of(
            judges[name].prices,
            sum(purchase.input_tokens or 0 for purchase in purchases),
            sum(purchase.output_tokens or 0 for purchase in purchases),
            sum(purchase.cached_tokens or 0 for purchase in purchases),
        )
        if cost is None:
            return None
        total += cost
    return total


def _retried(judgement: Judgement) -> bool:
    """Tell whether a verdict was asked for again; replies refused before it, of the split of a reference, are no retry of it."""
    return judgement.purchase is not None and (judgement.purchase.tries > 1 or len(judgement.rejected) > 1)


def _unmeasured(done: Finished) -> Iterable[str]:
    for name, count in sorted(done.scorer.joined.unmeasured.items()):
        yield f"capability {name!r}, named by {count} cases, is not measured by this suite"
    if done.loaded.suite.gates:
        count = len(done.loaded.suite.gates)
        yield f"suite.yaml sets {count} {'gate' if count == 1 else 'gates'}: `evalkit gate RUN` holds this run against them"
    if done.scorer.joined.nowhere:
        yield f"{done.scorer.joined.nowhere} cases belong to no capability of the suite and are measured nowhere"


def _answers_nothing(stop: Stop) -> Iterable[str]:
    if stop.reason == "judge_answers_nothing":
        yield f"asking stopped after {stop.failures} calls in a row failed for good; the last one: {stop.last_failure}"
