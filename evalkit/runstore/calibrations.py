"""Where calibrations are kept: OUT/calibrations/SUITE/, dated files beside the runs and never inside one, which never change.

calibration-DATE.json    rows
calibration-DATE.jsonl   every disagreement, a line each
calibration-DATE.md      both, to be read
"""

from __future__ import annotations

import secrets
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from pydantic import ValidationError

from evalkit.errors import RunStoreError
from evalkit.records.calibrations import Calibration, Disagreement
from evalkit.runstore.files import LineWriter, disk_faults, write_json, write_text
from evalkit.runstore.names import folder_part

FOLDER = "calibrations"


class CalibrationFiles(NamedTuple):
    """Where a calibration was written."""

    calibration: Path
    disagreements: Path
    markdown: Path


def calibrations_folder(out: Path, suite: str) -> Path:
    """Return the folder of a suite's calibrations under the folder of runs."""
    return out / FOLDER / folder_part(suite)


def write_calibration(
    out: Path, calibration: Calibration, disagreements: Iterable[Disagreement], markdown: str
) -> CalibrationFiles:
    """Write a calibration to new files named by date. Raises RunStoreError."""
    folder = calibrations_folder(out, calibration.suite)
    with disk_faults(folder):
        folder.mkdir(parents=True, exist_ok=True)
    stamp = calibration.made_at[:19].replace("-", "").replace(":", "").replace("T", "-")
    stem = folder / f"calibration-{stamp}-{secrets.token_hex(3)}"
    files = CalibrationFiles(*(stem.with_suffix(suffix) for suffix in (".json", ".jsonl", ".md")))
    _write_lines(files.disagreements, disagreements)
    write_text(files.markdown, markdown)
    write_json(files.calibration, calibration.model_dump(mode="json"))
    return files


def stored_calibrations(out: Path, suite: str) -> list[tuple[Path, Calibration]]:
    """Return a suite's calibrations, the newest first. Raises RunStoreError, naming the file, where one cannot be read."""
    folder = calibrations_folder(out, suite)
    found = []
    for path in folder.glob("calibration-*.json") if folder.is_dir() else ():
        try:
            calibration = Calibration.model_validate_json(path.read_bytes())
        except (OSError, ValueError) as error:
            what = f"{error.error_count()} fields do not fit" if isinstance(error, ValidationError) else str(error)
            raise RunStoreError(f"{path}: is no calibration of this version of evalkit: {what}; move it away") from None
        if calibration.suite == suite:  # two names may share a folder
            found.append((path, calibration))
    found.sort(key=lambda entry: (entry[1].made_at, entry[0].name), reverse=True)
    return found


def _write_lines(path: Path, disagreements: Iterable[Disagreement]) -> None:
    beside = path.with_name(f".{path.name}.tmp")
    writer = LineWriter(beside)
    try:
        for one in disagreements:
            writer.write_record(one)
        writer.close()
        with disk_faults(path):
            beside.replace(path)
    except BaseException:
        writer.abandon()
        beside.unlink(missing_ok=True)
        raise
