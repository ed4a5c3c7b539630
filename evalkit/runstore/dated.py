"""Files that are named by kind and date, stand beside the runs and never change: experiments, calibrations, choices, batteries."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from pydantic import ValidationError

from evalkit.errors import RunStoreError
from evalkit.runstore.files import disk_faults

if TYPE_CHECKING:
    from evalkit.records.calibrations import Calibration
    from evalkit.records.experiments import Experiment

    Dated = TypeVar("Dated", Calibration, Experiment)


def new_path(folder: Path, kind: str, made_at: str) -> Path:
    """Make the folder and return the path of a new file in it, KIND-YYYYMMDD-HHMMSS-XXXXXX.json. Raises RunStoreError.

    `made_at` is ISO 8601; the six hexadecimal digits keep files of one second apart.
    """
    with disk_faults(folder):
        folder.mkdir(parents=True, exist_ok=True)
    stamp = made_at[:19].replace("-", "").replace(":", "").replace("T", "-")
    return folder / f"{kind}-{stamp}-{secrets.token_hex(3)}.json"


def newest_first(folder: Path, kind: str, suite: str, read: Callable[[Path], Dated]) -> list[tuple[Path, Dated]]:
    """Return what a suite has of a kind (`*` for all), the newest first. Raises RunStoreError where a file cannot be read."""
    files = [(path, read(path)) for path in (folder.glob(f"{kind}-*.json") if folder.is_dir() else ())]
    found = [(path, record) for path, record in files if record.suite == suite]  # two names may share a folder
    return sorted(found, key=lambda entry: (entry[1].made_at, entry[0].name), reverse=True)


def read_dated(path: Path, model: type[Dated], what: str) -> Dated:
    """Return the record in a file. Raises RunStoreError, naming the file and what it should be."""
    try:
        return model.model_validate_json(path.read_bytes())
    except (OSError, ValueError) as error:
        said = f"{error.error_count()} fields do not fit" if isinstance(error, ValidationError) else str(error)
        raise RunStoreError(f"{path}: is no {what} of this version of evalkit: {said}; move it away") from None
