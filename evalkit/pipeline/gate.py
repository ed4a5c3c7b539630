"""A stored run held against its suite's gates, its policy and its baseline."""

from __future__ import annotations

from pathlib import Path

from evalkit.aggregation.gate_reach import Within, no_range
from evalkit.aggregation.gates import Evidence, Trust, gated, refused_whole
from evalkit.aggregation.stability import stability_of
from evalkit.calibration.reliance import reliance_on
from evalkit.calibration.trust import bars_of
from evalkit.errors import UsageError
from evalkit.loading.loaded_suite import LoadedSuite
from evalkit.loading.suites import load_suite
from evalkit.records.gates import Gated, GateResult
from evalkit.records.suites import Gate
from evalkit.rundiff.baseline import regressions
from evalkit.rundiff.compare import verified
from evalkit.runstore.baseline_check import sound_baseline
from evalkit.runstore.experiments import stored_experiments
from evalkit.runstore.ledger import read_ledger
from evalkit.runstore.reader import StoredRun


def gate_run(run: StoredRun, suite: Path | None = None) -> Gated:
    """Return what the gates of a run's suite come to; `suite` says where the suite is now, if it has moved.

    What each of the judge's rows may be relied on for stands in the suite's trust.json, its stability in the experiments beside
    the run. Raises InputError where run, suite or baseline do not hold together, UsageError where nothing is to be gated, RunStoreError
    where the baseline is needed and cannot be used, or trust.json cannot be read.
    """
    report = verified(run).report
    loaded = suite_of(run, suite)
    gates = _gates_of(loaded)
    found = gated(run.name, report, gates, _evidence(run, loaded))
    if loaded.sha256 == report.suite.get("sha256"):
        return found
    changed = GateResult(
        kind="run",
        name="suite",
        demand="the run measured what the suite measures now",
        state="refused",
        reason="the suite has changed since this run; run it again",
    )
    return refused_whole(found, changed)


def _evidence(run: StoredRun, loaded: LoadedSuite) -> Evidence:
    needed = any(gate.on == "no_regression" for gate in loaded.suite.gates)
    baseline = sound_baseline(loaded.folder) if needed else None
    within = _ranges(loaded) if any(row.estimate == "mean" for row in run.report.rows) else no_range
    kept = stored_experiments(run.folder.parent, run.manifest.suite, "stability") if run.report.judges else []
    return Evidence(
        against=regressions(baseline, run, within),
        trust=_trust(run, loaded),
        stability=stability_of(run.report, [experiment for _, experiment in kept], loaded.suite.budgets.self_agreement),
        within=within,
    )


def _ranges(loaded: LoadedSuite) -> Within:
    """Return the range of each row as the suite measures it. Raises InputError for faults in the settings of a scorer."""
    from evalkit.pipeline.gate_checks import reach_of, row_keys

    known = {(key.capability, key.scorer, key.criterion): reach_of(key) for key in row_keys(loaded)}
    return lambda row: known.get((row.capability, row.scorer, row.criterion))


def _trust(run: StoredRun, loaded: LoadedSuite) -> Trust:
    asked = bars_of(loaded.suite.trust, loaded.suite.budgets)
    return reliance_on(read_ledger(loaded.folder), run.report, run.manifest.judges, asked)


def require_gates(suite: Path) -> None:
    """Raise UsageError where a suite has nothing to be gated by, before a run is made for it; InputError for the suite's faults."""
    _gates_of(load_suite(suite))


def _gates_of(loaded: LoadedSuite) -> tuple[Gate, ...]:
    if not loaded.suite.gates and not loaded.suite.policy:
        raise UsageError(f"{loaded.file} sets no gate and no policy condition: there is nothing that could pass")
    return loaded.suite.gates


def suite_of(run: StoredRun, suite: Path | None = None) -> LoadedSuite:
    """Return the suite of a run. Raises UsageError where it cannot be found or is another one, InputError for its faults."""
    path = suite or (Path(run.manifest.suite_path) if run.manifest.suite_path else None)
    if path is None or not path.exists():
        raise UsageError(f"{run.name} does not lead to its suite ({path or 'no path is known'}); name it with --suite")
    loaded = load_suite(path)
    if loaded.suite.name != run.manifest.suite:
        raise UsageError(
            f"{loaded.file} is suite {loaded.suite.name!r}, but {run.name} is a run of {run.manifest.suite!r}"
        )
    return loaded
