"""baseline.json and baseline.scores.jsonl in a suite's folder: written whole, and read back only where they go together."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING

from evalkit.errors import RunStoreError
from evalkit.records.case_scores import CaseScores
from evalkit.runstore.case_scores import read_scores
from evalkit.runstore.files import json_text, write_json, write_text
from evalkit.runstore.lines import read_record

if TYPE_CHECKING:
    # Every run looks for a baseline; only a suite that has one imports its records.
    from evalkit.records.baselines import Baseline

FILE = "baseline.json"
SCORES = "baseline.scores.jsonl"


class StoredBaseline:
    """A suite's baseline on disk. Raises RunStoreError where it cannot be read or its two files do not go together."""

    def __init__(self, folder: Path) -> None:
        from evalkit.records.baselines import Baseline

        self.file = folder / FILE
        self.record = read_record(self.file, Baseline)
        self.sha256 = hashlib.sha256(self.file.read_bytes()).hexdigest()
        self._scores = folder / SCORES
        try:
            found = hashlib.sha256(self._scores.read_bytes()).hexdigest()
        except OSError as error:
            raise RunStoreError(f"{self._scores}: cannot be read: {error.strerror or error}; {_AGAIN}") from error
        if found != self.record.scores_sha256:
            raise RunStoreError(f"{self._scores}: is not the file that {FILE} was written with; {_AGAIN}")

    def scores(self) -> CaseScores:
        """Return the cases behind the rows. Raises RunStoreError."""
        return read_scores(self._scores)


_AGAIN = "set the baseline again: evalkit baseline set RUN"


def read_baseline(folder: Path) -> StoredBaseline | None:
    """Return a suite's baseline, or None where it has none. Raises RunStoreError where it cannot be used."""
    return StoredBaseline(folder) if (folder / FILE).is_file() else None


def write_baseline(folder: Path, baseline: Baseline, scores: CaseScores) -> Path:
    """Write both files and return baseline.json; `scores_sha256` is filled in here. Raises RunStoreError where the disk refuses."""
    lines = (scores.table, *scores.rows)
    text = "".join(json_text(line.model_dump(mode="json", exclude_none=True)) + "\n" for line in lines)
    digest = hashlib.sha256(text.encode("utf-8", "backslashreplace")).hexdigest()
    write_text(folder / SCORES, text)
    write_json(folder / FILE, baseline.model_copy(update={"scores_sha256": digest}).model_dump())
    return folder / FILE
