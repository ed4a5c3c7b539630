"""Reading a run folder back: by id, by path, or the newest."""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path

from evalkit.errors import RunStoreError
from evalkit.records.base import Json
from evalkit.records.case_scores import CaseScores
from evalkit.records.classified import ClassifiedCase
from evalkit.records.manifests import Manifest
from evalkit.records.reports import Report
from evalkit.records.verdicts import Judgement
from evalkit.runstore.case_scores import read_scores
from evalkit.runstore.layout import CLASSIFIED, FAILURES, MANIFEST, REPORT, SCORES, VERDICTS
from evalkit.runstore.lines import numbered_lines, read_lines, read_record, strict_json
from evalkit.runstore.names import LATEST
from evalkit.runstore.staging import put_back

RUNS_SHOWN = 5
"""Runs that are named where none is near the one asked for."""
_NEVER = datetime.min.replace(tzinfo=UTC)


class StoredRun:
    """A finished run on disk. Small files are read once and kept, lines are streamed."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @property
    def name(self) -> str:
        """The folder's name, the run's id."""
        return self.folder.name

    @cached_property
    def report(self) -> Report:
        """report.json. Raises RunStoreError where it is missing, torn, or not a report."""
        return read_record(self.folder / REPORT, Report)

    @cached_property
    def manifest(self) -> Manifest:
        """manifest.json. Raises RunStoreError where it is missing, torn, or not a manifest."""
        return read_record(self.folder / MANIFEST, Manifest)

    def failures(self) -> Iterator[dict[str, Json]]:
        """Yield the lines of failures.jsonl. Raises RunStoreError naming the line that cannot be read."""
        path = self.folder / FAILURES
        for number, line in numbered_lines(path):
            value = strict_json(line, path, number)
            if not isinstance(value, dict):
                raise RunStoreError(f"{path}:{number}: expected an object, got {type(value).__name__}")
            yield value

    def judgements(self) -> Iterator[Judgement]:
        """Yield the lines of verdicts.jsonl. Raises RunStoreError naming the line that cannot be read."""
        return read_lines(self.folder / VERDICTS, Judgement)

    def classified(self) -> Iterator[ClassifiedCase]:
        """Yield the lines of classified.jsonl; none where no classifier answered. Raises RunStoreError naming the line."""
        path = self.folder / CLASSIFIED
        return read_lines(path, ClassifiedCase) if path.is_file() else iter(())

    @property
    def has_scores(self) -> bool:
        """Whether scores.jsonl is there; runs made before evalkit wrote it have none."""
        return (self.folder / SCORES).is_file()

    def scores(self) -> CaseScores:
        """Return scores.jsonl. Raises RunStoreError naming the line that cannot be read."""
        return read_scores(self.folder / SCORES)


def open_run(name: str, out: Path) -> StoredRun:
    """Return a run by its id under `out`, by the path of its folder, or the newest finished one (`latest`).

    Raises RunStoreError where there is none, with the names that come close, or else the newest.
    """
    if name.casefold() == LATEST:
        return _latest(out)
    by_id = out / name
    if name and Path(name).name == name and name != "..":
        with suppress(OSError):
            put_back(by_id)
    for folder in (by_id, Path(name)):
        if _holds_run(folder):
            return StoredRun(folder)
    raise RunStoreError(f"no run {name[:120]!r} under {out}, and no run folder of that path; {_instead(name, out)}")


def runs_under(out: Path) -> list[StoredRun]:
    """Return the finished runs in a folder, the newest first; what is torn is left out."""
    finished = [(moment, folder.name, folder) for folder in _run_folders(out) if (moment := _finished(folder))]
    return [StoredRun(folder) for _, _, folder in sorted(finished, reverse=True)]


def _instead(name: str, out: Path) -> str:
    """Return names close to one that does not exist; where none is close, those that do exist, the newest first."""
    folders = _run_folders(out)
    if not folders:
        return f"{out} holds no run"
    near = difflib.get_close_matches(name, [folder.name for folder in folders], n=3, cutoff=0.6)
    if near:
        return f"nearest: {', '.join(near)}"
    newest = sorted(folders, key=lambda folder: (_finished(folder) or _NEVER, folder.name), reverse=True)
    more = f" and {len(newest) - RUNS_SHOWN} more" if len(newest) > RUNS_SHOWN else ""
    return f"it holds, newest first: {', '.join(folder.name for folder in newest[:RUNS_SHOWN])}{more}"


def _holds_run(folder: Path) -> bool:
    try:
        return (folder / MANIFEST).is_file()
    except (OSError, ValueError):  # a name that no file system takes
        return False


def _latest(out: Path) -> StoredRun:
    finished = runs_under(out)
    if not finished:
        raise RunStoreError(f"{out} holds no finished run; make one with: evalkit run SUITE --out {out}")
    return finished[0]


def _finished(folder: Path) -> datetime | None:
    """Return when a run finished; None where it did not, is torn, or had a clock without a zone."""
    try:
        manifest = json.loads((folder / MANIFEST).read_bytes())
        moment = datetime.fromisoformat(manifest["finished_at"])
    except (OSError, ValueError, TypeError, KeyError):
        return None
    return moment if moment.tzinfo is not None else None


def _run_folders(out: Path) -> list[Path]:
    if not out.is_dir():
        return []
    return [f for f in sorted(out.iterdir()) if not f.name.startswith(".") and _holds_run(f)]
