"""Where experiments on a judge are kept: OUT/experiments/SUITE/, a dated file each, beside the runs and never inside one."""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterable, Mapping
from pathlib import Path

from pydantic import ValidationError

from evalkit.errors import RunStoreError
from evalkit.records.base import Json
from evalkit.records.experiments import Experiment, Kind
from evalkit.runstore.files import LineWriter, disk_faults, write_json
from evalkit.runstore.names import folder_part

FOLDER = "experiments"
QUEUE = "review_queue.jsonl"


def experiments_folder(out: Path, suite: str) -> Path:
    """Return the folder of a suite's experiments under the folder of runs."""
    return out / FOLDER / folder_part(suite)


def write_experiment(out: Path, experiment: Experiment) -> Path:
    """Write an experiment to a new file named by kind and date, and return its path. Raises RunStoreError."""
    folder = experiments_folder(out, experiment.suite)
    with disk_faults(folder):
        folder.mkdir(parents=True, exist_ok=True)
    stamp = experiment.made_at[:19].replace("-", "").replace(":", "").replace("T", "-")
    path = folder / f"{experiment.kind}-{stamp}-{secrets.token_hex(3)}.json"
    write_json(path, experiment.model_dump(mode="json"))
    return path


def write_queue(out: Path, suite: str, lines: Iterable[Mapping[str, Json]]) -> Path:
    """Replace a suite's review queue, whole or not at all, and return its path. Raises RunStoreError."""
    path = experiments_folder(out, suite) / QUEUE
    with disk_faults(path):
        path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_name(f".{QUEUE}.{secrets.token_hex(3)}.tmp")
    writer = LineWriter(beside)
    try:
        for line in lines:
            writer.write(dict(line))
        writer.close()
        with disk_faults(path):
            beside.replace(path)
    except BaseException:
        writer.abandon()
        beside.unlink(missing_ok=True)
        raise
    return path


def stored_experiments(out: Path, suite: str, kind: Kind | None = None) -> list[tuple[Path, Experiment]]:
    """Return a suite's experiments, the newest first. Raises RunStoreError, naming the file, where one cannot be read."""
    folder = experiments_folder(out, suite)
    found = []
    for path in folder.glob(f"{kind or '*'}-*.json") if folder.is_dir() else ():
        experiment = _read(path)
        if experiment.suite == suite:  # two names may share a folder
            found.append((path, experiment))
    found.sort(key=lambda entry: (entry[1].made_at, entry[0].name), reverse=True)
    return found


def stored_queue(out: Path, suite: str) -> list[dict[str, Json]]:
    """Return the lines of a suite's review queue, none where there is no queue. Raises RunStoreError, naming the file."""
    path = experiments_folder(out, suite) / QUEUE
    if not path.is_file():
        return []
    try:
        lines = [json.loads(line) for line in path.read_bytes().splitlines()]
    except (OSError, ValueError) as error:
        raise RunStoreError(f"{path}: cannot be read: {error}; measure stability again, or move it away") from None
    return [line for line in lines if isinstance(line, dict)]


def _read(path: Path) -> Experiment:
    try:
        return Experiment.model_validate_json(path.read_bytes())
    except (OSError, ValueError) as error:
        what = f"{error.error_count()} fields do not fit" if isinstance(error, ValidationError) else str(error)
        raise RunStoreError(f"{path}: is no experiment of this version of evalkit: {what}; move it away") from None
