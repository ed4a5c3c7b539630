"""The end of a run: folds become the report, purchases become the manifest, the folder is written whole."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from evalkit.aggregation.gating import MIXED
from evalkit.aggregation.readings import with_trust
from evalkit.errors import RunStoreError
from evalkit.judging.stop import Stop
from evalkit.pipeline.describe import judge_uses, now
from evalkit.pipeline.finished import Finished
from evalkit.pipeline.purchases import purchases_of
from evalkit.pipeline.report import build_report
from evalkit.pipeline.request import RunOutcome
from evalkit.records.base import Json
from evalkit.records.manifests import JudgeUseManifest, Manifest
from evalkit.records.reports import Report
from evalkit.records.verdicts import Judgement
from evalkit.runstore.writer import RunWriter

Renderer = Callable[[Report, Manifest, Iterable[Mapping[str, Json]]], str]
"""Makes report.md from the report, the manifest and the failure lines."""

DONE, FAILED, INVALID, INTERRUPTED = 0, 1, 3, 130


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
            "purchases": purchases_of(done),
            "classifiers": done.classifiers,
            "cascades": done.cascade.uses(done.verdicts) if done.cascade else (),
            "notes": (*notes, *_unmeasured(done), *_stopped(done.stop), *_queue_lost(done, writer)),
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


def _unmeasured(done: Finished) -> Iterable[str]:
    for name, count in sorted(done.scorer.joined.unmeasured.items()):
        yield f"capability {name!r}, named by {count} cases, is not measured by this suite"
    if done.loaded.suite.gates:
        count = len(done.loaded.suite.gates)
        yield f"suite.yaml sets {count} {'gate' if count == 1 else 'gates'}: `evalkit gate RUN` holds this run against them"
    if done.scorer.joined.nowhere:
        yield f"{done.scorer.joined.nowhere} cases belong to no capability of the suite and are measured nowhere"


def _stopped(stop: Stop) -> Iterable[str]:
    """Yield what made asking stop, where the reason by itself does not tell what to do."""
    spent = stop.spent()
    if stop.wanted is not None and stop.max_cost is not None and spent is not None:
        yield (
            f"max_cost: the next call may cost ${stop.wanted:.6g} (the mean of the calls before it; of a first one its prompt and a reply of "
            f"`max_tokens`), and ${max(0.0, stop.max_cost - spent):.6g} of the limit are left"
        )
    if stop.reason == "judge_answers_nothing":
        yield f"asking stopped after {stop.failures} calls in a row failed for good; the last one: {stop.last_failure}"
