"""Where calibrations are kept: OUT/calibrations/SUITE/, dated files beside the runs and never inside one, which never change.

calibration-DATE.json    rows
calibration-DATE.jsonl   every disagreement, a line each
calibration-DATE.md      both, to be read
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from evalkit.records.calibrations import Calibration, Disagreement
from evalkit.runstore.dated import new_path, newest_first, read_dated
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
    path = new_path(calibrations_folder(out, calibration.suite), "calibration", calibration.made_at)
    files = CalibrationFiles(path, path.with_suffix(".jsonl"), path.with_suffix(".md"))
    _write_lines(files.disagreements, disagreements)
    write_text(files.markdown, markdown)
    write_json(files.calibration, calibration.model_dump(mode="json"))
    return files


def stored_calibrations(out: Path, suite: str) -> list[tuple[Path, Calibration]]:
    """Return a suite's calibrations, the newest first. Raises RunStoreError, naming the file, where one cannot be read."""
    return newest_first(
        calibrations_folder(out, suite),
        "calibration",
        suite,
        lambda path: read_dated(path, Calibration, "calibration"),
    )


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
