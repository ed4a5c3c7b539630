"""Where measurements of batteries are kept: OUT/batteries/SUITE/, a dated file each."""

from __future__ import annotations

import secrets
from pathlib import Path

from evalkit.records.battery_reports import BatteryReport
from evalkit.runstore.files import disk_faults, write_json
from evalkit.runstore.names import folder_part

FOLDER = "batteries"


def write_batteries(out: Path, report: BatteryReport) -> Path:
    """Write a report to a new file named by its date, and return its path. Raises RunStoreError."""
    folder = out / FOLDER / folder_part(report.suite)
    with disk_faults(folder):
        folder.mkdir(parents=True, exist_ok=True)
    stamp = report.made_at[:19].replace("-", "").replace(":", "").replace("T", "-")
    path = folder / f"battery-{stamp}-{secrets.token_hex(3)}.json"
    write_json(path, report.model_dump(mode="json"))
    return path
