"""Where experiments on a judge are kept: OUT/experiments/SUITE/, a dated file each, beside the runs and never inside one."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from evalkit.records.review import JudgedKey, ReviewItem
from evalkit.runstore.dated import new_path, newest_first, read_dated
from evalkit.runstore.files import write_json
from evalkit.runstore.locks import one_writer
from evalkit.runstore.names import folder_part
from evalkit.runstore.reviews import read_records, write_records

if TYPE_CHECKING:
    # Every judged run asks for its flips here; only what reads or writes an experiment imports its records.
    from evalkit.records.experiments import Experiment, Kind

FOLDER = "experiments"
QUEUE = "review_queue.jsonl"


def experiments_folder(out: Path, suite: str) -> Path:
    """Return the folder of a suite's experiments under the folder of runs."""
    return out / FOLDER / folder_part(suite)


def write_experiment(out: Path, experiment: Experiment) -> Path:
    """Write an experiment to a new file named by kind and date, and return its path. Raises RunStoreError."""
    path = new_path(experiments_folder(out, experiment.suite), experiment.kind, experiment.made_at)
    write_json(path, experiment.model_dump(mode="json"))
    return path


def write_queue(
    out: Path, suite: str, items: Iterable[ReviewItem], measured: frozenset[JudgedKey] = frozenset()
) -> Path:
    """Write the flips of a suite's judge, whole or not at all, and return their path; `measured` is what was asked about.

    Earlier flips of these answers under this configuration are replaced; others, of another candidate, still stand behind the new
    ones. Raises RunStoreError.
    """
    path = experiments_folder(out, suite) / QUEUE
    with one_writer(path):
        others = [item for item in stored_queue(out, suite) if item.judged not in measured]
        write_records(path, [*items, *others])
    return path


def stored_queue(out: Path, suite: str) -> list[ReviewItem]:
    """Return the flips that stability found of a suite's judge; none before it was measured. Raises RunStoreError."""
    return read_records(experiments_folder(out, suite) / QUEUE, ReviewItem) or []


def stored_experiments(out: Path, suite: str, kind: Kind | None = None) -> list[tuple[Path, Experiment]]:
    """Return a suite's experiments, the newest first. Raises RunStoreError, naming the file, where one cannot be read."""
    return newest_first(experiments_folder(out, suite), kind or "*", suite, _read)


def _read(path: Path) -> Experiment:
    from evalkit.records.experiments import Experiment

    return read_dated(path, Experiment, "experiment")
