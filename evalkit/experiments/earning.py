"""What a calibrated run earns its judge in the suite's ledger: conditions on labels from the calibration, the others from experiments."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

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
    left = frozenset(row.key for row in old.kept_from(rows))
    entering = tuple(row for row in rows if row.key not in left)
    under = {row.judge_config_hash for row in entering}
    behind = {name: judge for name, judge in judges.items() if name in under}
    return Earned(loaded.folder, old.merged(behind, entering), rows, before, left)


def left_alone(won: Earned) -> Iterator[str]:
    """Yield a note where the ledger keeps rows that this run cannot take the place of."""
    if won.left:
        yield (
            f"trust.json is left as it is under this judge configuration ({len(won.left)} of {len(won.rows)} rows): a part of the cases, or verdicts of "
            "several snapshots, earn no trust and take none away; calibrate a whole run of one snapshot to decide anew"
        )


def _calibrated(uses: Sequence[JudgeHeader], identity: dict[str, Json]) -> TrustedJudge:
    """Return the judge of a configuration; several capabilities may share one."""
    snapshots, of_classifier = together(uses)
    return TrustedJudge(judge=uses[0].judge, snapshots=snapshots, classifier_snapshots=of_classifier, identity=identity)
