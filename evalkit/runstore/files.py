r"""JSON and JSONL as evalkit writes them: strict, readable, harmless to show, and never half there.

- UTF-8, accents and scripts as they are; control, bidi, invisible characters and lone surrogates stand as `\uXXXX`, which is
  the same JSON value but can neither hide nor forge anything where the file is printed.
- Strict JSON: no NaN. A value that JSON has no form for (NaN, a set, a path from a user's own scorer) is written as text, so
  that a late oddity never costs a finished run.
- A whole file is written beside its name, flushed, synced, checked for its size and renamed. A full disk is an error that
  says so, and what stood there before still stands.
"""

from __future__ import annotations

import json
import math
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from enum import Enum
from pathlib import Path
from typing import IO, Any

from evalkit.errors import RunStoreError
from evalkit.records.base import Json, Record
from evalkit.text.beyond_plain import beyond_plain

# Python's encoder escapes C0 controls itself. Here: DEL and C1, soft hyphen, fillers, bidi and zero-width characters, line
# and paragraph separators, surrogates, BOM, interlinear and tag characters, and the supplementary variation selectors.
UNSHOWN = re.compile(
    "[\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164"
    "\ud800-\udfff\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
"""Characters that are never printed as they are: they hide, reorder or forge text. (C0 controls are escaped by JSON itself.)"""

_DEEPEST = 100
"""Levels of an odd value that are written; what lies deeper, or turns in a circle, is said to be too deep."""


def json_text(value: Json, *, indent: int | None = None) -> str:
    """Return a value as one strict JSON text in which every character can be shown."""
    try:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False, indent=indent)
    except (TypeError, ValueError, RecursionError):
        text = json.dumps(_plain(value, _DEEPEST), ensure_ascii=False, allow_nan=False, indent=indent)
    return shown_json(text)


def shown_json(text: str) -> str:
    """Return a JSON text with each character that cannot be shown escaped; its value stays the same."""
    return UNSHOWN.sub(_escape, text) if UNSHOWN.search(beyond_plain(text)) else text


def _escape(match: re.Match[str]) -> str:
    return "\\u007f" if match.group() == "\x7f" else json.dumps(match.group())[1:-1]


def _plain(value: object, depth: int) -> Json:
    """Return a value with everything that JSON has no form for as text."""
    if isinstance(value, Enum):
        value = value.value
    if isinstance(value, Mapping | list | tuple):
        return _plain_container(value, depth - 1) if depth else "(nested too deeply)"
    if isinstance(value, set | frozenset):
        return sorted(str(item) for item in value)
    known = value is None or isinstance(value, bool | int | str) or (isinstance(value, float) and math.isfinite(value))
    return value if known else str(value)


def _plain_container(value: Mapping[Any, object] | Sequence[object], depth: int) -> Json:
    if isinstance(value, Mapping):
        return {str(key): _plain(item, depth) for key, item in value.items()}
    return [_plain(item, depth) for item in value]


def write_json(path: Path, value: Json) -> None:
    """Replace a file by a JSON document, whole or not at all. Raises RunStoreError where the disk refuses."""
    write_text(path, json_text(value, indent=2) + "\n")


RUN_ELSEWHERE = (
    "Earlier runs are as they were; free space or rights, or choose another folder with --out, and run again "
    "(bought verdicts are in the cache)"
)
"""What to do where a run's own files cannot be written."""
FILE_ELSEWHERE = "Name another file, in a folder that exists and may be written; what it is made from is as it was"
"""What to do where a file cannot be written that the command line names."""


def write_text(path: Path, text: str, *, remedy: str = RUN_ELSEWHERE) -> None:
    """Replace a file by a text, whole or not at all. Lone surrogates are escaped.

    Raises RunStoreError with the `remedy` where the disk refuses.
    """
    content = text.encode("utf-8", "backslashreplace")
    beside = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    with disk_faults(path, remedy):
        if path.exists() and not path.is_file():  # a device or a pipe would be replaced by a file of its name
            raise RunStoreError(f"{path}: is no regular file and is left alone; name another")
        try:
            with beside.open("wb") as handle:
                handle.write(content)
                sync(handle)
            check_size(beside, len(content))
            beside.replace(path)
        except BaseException:
            with suppress(OSError):
                beside.unlink(missing_ok=True)
            raise


def sync(handle: IO[bytes]) -> None:
    """Flush a file down to the disk."""
    handle.flush()
    os.fsync(handle.fileno())


def check_size(path: Path, expected: int) -> None:
    """Raise RunStoreError where fewer (or more) bytes are on the disk than were written."""
    size = path.stat().st_size
    if size != expected:
        raise RunStoreError(f"{path}: the disk kept {size} of {expected} bytes; free space and run again")


@contextmanager
def disk_faults(path: Path, remedy: str = RUN_ELSEWHERE) -> Iterator[None]:
    """Turn an OSError into a RunStoreError that names the path and says what to do."""
    try:
        yield
    except OSError as error:
        reason = error.strerror or str(error)
        raise RunStoreError(f"{path}: cannot be written: {reason}. {remedy}") from error


class LineWriter:
    """A JSONL file that grows line by line, so that memory does not."""

    def __init__(self, path: Path) -> None:
        """Create the file. Raises RunStoreError where the disk refuses."""
        self.path = path
        self.lines = 0
        self._bytes = 0
        with disk_faults(path):
            self._handle = path.open("wb")

    def write(self, value: Json) -> None:
        """Append one line. Raises RunStoreError where the disk refuses."""
        self._append(json_text(value))

    def _append(self, text: str) -> None:
        line = (text + "\n").encode()
        with disk_faults(self.path):
            self._handle.write(line)
        self.lines += 1
        self._bytes += len(line)

    def write_record(self, record: Record) -> None:
        """Append a record as one line, the quick way; what UTF-8 cannot hold takes the way of `write`. Raises RunStoreError."""
        try:
            text = record.model_dump_json()
        except ValueError:
            self.write(record.model_dump())
        else:
            self._append(shown_json(text))

    def flush(self) -> None:
        """Hand everything to the system. Raises RunStoreError where the disk refuses."""
        with disk_faults(self.path):
            self._handle.flush()

    def close(self) -> None:
        """Flush, sync and check the size. Raises RunStoreError where something is missing on the disk."""
        if self._handle.closed:
            return
        with disk_faults(self.path):
            with self._handle:
                sync(self._handle)
            check_size(self.path, self._bytes)

    def abandon(self) -> None:
        """Close without looking at what the disk says; the file is about to be thrown away."""
        with suppress(OSError):
            self._handle.close()
