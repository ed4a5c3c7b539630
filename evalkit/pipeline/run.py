"""One run, the stages in order (thin)."""

from __future__ import annotations

from pathlib import Path

from evalkit.aggregation.rows import RowFold, RowKey
from evalkit.judging.requests import Measurement, requests_for
from evalkit.judging.results import criteria_of, results_of
from evalkit.judging.verdicts import lookup
from evalkit.loading.suite import OutputsFolder, load_suite, read_cases
from evalkit.records.reports import Counts, Gating, Report
from evalkit.records.scores import Result, Unscored
from evalkit.records.verdicts import Judgement
from evalkit.runstore.writer import write_run
from evalkit.scoring.catalogue import build_scorer


def run_suite(suite_path: Path, outputs: str, out: Path, run_id: str) -> Report:
    """Score, judge, aggregate, write; return the report."""
    loaded = load_suite(suite_path)
    folder = OutputsFolder(loaded.folder / "outputs" / outputs)
    code = [
        (capability.name, build_scorer(use)) for capability in loaded.suite.capabilities for use in capability.scorers
    ]
    judged = [
        Measurement(capability.name, loaded.rubrics[use.rubric], loaded.judge)
        for capability in loaded.suite.capabilities
        for use in capability.judge
    ]
    code_folds = [
        [
            RowFold(
                RowKey(
                    capability=name,
                    scorer=scorer.signature.scorer,
                    criterion=spec.id,
                    mode="code",
                    kind="deterministic",
                    estimate=spec.estimate,
                    signature=scorer.signature.as_json(),
                )
            )
            for spec in scorer.criteria
        ]
        for name, scorer in code
    ]
    judge_folds = [
        [
            RowFold(
                RowKey(
                    capability=m.capability,
                    scorer=m.rubric.id,
                    criterion=criterion,
                    mode="pointwise",
                    kind="judge",
                    estimate="rate",
                    signature=m.identity,
                    judge_config_hash=m.config_hash,
                )
            )
            for criterion in criteria_of(m)
        ]
        for m in judged
    ]
    judgements: list[Judgement] = []
    failures = []
    cases = missing = 0
    for case in read_cases(loaded.folder / loaded.suite.golden):
        cases += 1
        output = folder.last_attempt(case.id)
        missing += output is None
        for (name, scorer), folds in zip(code, code_folds, strict=True):
            if name not in case.capabilities:
                continue
            results: tuple[Result, ...] = (
                scorer.score(case, output) if output else tuple(Unscored("missing_output") for _ in folds)
            )
            for fold, result in zip(folds, results, strict=True):
                fold.add(result, case.cluster)
                if result[1] is False:
                    failures.append({"kind": "failed", "case_id": case.id, "criterion": fold.key.criterion})
        for measurement, folds in zip(judged, judge_folds, strict=True):
            if measurement.capability not in case.capabilities:
                continue
            if output is None:
                results = tuple(Unscored("missing_output") for _ in folds)
            else:
                hits, _ = lookup(requests_for(measurement, case, output), None)
                judgements += hits
                results = results_of(measurement, hits)
            for fold, result in zip(folds, results, strict=True):
                fold.add(result, case.cluster)
                if result[1] is False:
                    failures.append({"kind": "failed", "case_id": case.id, "criterion": fold.key.criterion})
    report = Report(
        suite={"name": loaded.suite.name, "version": loaded.suite.version},
        golden_sha256="",
        outputs={"name": folder.name},
        candidate={},
        judges=(),
        independence={},
        completeness="complete",
        selection={},
        gating=Gating(valid=True, reasons=()),
        counts=Counts(
            cases=cases,
            golden=cases,
            missing_outputs=missing,
            null_texts=0,
            empty_texts=0,
            output_errors=0,
            extra_outputs=0,
            extra_ids=(),
            earlier_attempts=0,
        ),
        rows=tuple(fold.row() for folds in (*code_folds, *judge_folds) for fold in folds),
        health=None,
        policy=(),
    )
    write_run(out / run_id, report, judgements, failures)
    return report
