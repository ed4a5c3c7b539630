"""Where acceptance is kept: OUT/acceptance/SUITE/ID/, beside the runs and never inside one.

    acceptance.jsonl   a line per attempt              acceptance.json, acceptance.md   over all requests
    verdicts.jsonl     every verdict that took part    attempts.jsonl, live.json        of a live run
    purchases.json     what this run bought, and when

What is derived is written beside its name and renamed when it is whole. attempts.jsonl only grows: each attempt is on the disk before
anybody judges it, so a run that was killed goes on with what it has, and the file is a recording that `--outputs` replays.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import IO, Self

from evalkit.errors import RunStoreError
from evalkit.records.acceptance_log import AcceptanceLine, AcceptancePurchases, AcceptanceReport
from evalkit.records.base import Json
from evalkit.records.outputs import Output
from evalkit.records.verdicts import Judgement
from evalkit.runstore.files import LineWriter, disk_faults, json_text, sync, write_json, write_text
from evalkit.runstore.names import check_run_id, folder_part

FOLDER = "acceptance"
LOG = "acceptance.jsonl"
REPORT = "acceptance.json"
MARKDOWN = "acceptance.md"
VERDICTS = "verdicts.jsonl"
PURCHASES = "purchases.json"
ATTEMPTS = "attempts.jsonl"
LIVE = "live.json"
DECLARED = "candidate"
"""Where live.json says which model stands behind the generator."""


def acceptance_folder(out: Path, suite: str, run_id: str) -> Path:
    """Return where one acceptance run is kept. Raises UsageError for an unsafe id."""
    return out / FOLDER / folder_part(suite) / check_run_id(run_id)


class AcceptanceWriter:
    """Writes what was decided. A context manager: leaving it unfinished leaves what stood there before."""

    def __init__(self, folder: Path, suite: str) -> None:
        """Open the files beside their names. Raises RunStoreError where the disk refuses, or the folder is another suite's."""
        self.folder = folder
        with disk_faults(folder):
            _check_owner(folder, suite)
            folder.mkdir(parents=True, exist_ok=True)
        self._log = LineWriter(_beside(folder / LOG))
        self._verdicts = LineWriter(_beside(folder / VERDICTS))
        self._finished = False

    def add(self, lines: Iterable[AcceptanceLine], judgements: Iterable[Judgement]) -> None:
        """Append one request's lines and verdicts. Raises RunStoreError."""
        for line in lines:
            self._log.write_record(line)
        for judgement in judgements:
            self._verdicts.write_record(judgement)

    def finish(self, report: AcceptanceReport, markdown: str, purchases: AcceptancePurchases) -> Path:
        """Put everything in its place, the report last, and return the folder. Raises RunStoreError."""
        for writer, name in ((self._log, LOG), (self._verdicts, VERDICTS)):
            writer.close()
            with disk_faults(self.folder / name):
                writer.path.replace(self.folder / name)
        write_json(self.folder / PURCHASES, purchases.model_dump(mode="json"))
        write_text(self.folder / MARKDOWN, markdown)
        write_json(self.folder / REPORT, report.model_dump(mode="json"))
        self._finished = True
        return self.folder

    def __enter__(self) -> Self:
        """Return the writer."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Remove what was not finished."""
        if self._finished:
            return
        for writer in (self._log, self._verdicts):
            writer.abandon()
            with suppress(OSError):
                writer.path.unlink()


class AttemptJournal:
    """attempts.jsonl of a live run, held by one process at a time, as a context; a torn last line, which a kill leaves, is dropped."""

    def __init__(self, folder: Path, suite: str, identity: dict[str, Json], declared: Mapping[str, str]) -> None:
        """Open the journal, or begin one. Raises RunStoreError where another process holds it, or it belongs to other inputs.

        `declared` says which model stands behind the generator; what was said of the attempts before holds on, and is not contradicted.
        """
        self.path = folder / ATTEMPTS
        with disk_faults(folder):
            _check_owner(folder, suite)
            folder.mkdir(parents=True, exist_ok=True)
            self._handle = self.path.open("a+b")
        try:
            _hold(self._handle, self.path)
            self.declared = _same_inputs(folder / LIVE, identity, declared)
            with disk_faults(self.path):
                _drop_torn_line(self._handle)
        except BaseException:
            self._handle.close()
            raise

    def add(self, output: Output) -> None:
        """Append an attempt; it is on the disk when this returns. Raises RunStoreError."""
        with disk_faults(self.path):
            self._handle.write((json_text(output.model_dump(mode="json", exclude_unset=True)) + "\n").encode())
            sync(self._handle)

    def __enter__(self) -> Self:
        """Return the journal."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Let go of the file."""
        self._handle.close()


def _check_owner(folder: Path, suite: str) -> None:
    if folder.is_symlink() or (folder.exists() and not folder.is_dir()):
        raise RunStoreError(f"{folder}: is not a folder of its own; choose another --run-id")
    try:
        owner = json.loads((folder / REPORT).read_bytes())["suite"]
    except FileNotFoundError:
        return
    except (ValueError, KeyError, TypeError):
        raise RunStoreError(f"{folder / REPORT}: cannot be read; move it away or choose another --run-id") from None
    if owner != suite:
        raise RunStoreError(f"{folder}: belongs to suite {str(owner)[:120]!r}; choose another --run-id")


def _same_inputs(path: Path, identity: dict[str, Json], declared: Mapping[str, str]) -> dict[str, str]:
    """Write what the attempts were made for and by whom, or refuse to go on with others; return all that was said of the maker."""
    if not path.exists():
        write_json(path, {**identity, DECLARED: dict(declared)})
        return dict(declared)
    try:
        stored = json.loads(path.read_bytes())
        differs = [name for name in identity if stored[name] != identity[name]]
        before = {str(name): str(value) for name, value in stored.get(DECLARED, {}).items()}
    except (ValueError, KeyError, TypeError, AttributeError):
        raise RunStoreError(f"{path}: cannot be read; move the folder away or choose another --run-id") from None
    differs += [f"{name} of the candidate" for name in declared if before.get(name, declared[name]) != declared[name]]
    if differs:
        raise RunStoreError(
            f"{path}: the attempts there were made under another {', '.join(differs)}; choose another --run-id to begin anew"
        )
    known = {**before, **declared}
    if known != before:
        write_json(path, {**stored, DECLARED: known})
    return known


def _beside(path: Path) -> Path:
    return path.with_name(f".{path.name}.{os.getpid()}.tmp")


def _hold(handle: IO[bytes], path: Path) -> None:
    """Take the file for this process where the system can say so; a dead process holds nothing."""
    if os.name != "posix":
        return
    import fcntl

    try:
        fcntl.flock(handle.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        raise RunStoreError(
            f"{path}: another evalkit is at work on this run; wait for it or choose another --run-id"
        ) from None


def _drop_torn_line(handle: IO[bytes]) -> None:
    handle.seek(0)
    whole = 0
    for line in handle:
        if not line.endswith(b"\n"):
            break
        whole += len(line)
    handle.truncate(whole)
    handle.seek(0, os.SEEK_END)
