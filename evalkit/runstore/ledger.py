"""trust.json in a suite's folder, beside baseline.json: read strictly, written whole."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from evalkit.errors import RunStoreError
from evalkit.runstore.files import write_json
from evalkit.runstore.lines import read_record

if TYPE_CHECKING:
    # Every run looks for a ledger; only a suite that has one imports its records.
    from evalkit.records.trust import Ledger

FILE = "trust.json"


class StoredLedger(NamedTuple):
    """A suite's ledger on disk."""

    record: Ledger
    sha256: str
    """SHA-256 of the file's bytes."""


def stored_ledger(folder: Path) -> StoredLedger | None:
    """Return a suite's ledger, None where it has none. Raises RunStoreError where it cannot be read or contradicts itself."""
    file = folder / FILE
    if not file.is_file():
        return None
    from evalkit.records.trust import Ledger

    ledger = read_record(file, Ledger)
    faults = list(ledger.contradictions())
    if faults:
        raise RunStoreError(
            f"{file}: {'; '.join(faults)}; the file was edited or merged by hand: take it back from version control, or delete it and "
            "calibrate again"
        )
    return StoredLedger(ledger, hashlib.sha256(file.read_bytes()).hexdigest())


def read_ledger(folder: Path) -> Ledger | None:
    """Return a suite's ledger as a record, None where it has none. Raises RunStoreError where it cannot be read."""
    found = stored_ledger(folder)
    return found.record if found else None


def write_ledger(folder: Path, ledger: Ledger) -> Path:
    """Replace a suite's ledger, whole or not at all. Raises RunStoreError where the disk refuses."""
    write_json(folder / FILE, ledger.model_dump(mode="json"))
    return folder / FILE
