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
