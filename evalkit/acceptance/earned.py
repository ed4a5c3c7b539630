"""Who answers whether a judge has earned trust: the suite's trust.json, held against the bars that suite.yaml sets now."""

from __future__ import annotations

from pathlib import Path

from evalkit.acceptance.chain import Trust
from evalkit.calibration.reliance import earned_by
from evalkit.calibration.trust import bars_of
from evalkit.loading.loaded_suite import LoadedSuite
from evalkit.loading.suites import load_suite
from evalkit.runstore.ledger import read_ledger


def suite_trust(suite: Path | str) -> Trust:
    """Return what the trust.json of a suite says of a judge; nobody is trusted where it has none.

    For `accept(trust=...)`. The ledger is read once, now. Raises InputError for the faults of the suite, RunStoreError where trust.json
    cannot be read.
    """
    return ledger_trust(load_suite(Path(suite)))


def ledger_trust(loaded: LoadedSuite) -> Trust:
    """Return what a loaded suite's trust.json says of a judge. Raises RunStoreError where it cannot be read."""
    earned = earned_by(read_ledger(loaded.folder), bars_of(loaded.suite.trust, loaded.suite.budgets))
    return lambda measurement, criterion, snapshots: earned(measurement.config_hash, criterion, snapshots)
