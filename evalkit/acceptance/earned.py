"""Who answers whether a judge has earned trust: the suite's trust.json, held against the bars that suite.yaml sets now.

Trust is not enough for a candidate of the judge's own kind: there the ledger must also know that the judge does not favour it.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from evalkit.acceptance.chain import Trust, Untrusted
from evalkit.calibration.reliance import doubts_of
from evalkit.calibration.trust import bars_of
from evalkit.judging.requests import Measurement
from evalkit.loading.loaded_suite import LoadedSuite
from evalkit.loading.suites import load_suite
from evalkit.pipeline.describe import independence_between
from evalkit.records.outputs import Candidate
from evalkit.runstore.ledger import read_ledger


def suite_trust(suite: Path | str, candidate: Candidate | None = None) -> Trust:
    """Return what the trust.json of a suite says of a judge of these candidates; nobody is trusted where it has none.

    For `accept(trust=...)`. The ledger is read once, now. `candidate` says what makes the answers; without it that is unknown, as it is to
    `accept`. Raises InputError for the faults of the suite, RunStoreError where trust.json cannot be read.
    """
    return ledger_trust(load_suite(Path(suite)))(candidate or Candidate())


def ledger_trust(loaded: LoadedSuite) -> Callable[[Candidate], Trust]:
    """Return what a loaded suite's trust.json says of a judge, by what makes the answers. Raises RunStoreError where it cannot be read."""
    doubts = doubts_of(read_ledger(loaded.folder), bars_of(loaded.suite.trust, loaded.suite.budgets))

    def of(candidate: Candidate) -> Trust:
        def trusted(measurement: Measurement, criterion: str, snapshots: frozenset[str]) -> bool | Untrusted:
            said = independence_between(measurement.judge, candidate)
            why = doubts(measurement.config_hash, criterion, snapshots, said)
            return Untrusted(why) if why else True

        return trusted

    return of
