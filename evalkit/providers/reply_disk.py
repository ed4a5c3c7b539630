"""Writing the reply cache through diskcache: the only file that imports it, and only a run that buys does.

diskcache pickles what it does not know and unpickles what it finds, so whoever may write to a cache could run code in whoever
reads it; its JSONDisk does so too. The Disk here stores text and nothing else, keeps it in the database's own rows, and refuses
everything else, also in rows that somebody planted. Reading goes past diskcache (reply_table).
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

import diskcache

from evalkit.errors import CacheError
from evalkit.records.base import Json

SETTINGS: dict[str, Json] = {
    "eviction_policy": "none",  # by default diskcache evicts silently at 1 GiB
    "cull_limit": 0,
    "size_limit": 2**62,
    "statistics": 0,
    "tag_index": 0,
    "sqlite_journal_mode": "wal",
    "sqlite_synchronous": 1,  # a commit survives kill -9; a power cut may cost the last ones, never the file
    "sqlite_mmap_size": 0,
    "disk_min_file_size": 2**31,
    "disk_pickle_protocol": 0,
}
"""Everything that could persist in a database with another value is set at each opening."""

_RAW = 1
_MODE_RAW = 1


class TextDisk(diskcache.Disk):  # type: ignore[misc]  # diskcache has no types
    """Text keys and text values, in rows of the database; no pickle, no files."""

    def put(self, key: Json) -> tuple[str, bool]:
        """Return a key as it is stored. Raises TypeError for what is not text."""
        if not isinstance(key, str):
            raise TypeError("keys of the reply cache are text")
        return key, True

    def get(self, key: Json, raw: Json) -> str:
        """Return a stored key. Raises ValueError for a pickled one, unread."""
        if raw != _RAW or not isinstance(key, str):
            raise ValueError("a key of the reply cache is not text")
        return key

    def store(self, value: Json, read: Json, key: Json = None) -> tuple[int, int, None, str]:  # noqa: ARG002  (diskcache's signature)
        """Return a value as it is stored. Raises TypeError for what is not text."""
        if read or not isinstance(value, str):
            raise TypeError("values of the reply cache are text")
        return 0, _MODE_RAW, None, value

    def fetch(self, mode: Json, filename: Json, value: Json, read: Json) -> str:
        """Return a stored value. Raises ValueError for a pickle or a file, unread."""
        if read or mode != _MODE_RAW or filename is not None or not isinstance(value, str):
            raise ValueError("a value of the reply cache is not text")
        return value

    def remove(self, file_path: Json) -> None:
        """Remove nothing: no row of ours has a file, and a planted name must not delete one."""


class ReplyWriter:
    """Puts rows into a cache folder. Raises CacheError where it cannot, sqlite3.DatabaseError where the file is damaged."""

    def __init__(self, folder: Path, wait_s: float) -> None:
        self._file = folder / diskcache.core.DBNAME
        with self._as_cache_error():
            self._cache = diskcache.Cache(str(folder), timeout=wait_s, disk=TextDisk, **SETTINGS)

    def put(self, key: str, text: str) -> None:
        """Store a row, committed when this returns."""
        with self._as_cache_error():
            self._cache.set(key, text)

    def add_all(self, rows: Sequence[tuple[str, str]]) -> int:
        """Store those rows whose key is not there, in one transaction; return how many."""
        with self._as_cache_error(), self._cache.transact():
            return sum(bool(self._cache.add(key, text)) for key, text in rows)

    def put_all(self, rows: Sequence[tuple[str, str]]) -> None:
        """Store rows in one transaction."""
        with self._as_cache_error(), self._cache.transact():
            for key, text in rows:
                self._cache.set(key, text)

    def close(self) -> None:
        """Close the connection."""
        with self._as_cache_error():
            self._cache.close()

    @contextmanager
    def _as_cache_error(self) -> Iterator[None]:
        """Turn what a cache that cannot be written raises into CacheError; damage passes as sqlite3.DatabaseError."""
        try:
            yield
        except diskcache.Timeout:
            raise CacheError(self._diagnosis()) from None
        except (OSError, TypeError, sqlite3.OperationalError) as error:
            raise CacheError(str(error) or type(error).__name__) from error

    def _diagnosis(self) -> str:
        """Return why no transaction could begin: diskcache says Timeout for every reason."""
        try:
            with closing(sqlite3.connect(self._file, timeout=0)) as connection:
                connection.execute("BEGIN IMMEDIATE")
        except sqlite3.Error as error:
            return str(error)
        return "database is locked"
