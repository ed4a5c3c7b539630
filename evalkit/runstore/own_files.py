"""Files that the command line names for output: one that is there already is replaced only where evalkit wrote it, of the same kind.

`--html runs/nightly/report.json` is a slip of the hand, and what it would replace may be a golden set that exists once. A file is
known by how it begins; an empty one holds nothing that could be lost.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal, NamedTuple

from evalkit.errors import NamedFileError, RunStoreError, UsageError
from evalkit.runstore.files import FILE_ELSEWHERE, disk_faults, write_text

OwnKind = Literal["page", "junit", "summary", "recording", "specification", "replies"]
HEAD = 1 << 20
"""Bytes of a file that are looked at."""


class _Known(NamedTuple):
    """How a kind of file is called, and how it begins."""

    what: str
    mark: re.Pattern[bytes]


_KNOWN: dict[OwnKind, _Known] = {
    "page": _Known("page of evalkit", re.compile(rb"\s*<!doctype html>(?:(?!<style>).)*: evalkit</title>", re.DOTALL)),
    "junit": _Known("JUnit XML of evalkit", re.compile(rb'<\?xml[^>]*>\s*<testsuites name="evalkit"')),
    "summary": _Known("summary of gates", re.compile(rb"## [^\n]*, run [^\n]*: gate (?:PASSED|FAILED|REFUSED)\n")),
    "recording": _Known("recording of replies", re.compile(rb'\s*\{"key": "[^"\n]*", "label": "')),
    "specification": _Known(
        "acceptance specification of evalkit",
        re.compile(rb"schema_version: 1\n(?=.*^criteria:)(?=.*^terms:)", re.DOTALL | re.MULTILINE),
    ),
    "replies": _Known("export of a reply cache", re.compile(rb'\{"key":"[^"\n]*", ?"sha256"')),
}


def require_own(path: Path, kind: OwnKind, reads: Iterable[Path] = ()) -> None:
    """Raise UsageError where a file of another kind would be lost, or one of `reads`, which the command reads.

    Raises NamedFileError where its folder does not exist, or the file that is there cannot be looked at: no folder is made, for a
    path that is wrong by a letter would be one too.
    """
    with _named_file(), disk_faults(path, FILE_ELSEWHERE):
        if not path.parent.is_dir():
            raise NamedFileError(f"{path}: cannot be written: there is no folder {path.parent}. {FILE_ELSEWHERE}")
        if not path.is_file():
            return
        if any(path.samefile(other) for other in reads if other.exists()):
            raise UsageError(f"{path}: is read by this command and would be written over; name another file")
        with path.open("rb") as file:
            head = file.read(HEAD)
    what, mark = _KNOWN[kind]
    if head and not mark.match(head):
        raise UsageError(f"{path}: is there already and is no {what}; name another file, or move this one away")


def write_own(path: Path, text: str, kind: OwnKind, reads: Iterable[Path] = ()) -> None:
    """Write a file that the command line names, whole or not at all.

    Raises UsageError as `require_own` does, NamedFileError where the disk refuses.
    """
    require_own(path, kind, reads)
    with _named_file():
        write_text(path, text, remedy=FILE_ELSEWHERE)


@contextmanager
def _named_file() -> Iterator[None]:
    """Turn what keeps a file of the command line from being written into an error of that file, which is none of a run."""
    try:
        yield
    except RunStoreError as error:
        raise NamedFileError(str(error)) from error
