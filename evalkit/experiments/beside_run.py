"""What was measured of a run's judge outside the run: experiments, and the newest comparison of candidates that the judge decided.

Of each kind of experiment the newest under the run's own configuration, where there is one. Position bias is measured on pairs, with a
rubric of its own: there the judge must be the same, not the whole configuration.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from evalkit.judging.answerer import answerer_of
from evalkit.records.answered import answered_by
from evalkit.records.base import Json
from evalkit.records.experiments import Experiment, PositionRow
from evalkit.records.manifests import JudgeUseManifest
from evalkit.records.reports import Report
from evalkit.runstore.comparisons import StoredComparison


class Beside(NamedTuple):
    """An experiment to be set beside a run."""

    path: Path
    experiment: Experiment
    mismatch: str
    """Why it says nothing about this run's verdicts; empty where it does."""


class Swapped(NamedTuple):
    """What swapping the answers did in a comparison of candidates."""

    folder: Path
    made_at: str
    """UTC, ISO 8601."""
    rows: tuple[PositionRow, ...]


def beside_run(
    report: Report, judges: Sequence[JudgeUseManifest], experiments: Iterable[tuple[Path, Experiment]]
) -> list[Beside]:
    """Return the newest fitting experiment of each kind, or the newest of all with the reason why it does not fit.

    `judges` are those of the run's manifest, `experiments` those of its suite, the newest first. One fits where every judge use that it
    shares with the run has the run's judge_config_hash and one of the run's snapshots answered it; one of position bias where the
    run's judge was asked, whatever the rubric.
    """
    chosen: dict[str, Beside] = {}
    for path, experiment in experiments:
        found = Beside(path, experiment, _mismatch(report, judges, experiment))
        if experiment.kind not in chosen or (chosen[experiment.kind].mismatch and not found.mismatch):
            chosen[experiment.kind] = found
    return list(chosen.values())


def comparison_beside(judges: Sequence[JudgeUseManifest], comparisons: Iterable[StoredComparison]) -> Swapped | None:
    """Return what swapping answers did in the first of a suite's comparisons that put pairs to the run's judge and nobody else.

    `comparisons` come the newest first. Whoever answered there must have answered the run too, by snapshot.
    """
    for folder, comparison, purchases in comparisons:
        if purchases is None or not comparison.position:
            continue
        asked = [(purchases.identities.get(one.judge_config_hash, {}), one.snapshots) for one in comparison.judges]
        if not any(_strange(judges, answerer_of(identity), snapshots) for identity, snapshots in asked):
            return Swapped(folder, purchases.made_at, comparison.position)
    return None


def _mismatch(report: Report, judges: Sequence[JudgeUseManifest], experiment: Experiment) -> str:
    if experiment.kind == "position":
        said = (_strange(judges, one.answerer, one.snapshots) for one in experiment.judges)
        return next(filter(None, said), "" if experiment.judges else "no judge was asked")
    uses = {judge.capability: judge for judge in report.judges}
    shared = [judge for judge in experiment.judges if judge.role == "home" and judge.capability in uses]
    if not shared:
        return "no judge use in common with this run"
    other = [one.capability for one in shared if one.judge_config_hash != uses[one.capability].judge_config_hash]
    if other:
        return f"another judge configuration ({', '.join(other)})"
    moved = [one for one in shared if set(answered_by(one)) - set(answered_by(uses[one.capability]))]
    if moved:
        return _another(name for one in moved for name in answered_by(one))
    return ""


def _strange(judges: Sequence[JudgeUseManifest], answerer: dict[str, Json], snapshots: Sequence[str]) -> str:
    """Return why somebody who answered is not the run's judge; empty where it is."""
    same = [judge for judge in judges if answerer_of(judge.identity) == answerer]
    if not same:
        return "another judge"
    known = {name for judge in same for name in judge.snapshots}
    return _another(snapshots) if set(snapshots) - known else ""


def _another(snapshots: Iterable[str]) -> str:
    return f"another snapshot answered ({', '.join(sorted(set(snapshots)))})"
