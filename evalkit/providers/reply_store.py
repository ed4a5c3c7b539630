"""One cache folder's database, in whatever state it is: opened, checked, read, written, replaced when damaged.

    damaged file        moved aside and named; what can be read of it goes into a new one
    locked              waited for a few seconds, then left alone
    read-only folder    read, not written
    another's file      left alone

Reading never raises. Writing raises CacheError, and the caller keeps the reply elsewhere.
"""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

from evalkit.errors import CacheError
from evalkit.providers.reply_payload import is_sound
from evalkit.providers.reply_table import (
    FILE_NAME,
    SCHEMA_KEY,
    SCHEMA_VERSION,
    SIDE_FILES,
    ReplyTable,
    readable_rows,
    wait_for_lock,
)

if TYPE_CHECKING:
    from evalkit.providers.reply_disk import ReplyWriter

WAIT_S = 5.0
"""Longest wait for another process's lock, in seconds."""
CHECKED_AT_START = 64 * 1024 * 1024
"""Bytes up to which a file is checked whole when it is opened; a larger one is checked before the first write."""
NASCENT_S = 1.0
"""Seconds in which a file without content may still become a cache: another process is creating it."""


class ReplyStore:
    """The rows of one folder: text under text keys."""

    def __init__(self, folder: Path, tell: Callable[[str], None]) -> None:
        self.folder = folder
        self.file = folder / FILE_NAME
        self.salvaged: dict[str, str] = {}
        """Rows of a damaged file for which no new file could be made."""
        self._tell = tell
        self._table: ReplyTable | None = None
        self._writer: ReplyWriter | None = None
        self._refusal: str | None = None
        self._checked = False
        try:
            self._open()
        except sqlite3.OperationalError as error:
            self._leave_alone(f"cannot be read ({error})")
        except sqlite3.DatabaseError as error:
            self._replace_damaged(str(error))

    def read(self, keys: Sequence[str]) -> dict[str, str | None]:
        """Return the rows of those keys that are there; None for a row that holds no text. Never raises for the file's state."""
        try:
            table = self._current_table()
            return {} if table is None else dict(table.texts(keys))
        except sqlite3.OperationalError as error:
            self._tell(f"{self.file}: the reply cache cannot be read ({error}); its replies count as absent")
            return {}
        except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
            self._replace_damaged(str(error))
        try:
            table = self._current_table()
            return {} if table is None else dict(table.texts(keys))
        except sqlite3.Error:
            return {}

    def write(self, action: Callable[[ReplyWriter], None]) -> None:
        """Run an action on the writer; where it meets a damaged file, once more on a new one. Raises CacheError."""
        try:
            action(self._current_writer())
        except sqlite3.DatabaseError as error:
            self._replace_damaged(str(error))
        else:
            return
        try:
            action(self._current_writer())
        except sqlite3.DatabaseError as error:
            raise CacheError(str(error)) from error

    def every_text(self) -> Iterator[tuple[str, str | None]]:
        """Yield all rows in order of the key. Raises CacheError where reading stops."""
        try:
            table = self._current_table()
            if table is not None:
                yield from table.every_text()
        except (sqlite3.Error, UnicodeDecodeError) as error:
            raise CacheError(f"{self.file}: {error}") from error

    def damage(self) -> tuple[str, ...]:
        """Return what is wrong with the file as a whole, in words; reads all of it."""
        try:
            table = self._current_table()
            if table is None:
                return () if self._refusal is None else (self._refusal,)
            found, foreign = table.damage(), table.foreign_rows()
        except sqlite3.Error as error:
            return (str(error),)
        planted = () if not foreign else (f"{foreign} rows were not written by evalkit (their keys are no text)",)
        return (*planted, *(() if found is None else (found,)))

    def close(self) -> None:
        """Close the files; the next use would open them anew."""
        for opened in (self._table, self._writer):
            try:
                if opened is not None:
                    opened.close()
            except (CacheError, sqlite3.Error):
                continue
        self._table = self._writer = None

    # Opening -----------------------------------------------------------------------------------------------------

    def _open(self) -> None:
        """Open the file for reading, if there is one. Raises sqlite3.Error."""
        if not self._has_content():
            return
        self._table = table = self._connect()
        version = table.schema()
        if self.file.stat().st_size <= CHECKED_AT_START:
            self._check(table)
        if version is None and table.holds_anything():
            self._leave_alone("is not a reply cache of evalkit's")
        elif version not in {None, SCHEMA_VERSION}:
            self._leave_alone(f"was written by another version of evalkit (schema {version!r})")
        elif version is None:
            # Another process has begun the file and not yet its table: looked at anew with the next read.
            self._table.close()
            self._table = None

    def _has_content(self) -> bool:
        """Tell whether there is a file with content; an empty one may be another process's that has only begun."""
        deadline = time.monotonic() + NASCENT_S
        while True:
            try:
                if self.file.stat().st_size > 0:
                    return True
            except (FileNotFoundError, NotADirectoryError):
                return False
            except OSError as error:
                self._leave_alone(f"cannot be read ({error.strerror})")
                return False
            if time.monotonic() > deadline:
                self._tell(
                    f"{self.file}: the reply cache is an empty file, what it held is lost; going on with it as a new one"
                )
                return False
            time.sleep(0.02)

    def _connect(self) -> ReplyTable:
        table = ReplyTable(self.file, WAIT_S)
        try:
            table.schema()
        except sqlite3.OperationalError as error:
            table.close()
            if "locked" in str(error) or os.access(self.folder, os.W_OK):
                raise
        except BaseException:
            table.close()
            raise
        else:
            return table
        log = self.file.with_name(FILE_NAME + SIDE_FILES[0])
        behind = ", without what a killed run left in its log" if log.exists() and log.stat().st_size else ""
        self._refusal = "the folder is read-only"
        self._tell(f"{self.file}: the reply cache is read-only; it is read{behind}")
        return ReplyTable(self.file, WAIT_S, immutable=True)

    def _check(self, table: ReplyTable) -> None:
        damage = table.damage()
        if damage is not None:
            raise sqlite3.DatabaseError(damage)
        self._checked = True

    def _is_sound(self) -> bool:
        try:
            with closing(ReplyTable(self.file, WAIT_S)) as table:
                return table.schema() == SCHEMA_VERSION and table.damage() is None
        except sqlite3.Error:
            return False

    def _leave_alone(self, reason: str) -> None:
        self._tell(f"{self.file}: the reply cache {reason}; it is left alone and the run goes on without it")
        self._refusal = f"it {reason}"
        self.close()

    def _replace_damaged(self, reason: str) -> None:
        """Move a damaged file aside and put what can be read of it into a new one, unless another process has just done so."""
        self.close()
        if self._is_sound():
            return
        rows = {key: text for key, text in readable_rows(self.file).items() if is_sound(key, text)}
        stamp = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime())
        aside = f"damaged-{stamp}-{os.getpid()}-{FILE_NAME}"
        try:
            for suffix in ("", *SIDE_FILES):
                part = self.file.with_name(FILE_NAME + suffix)
                if part.exists():
                    part.replace(part.with_name(aside + suffix))
        except OSError as error:
            self.salvaged.update(rows)
            self._leave_alone(f"is damaged ({reason}) and cannot be moved aside ({error.strerror})")
            return
        self._tell(
            f"{self.file}: the reply cache was damaged ({reason}); it was moved aside to {aside}, "
            f"a new one holds the {len(rows)} replies that could be read"
        )
        try:
            self._current_writer().add_all(list(rows.items()))
        except (CacheError, sqlite3.DatabaseError) as error:
            self.salvaged.update(rows)
            self._tell(f"{self.file}: no new reply cache could be made ({error})")

    # Connections -------------------------------------------------------------------------------------------------

    def _current_table(self) -> ReplyTable | None:
        """Return the table, opened now where the file has appeared since. Raises sqlite3.Error."""
        if self._table is None and self._refusal is None and self.file.exists():
            table = ReplyTable(self.file, WAIT_S)
            try:
                has_rows = table.schema() is not None
            except sqlite3.Error:
                table.close()
                raise
            if has_rows:
                self._table = table
            else:
                table.close()
        return self._table

    def _current_writer(self) -> ReplyWriter:
        """Return the writer, opened with the first row. Raises CacheError, sqlite3.DatabaseError."""
        if self._refusal is not None:
            raise CacheError(self._refusal)
        if self._writer is None:
            from evalkit.providers.reply_disk import ReplyWriter

            if self._table is not None and not self._checked:
                self._check(self._table)
            try:
                self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            except OSError as error:
                raise CacheError(error.strerror or str(error)) from error
            wait_for_lock(self.file, WAIT_S)
            self._writer = ReplyWriter(self.folder, WAIT_S)
            self._writer.add_all([(SCHEMA_KEY, SCHEMA_VERSION)])
        return self._writer
