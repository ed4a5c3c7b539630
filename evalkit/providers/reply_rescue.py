"""Where a bought reply goes when the cache cannot take it: a file of lines beside it, or in another folder, or memory alone.

The lines are those of `evalkit cache export`, so `evalkit cache import` puts them back; files beside the cache are read at each opening.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from evalkit.providers.reply_payload import from_line, to_line

PATTERN = "rescued-*.jsonl"


class Rescue:
    """Appends rows to a file of this process in the first folder that can hold one."""

    def __init__(self, folders: tuple[Path, ...]) -> None:
        self._folders = folders
        self._file: IO[bytes] | None = None
        self.path: Path | None = None
        """The file, once there is one."""

    def append(self, key: str, text: str) -> bool:
        """Write one row, handed to the system when this returns; tell whether any folder took it."""
        line = to_line(key, text).encode("ascii")
        while True:
            if self._file is None and not self._open():
                return False
            if self._wrote(line):
                return True

    def drop(self) -> None:
        """Close and remove the file: the cache has taken everything after all."""
        self.close()
        if self.path is not None:
            self.path.unlink(missing_ok=True)
            self.path = None

    def close(self) -> None:
        """Close the file."""
        if self._file is not None:
            self._file.close()
            self._file = None

    def _open(self) -> bool:
        while self._folders:
            folder, self._folders = self._folders[0], self._folders[1:]
            path = folder / f"rescued-{os.getpid()}.jsonl"
            try:
                folder.mkdir(mode=0o700, parents=True, exist_ok=True)
                self._file = path.open("ab", buffering=0)
            except OSError:
                continue
            self.path = path
            return True
        return False

    def _wrote(self, line: bytes) -> bool:
        """Write a whole line or nothing; on failure leave this folder for the next one."""
        if self._file is None:
            return False
        start = self._file.tell()
        try:
            if self._file.write(line) == len(line):
                return True
            self._file.truncate(start)
        except OSError:
            pass
        self.close()
        return False


def rescued_rows(folder: Path) -> Iterator[tuple[Path, dict[str, str]]]:
    """Yield each rescue file beside a cache with the rows that can be read in it."""
    for path in sorted(folder.glob(PATTERN)):
        rows: dict[str, str] = {}
        try:
            with path.open("rb") as file:
                for line in file:
                    try:
                        key, text = from_line(line)
                    except ValueError:
                        continue
                    rows[key] = text
        except OSError:
            continue
        if rows:
            yield path, rows
