"""Where measurements of batteries are kept: OUT/batteries/SUITE/, a dated file each."""

from __future__ import annotations

from pathlib import Path

from evalkit.records.battery_reports import BatteryReport
from evalkit.runstore.dated import new_path
from evalkit.runstore.files import write_json
from evalkit.runstore.names import folder_part

FOLDER = "batteries"


def write_batteries(out: Path, report: BatteryReport) -> Path:
    """Write a report to a new file named by its date, and return its path. Raises RunStoreError."""
    path = new_path(out / FOLDER / folder_part(report.suite), "battery", report.made_at)
    write_json(path, report.model_dump(mode="json"))
    return path
