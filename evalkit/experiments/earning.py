"""What a calibrated run earns its judge in the suite's ledger: conditions on labels from the calibration, the others from experiments."""

from __future__ import annotations

from collections.abc import Sequence

from evalkit.calibration.report import Earned
from evalkit.calibration.trust import Asked, trust_rows
from evalkit.loading.loaded_suite import LoadedSuite
from evalkit.records.answered import together
from evalkit.records.base import Json
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
        header.judge_config_hash: _calibrated(
            [one for one in run.report.judges if one.judge_config_hash == header.judge_config_hash],
            identities.get(header.judge_config_hash, {}),
        )
        for header in run.report.judges
    }
    old = read_ledger(loaded.folder) or Ledger(suite=loaded.suite.name, judges={}, rows=())
    before = {row.key: row.state for row in old.rows}
    return Earned(loaded.folder, old.merged(judges, rows), rows, before)


def _calibrated(uses: Sequence[JudgeHeader], identity: dict[str, Json]) -> TrustedJudge:
    """Return the judge of a configuration; several capabilities may share one."""
    snapshots, of_classifier = together(uses)
    return TrustedJudge(judge=uses[0].judge, snapshots=snapshots, classifier_snapshots=of_classifier, identity=identity)
