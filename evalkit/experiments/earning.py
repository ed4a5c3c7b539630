"""What a calibrated run earns its judge in the suite's ledger: conditions on labels from the calibration, the others from experiments."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from evalkit.calibration.report import Earned
from evalkit.calibration.trust import Asked, trust_rows
from evalkit.loading.loaded_suite import LoadedSuite
from evalkit.records.calibrations import Calibration
from evalkit.records.reports import JudgeHeader
from evalkit.records.trust import Ledger, TrustedJudge
from evalkit.runstore.experiments import stored_experiments
from evalkit.runstore.ledger import read_ledger
from evalkit.runstore.reader import StoredRun


def earned(run: StoredRun, loaded: LoadedSuite, calibration: Calibration) -> Earned:
    """Return the suite's ledger with the rows of this calibration; nothing is written.

    Raises RunStoreError where trust.json or an experiment cannot be read.
    """
    kept = stored_experiments(run.folder.parent, run.manifest.suite)
    rows = trust_rows(
        Asked(
            run=run.name,
            report=run.report,
            bars=loaded.suite.trust,
            budgets=loaded.suite.budgets,
            experiments=[experiment for _, experiment in kept],
            labels_sha256=calibration.labels_sha256,
            calibrated_at=calibration.made_at,
        ),
        calibration.rows,
    )
    identities = {judge.judge_config_hash: judge.identity for judge in run.manifest.judges}
    judges = {
        header.judge_config_hash: TrustedJudge(
            judge=header.judge,
            snapshots=_each(one.snapshots for one in _headers(run, header.judge_config_hash)),
            classifier_snapshots=_each(one.classifier_snapshots for one in _headers(run, header.judge_config_hash)),
            identity=identities.get(header.judge_config_hash, {}),
        )
        for header in run.report.judges
    }
    old = read_ledger(loaded.folder) or Ledger(suite=loaded.suite.name, judges={}, rows=())
    before = {row.key: row.state for row in old.rows}
    return Earned(loaded.folder, old.merged(judges, rows), rows, before)


def _headers(run: StoredRun, config_hash: str) -> Iterator[JudgeHeader]:
    """Yield the judge uses of a configuration; several capabilities may share one."""
    yield from (header for header in run.report.judges if header.judge_config_hash == config_hash)


def _each(snapshots: Iterable[tuple[str, ...]]) -> tuple[str, ...]:
    return tuple(sorted({name for several in snapshots for name in several}))
