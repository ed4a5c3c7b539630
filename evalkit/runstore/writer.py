"""Writing a run folder: streamed into a folder beside, then swapped in whole.

    begin      a staging folder with the manifest, marked incomplete
    failure, judgement    a line each, straight to the disk
    scores     scores.jsonl, at once
    classified    a line of classified.jsonl, where a classifier was asked
    finish     report.json, manifest.json, report.md; sync; the folder takes its name
    discard    nothing of it stays

Whatever happens before the last step, an earlier run under the same id stands as it was.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Self

from evalkit.errors import RunStoreError
from evalkit.records.base import Json
from evalkit.records.case_scores import CaseScores
from evalkit.records.classified import ClassifiedCase
from evalkit.records.manifests import Manifest
from evalkit.records.reports import Report
from evalkit.records.verdicts import Judgement
from evalkit.runstore.files import LineWriter, disk_faults, write_json, write_text
from evalkit.runstore.layout import CLASSIFIED, FAILURES, MANIFEST, MARKDOWN, REPORT, SCORES, VERDICTS
from evalkit.runstore.names import check_run_id, default_run_id
from evalkit.runstore.staging import partial_folder, put_back, remove_unfinished, swap_in

KIND_OF_FAILURE = ("kind", "capability", "scorer", "criterion")

__all__ = ["RunWriter", "default_run_id"]


class RunWriter:
    """Writes one run. A context manager: leaving it unfinished discards what was written."""

    def __init__(self, out: Path, run_id: str, suite: str) -> None:
        """Check that the run may be written; nothing is created yet.

        Raises UsageError for an unsafe id, RunStoreError where out/run_id is another suite's run or no run folder.
        """
        self.run_id = check_run_id(run_id)
        self.folder = out / self.run_id
        self._staged = partial_folder(self.folder)
        self._failures: LineWriter | None = None
        self._verdicts: LineWriter | None = None
        self._scores: LineWriter | None = None
        self._classified: LineWriter | None = None
        self._first: dict[tuple[Json, ...], Mapping[str, Json]] = {}
        with disk_faults(self.folder):
            if out.exists() and not out.is_dir():
                raise RunStoreError(f"{out}: is not a folder; name one with --out")
            put_back(self.folder)
            remove_unfinished(self.folder)
            _check_owner(self.folder, suite)

    def begin(self, manifest: Manifest) -> None:
        """Create the staging folder and write the manifest as incomplete. Raises RunStoreError where the disk refuses."""
        with disk_faults(self._staged):
            self._staged.mkdir(parents=True)
        unfinished = manifest.model_copy(update={"completeness": "incomplete", "finished_at": None})
        write_json(self._staged / MANIFEST, unfinished.model_dump())
        self._failures = LineWriter(self._staged / FAILURES)
        self._verdicts = LineWriter(self._staged / VERDICTS)
        self._scores = LineWriter(self._staged / SCORES)

    def failure(self, line: Mapping[str, Json]) -> None:
        """Append a line to failures.jsonl. Raises RunStoreError where the disk refuses."""
        _begun(self._failures).write(line)
        self._first.setdefault(tuple(map(line.get, KIND_OF_FAILURE)), line)

    def judgement(self, judgement: Judgement) -> None:
        """Append a line to verdicts.jsonl. Raises RunStoreError where the disk refuses."""
        _begun(self._verdicts).write_record(judgement)

    def scores(self, scores: CaseScores) -> None:
        """Write scores.jsonl. Raises RunStoreError where the disk refuses."""
        stream = _begun(self._scores)
        for line in (scores.table, *scores.rows):
            stream.write_record(line)

    def classified(self, case: ClassifiedCase) -> None:
        """Append a line to classified.jsonl, which only runs with such a line have. Raises RunStoreError where the disk refuses."""
        _begun(self._scores)
        if self._classified is None:
            self._classified = LineWriter(self._staged / CLASSIFIED)
        self._classified.write_record(case)

    @property
    def first_failures(self) -> tuple[Mapping[str, Json], ...]:
        """The first line of each kind, capability, scorer and criterion, in the order of the file."""
        return tuple(self._first.values())

    def failures(self) -> Iterator[dict[str, Json]]:
        """Yield the lines of failures.jsonl written so far, from the disk; for report.md, which is written before `finish`."""
        stream = _begun(self._failures)
        stream.flush()
        with stream.path.open("rb") as lines:
            for line in lines:
                yield json.loads(line)

    def finish(self, report: Report, manifest: Manifest, markdown: str) -> Path:
        """Write the rest and swap the folder in; return it. Raises RunStoreError; the earlier run is then untouched."""
        _begun(self._failures).close()
        _begun(self._verdicts).close()
        _begun(self._scores).close()
        if self._classified is not None:
            self._classified.close()
        write_json(self._staged / REPORT, report.model_dump())
        write_text(self._staged / MARKDOWN, markdown)
        write_json(self._staged / MANIFEST, manifest.model_dump())
        with disk_faults(self.folder):
            swap_in(self._staged, self.folder)
            _sync_folder(self.folder.parent)
        self._failures = self._verdicts = self._scores = self._classified = None
        return self.folder

    def discard(self) -> None:
        """Remove what was written; harmless before `begin` and after `finish`."""
        for stream in (self._failures, self._verdicts, self._scores, self._classified):
            if stream is not None:
                stream.abandon()
        self._failures = self._verdicts = self._scores = self._classified = None
        shutil.rmtree(self._staged, ignore_errors=True)

    def __enter__(self) -> Self:
        """Return the writer."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Discard an unfinished run."""
        self.discard()


def _begun(stream: LineWriter | None) -> LineWriter:
    if stream is None:
        raise RuntimeError("RunWriter: begin() comes before lines and finish(), and finish() is the last")
    return stream


def _check_owner(folder: Path, suite: str) -> None:
    """Refuse a folder that replacing would take from somebody else."""
    if folder.is_symlink() or (folder.exists() and not folder.is_dir()):
        raise RunStoreError(f"{folder}: is not a folder of its own (a file or a link); choose another --run-id")
    if not folder.exists() or not any(folder.iterdir()):
        return
    try:
        manifest = json.loads((folder / MANIFEST).read_bytes())
        owner = manifest["suite"]
    except FileNotFoundError:
        raise RunStoreError(
            f"{folder}: is no run folder (it has no {MANIFEST}) and is left alone; choose another --run-id or --out"
        ) from None
    except (ValueError, KeyError, TypeError):
        raise RunStoreError(
            f"{folder / MANIFEST}: cannot be read, so nobody knows whose run this is; move the folder away or choose another --run-id"
        ) from None
    if owner != suite:
        raise RunStoreError(
            f"{folder}: holds a run of suite {str(owner)[:120]!r}, not of {suite[:120]!r}; choose another --run-id or --out"
        )


def _sync_folder(folder: Path) -> None:
    """Make a rename durable where the system lets folders be synced."""
    if os.name != "posix":
        return
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
