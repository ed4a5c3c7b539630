"""Files that the command line names for output: one that is there already is replaced only where evalkit wrote it, of the same kind.

`--html runs/nightly/report.json` is a slip of the hand, and what it would replace may be a golden set that exists once. A file is
known by how it begins; an empty one holds nothing that could be lost. Every page names the command that writes it, and a run's folder
takes no page but that run's own, for whoever opens it there reads it as the run's.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal, NamedTuple

from evalkit.errors import NamedFileError, RunStoreError, UsageError
from evalkit.runstore.files import FILE_ELSEWHERE, disk_faults, write_text
from evalkit.runstore.layout import MANIFEST, REPORT

OwnKind = Literal["render", "diff", "compare", "junit", "summary", "recording", "specification", "replies"]
HEAD = 1 << 20
"""Bytes of a file that are looked at."""


PAGES: tuple[OwnKind, ...] = ("render", "diff", "compare")
"""Pages, each called as its command."""


class _Known(NamedTuple):
    """How a kind of file is called, and how it begins."""

    what: str
    mark: re.Pattern[bytes]


def _page_of(command: str) -> _Known:
    mark = rb'\s*<!doctype html>(?:(?!<title>).)*<meta name="generator" content="evalkit %s">' % command.encode()
    return _Known(f"page of evalkit {command}", re.compile(mark, re.DOTALL))


_KNOWN: dict[OwnKind, _Known] = {
    **{kind: _page_of(kind) for kind in PAGES},
    "junit": _Known("JUnit XML of evalkit", re.compile(rb'<\?xml[^>]*>\s*<testsuites name="evalkit"')),
    "summary": _Known("summary of gates", re.compile(rb"## [^\n]*, run [^\n]*: gate (?:PASSED|FAILED|REFUSED)\n")),
    "recording": _Known("recording of replies", re.compile(rb'\s*\{"key": "[^"\n]*", "label": "')),
    "specification": _Known(
        "acceptance specification of evalkit",
        re.compile(rb"schema_version: 1\n(?=.*^criteria:)(?=.*^terms:)", re.DOTALL | re.MULTILINE),
    ),
    "replies": _Known("export of a reply cache", re.compile(rb'\{"key":"[^"\n]*", ?"sha256"')),
}


def require_own(path: Path, kind: OwnKind, reads: Iterable[Path] = (), run: Path | None = None) -> None:
    """Raise UsageError where a file of another kind would be lost, or one of `reads`, which the command reads.

    So it does for a page in the folder of a run other than `run`, the folder of the run that is rendered; while it is not known yet
    (None), `render` may name any.

    Raises NamedFileError where its folder does not exist, or the file that is there cannot be looked at: no folder is made, for a
    path that is wrong by a letter would be one too.
    """
    with _named_file(), disk_faults(path, FILE_ELSEWHERE):
        if not path.parent.is_dir():
            raise NamedFileError(f"{path}: cannot be written: there is no folder {path.parent}. {FILE_ELSEWHERE}")
        if path.is_file():
            if any(path.samefile(other) for other in reads if other.exists()):
                raise UsageError(f"{path}: is read by this command and would be written over; name another file")
            _require_kind(path, kind)
        if kind in PAGES and not (kind == "render" and run is None):
            _require_own_run(path.parent, run)


def _require_kind(path: Path, kind: OwnKind) -> None:
    """Raise UsageError where a file that is there is not of the kind."""
    with path.open("rb") as file:
        head = file.read(HEAD)
    what, mark = _KNOWN[kind]
    if head and not mark.match(head):
        raise UsageError(f"{path}: is there already and is no {what}; name another file, or move this one away")


def _require_own_run(folder: Path, run: Path | None) -> None:
    """Raise UsageError where `folder` is that of a run other than `run`."""
    if not ((folder / MANIFEST).is_file() and (folder / REPORT).is_file()) or (run and folder.samefile(run)):
        return
    raise UsageError(f"{folder}: is the folder of a run, and takes no page but that run's own; name a file elsewhere")


def write_own(path: Path, text: str, kind: OwnKind, reads: Iterable[Path] = (), run: Path | None = None) -> None:
    """Write a file that the command line names, whole or not at all.

    Raises UsageError as `require_own` does, NamedFileError where the disk refuses.
    """
    require_own(path, kind, reads, run)
    with _named_file():
        write_text(path, text, remedy=FILE_ELSEWHERE)


@contextmanager
def _named_file() -> Iterator[None]:
    """Turn what keeps a file of the command line from being written into an error of that file, which is none of a run."""
    try:
        yield
    except RunStoreError as error:
        raise NamedFileError(str(error)) from error
