"""Which experiments say something about a run: the newest of each kind, under the run's own configuration where there is one."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from evalkit.records.experiments import Experiment
from evalkit.records.reports import Report


class Beside(NamedTuple):
    """An experiment to be set beside a run."""

    path: Path
    experiment: Experiment
    mismatch: str
    """Why it says nothing about this run's verdicts; empty where it does."""


def beside_run(report: Report, experiments: Iterable[tuple[Path, Experiment]]) -> list[Beside]:
    """Return the newest fitting experiment of each kind, or the newest of all with the reason why it does not fit.

    `experiments` are those of the run's suite, the newest first. It fits where every judge use that it shares with the run has
    the run's judge_config_hash and one of the run's snapshots answered it.
    """
    chosen: dict[str, Beside] = {}
    for path, experiment in experiments:
        found = Beside(path, experiment, _mismatch(report, experiment))
        if experiment.kind not in chosen or (chosen[experiment.kind].mismatch and not found.mismatch):
            chosen[experiment.kind] = found
    return list(chosen.values())


def _mismatch(report: Report, experiment: Experiment) -> str:
    uses = {judge.capability: judge for judge in report.judges}
    shared = [judge for judge in experiment.judges if judge.role == "home" and judge.capability in uses]
    if not shared:
        return "no judge use in common with this run"
    other = [one.capability for one in shared if one.judge_config_hash != uses[one.capability].judge_config_hash]
    if other:
        return f"another judge configuration ({', '.join(other)})"
    moved = [one for one in shared if set(one.snapshots) - set(uses[one.capability].snapshots)]
    if moved:
        return f"another snapshot answered ({', '.join(sorted({name for one in moved for name in one.snapshots}))})"
    return ""
