"""Reading the reply cache: plain SQL over the table that diskcache 5.6.3 writes, read-only, in bulk, without importing diskcache.

Only text under text keys is read; a row that somebody planted with a pickle or a file in it is a damaged row. What the database
itself raises (sqlite3.Error) passes to the caller, who decides whether the file is locked, unreadable or damaged.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from urllib.parse import quote

from evalkit.errors import CacheError

FILE_NAME = "cache.db"
SIDE_FILES = ("-wal", "-shm")
SCHEMA_KEY = "evalkit:schema"
SCHEMA_VERSION = "replies/1"
"""The sentinel row: says that the file is a reply cache of evalkit's, and in which form."""

_CHUNK = 500
_MODE_RAW = 1
_VALUE = f"CASE WHEN mode = {_MODE_RAW} AND filename IS NULL AND typeof(value) = 'text' THEN value END"
_OURS = "raw = 1 AND typeof(key) = 'text'"


class ReplyTable:
    """A read-only connection to one database file. May be used from several threads, one at a time."""

    def __init__(self, file: Path, wait_s: float, *, immutable: bool = False) -> None:
        """Open the file. With `immutable` SQLite takes no lock and reads no log beside it: the way to read on a read-only medium."""
        mode = "mode=ro&immutable=1" if immutable else "mode=ro"
        self.immutable = immutable
        self._connection = _connect(file, wait_s, mode)

    def schema(self) -> str | None:
        """Return the sentinel's version; None where the table or the sentinel is not there."""
        if not self._connection.execute(
            "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'Cache'"
        ).fetchone():
            return None
        return dict(self.texts([SCHEMA_KEY])).get(SCHEMA_KEY)

    def holds_anything(self) -> bool:
        """Tell whether the database has any table with a row, or tables that are not diskcache's."""
        names = {name for (name,) in self._connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        if not names <= {"Settings", "Cache", "sqlite_sequence"}:
            return True
        return "Cache" in names and self._connection.execute("SELECT 1 FROM Cache LIMIT 1").fetchone() is not None

    def damage(self) -> str | None:
        """Return what SQLite's quick check finds, or None; reads the whole file."""
        (found,) = self._connection.execute("PRAGMA quick_check(1)").fetchone()
        return None if found == "ok" else str(found)

    def texts(self, keys: Sequence[str]) -> Iterator[tuple[str, str | None]]:
        """Yield key and row text of those keys that are there; None for a row that holds no text."""
        for start in range(0, len(keys), _CHUNK):
            chunk = keys[start : start + _CHUNK]
            marks = ",".join("?" * len(chunk))
            query = f"SELECT key, {_VALUE} FROM Cache WHERE key IN ({marks}) AND {_OURS}"  # noqa: S608  (marks only)
            yield from self._connection.execute(query, chunk)

    def every_text(self) -> Iterator[tuple[str, str | None]]:
        """Yield key and row text of all replies, in order of the key."""
        query = f"SELECT key, {_VALUE} FROM Cache WHERE {_OURS} AND key != ? ORDER BY key"  # noqa: S608  (constants only)
        yield from self._connection.execute(query, (SCHEMA_KEY,))

    def foreign_rows(self) -> int:
        """Count the rows that no version of evalkit wrote: keys that are not text, or pickled."""
        (count,) = self._connection.execute(f"SELECT count(*) FROM Cache WHERE NOT ({_OURS})").fetchone()  # noqa: S608
        return int(count)

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()


def readable_rows(file: Path) -> dict[str, str]:
    """Return what can still be read of a damaged file: its rows from the first on and from the last back, until an error."""
    rows: dict[str, str] = {}
    for order in ("ASC", "DESC"):
        query = f"SELECT key, {_VALUE} FROM Cache NOT INDEXED WHERE {_OURS} ORDER BY rowid {order}"  # noqa: S608
        try:
            with closing(_connect(file, 1.0, "mode=ro")) as connection:
                for key, text in connection.execute(query):
                    if text is not None and key != SCHEMA_KEY:
                        rows.setdefault(key, text)
        except (sqlite3.Error, UnicodeDecodeError):
            continue
    return rows


def wait_for_lock(file: Path, wait_s: float) -> None:
    """Wait a bounded time until the file can be written. Raises CacheError; diskcache itself would wait for a minute."""
    if not file.exists():
        return
    with closing(sqlite3.connect(file, timeout=wait_s, isolation_level=None)) as connection:
        try:
            connection.execute("BEGIN IMMEDIATE")
            connection.execute("ROLLBACK")
        except sqlite3.OperationalError as error:
            raise CacheError(str(error)) from error


def _connect(file: Path, wait_s: float, mode: str) -> sqlite3.Connection:
    uri = f"file:{quote(str(file.absolute()))}?{mode}"
    return sqlite3.connect(uri, uri=True, timeout=wait_s, isolation_level=None, check_same_thread=False)
