"""The report of a run: what was counted, with nothing of clock, machine or purchases."""

from __future__ import annotations

from collections.abc import Sequence

from evalkit.aggregation.gating import gating
from evalkit.loading.outputs import OutputsFolder
from evalkit.pipeline.constitution import constitution_uses
from evalkit.pipeline.describe import independence_of, judge_header
from evalkit.pipeline.finished import Finished
from evalkit.records.reports import Counts, Health, Report
from evalkit.records.verdicts import Judgement


def build_report(done: Finished, judgements: Sequence[Judgement]) -> Report:
    """Return the report, without what the suite's ledger and baseline add; `judgements` are all ends of judge requests."""
    loaded, outputs = done.loaded, done.outputs
    rows = tuple(
        [fold.row() for code in done.columns.code for fold in code.folds]
        + [row for judged in done.columns.judged for row in judged.rows()]
    )
    health = _health(done)
    policy = tuple(fold.breach() for fold in done.scorer.policy.values())
    candidate = outputs.candidate
    judges = tuple(judge_header(column.measurement, judgements) for column in done.columns.judged)
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
        independence=independence_of(loaded, outputs, done.columns) if done.columns.judged else {},
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
