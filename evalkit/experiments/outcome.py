"""The beginning of every experiment's file: what, when, by which version, with which judges."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from evalkit import __version__
from evalkit.records.experiments import Experiment, ExperimentJudge, Kind


def new_experiment(kind: Kind, suite: str, judges: Sequence[ExperimentJudge]) -> Experiment:
    """Return an experiment without results, dated now (UTC)."""
    return Experiment(
        kind=kind,
        made_at=datetime.now(UTC).isoformat(timespec="seconds"),
        evalkit_version=__version__,
        suite=suite,
        judges=tuple(judges),
    )
