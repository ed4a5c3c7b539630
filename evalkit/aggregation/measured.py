"""Which experiment speaks for a judge use of a run, and who was measured where none does.

It speaks where it was made under the use's judge_config_hash, was answered by the one snapshot that answered the run, and is whole, or
whole but for a limit: not interrupted, and over no cases that could have been picked by their result.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from evalkit.records.answered import answered_by, is_mixed, same_instrument
from evalkit.records.experiments import Experiment, ExperimentJudge, Kind
from evalkit.records.reports import JudgeHeader

PICKED = frozenset({"case", "tag"})
"""Selections that could have been made by result; what such cases show says nothing about the others."""


def newest(experiments: Iterable[Experiment], kind: Kind, header: JudgeHeader) -> Experiment | None:
    """Return the newest experiment of a kind that speaks for a judge use; `experiments` are the newest first."""
    for experiment in experiments:
        if any(same_instrument(one, header) for one in _of_configuration(experiment, kind, header)):
            return experiment
    return None


def by_another(experiments: Iterable[Experiment], kind: Kind, header: JudgeHeader) -> str:
    """Return whose answers the newest experiment under a use's configuration rests on, where none speaks for the use; else empty."""
    for experiment in experiments:
        for one in _of_configuration(experiment, kind, header):
            if same_instrument(one, header):
                return ""
            measured, run = (", ".join(answered_by(who)) or "nobody" for who in (one, header))
            several = "several snapshots" if is_mixed(one) else "another snapshot"
            return f"measured under {several} ({measured}) than the run's ({run})"
    return ""


def _of_configuration(experiment: Experiment, kind: Kind, header: JudgeHeader) -> Iterator[ExperimentJudge]:
    """Yield the judge uses of an experiment that are this use's configuration; none of one that is no whole measurement."""
    whole = experiment.completeness != "incomplete" and PICKED.isdisjoint(experiment.selection)
    if experiment.kind == kind and experiment.checked and whole:
        for one in experiment.judges:
            if (one.role, one.capability, one.judge_config_hash) == (
                "home",
                header.capability,
                header.judge_config_hash,
            ):
                yield one
