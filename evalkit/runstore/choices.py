"""Where comparisons of judges are kept: OUT/calibrations/SUITE/choice-DATE.json, and the routes that came of one."""

from __future__ import annotations

import secrets
from pathlib import Path

from evalkit.records.choices import Choice
from evalkit.runstore.calibrations import calibrations_folder
from evalkit.runstore.files import disk_faults, write_json


def write_choice(out: Path, choice: Choice) -> Path:
    """Write a comparison to a new file named by date, and return its path. Raises RunStoreError."""
    folder = calibrations_folder(out, choice.suite)
    with disk_faults(folder):
        folder.mkdir(parents=True, exist_ok=True)
    stamp = choice.made_at[:19].replace("-", "").replace(":", "").replace("T", "-")
    path = folder / f"choice-{stamp}-{secrets.token_hex(3)}.json"
    write_json(path, choice.model_dump(mode="json"))
    return path
