"""Where comparisons of judges are kept: OUT/calibrations/SUITE/choice-DATE.json, and the routes that came of one."""

from __future__ import annotations

from pathlib import Path

from evalkit.records.choices import Choice
from evalkit.runstore.calibrations import calibrations_folder
from evalkit.runstore.dated import new_path
from evalkit.runstore.files import write_json


def write_choice(out: Path, choice: Choice) -> Path:
    """Write a comparison to a new file named by date, and return its path. Raises RunStoreError."""
    path = new_path(calibrations_folder(out, choice.suite), "choice", choice.made_at)
    write_json(path, choice.model_dump(mode="json"))
    return path
