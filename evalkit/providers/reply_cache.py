"""The reply cache: bought replies by content hash, as JSON text in one SQLite file of diskcache's, for ever, shared by processes.

Nothing here stops a run or loses what was bought. Reading is plain SQL (reply_table), writing goes through diskcache
(reply_disk) and begins with the first purchase, so a run that buys nothing neither imports it nor creates a folder. What the file's
state can be and what follows stands in reply_store. A reply that the file does not take (locked, full, read-only) is rescued:
held in memory and appended to a file (reply_rescue); at the end the cache is tried once more.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from evalkit.errors import CacheError, Fault, InputError
from evalkit.providers import reply_payload
from evalkit.providers.batch_journal import FOLDER as BATCHES
from evalkit.providers.reply_rescue import Rescue, rescued_rows
from evalkit.providers.reply_store import ReplyStore
from evalkit.providers.reply_table import FILE_NAME, SIDE_FILES
from evalkit.records.verdicts import StoredReply

if TYPE_CHECKING:
    from evalkit.providers.reply_disk import ReplyWriter

_BATCH = 500
DEFAULT_FOLDER = Path(".evalkit/cache")


@dataclass(frozen=True, slots=True, kw_only=True)
class CacheInfo:
    """What a cache holds."""

    folder: str
    entries: int
    size_bytes: int
    """Of the database with its log."""
    rescued_files: tuple[str, ...]
    """Files beside it that `evalkit cache import` puts back."""
    damaged_files: tuple[str, ...]
    """Files that were moved aside."""
    open_batches: tuple[str, ...]
    """Files of batches whose replies are not all taken yet; the run that takes them goes on where another stopped."""
    problems: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CacheCheck:
    """What `evalkit cache verify` found."""

    sound: int
    damaged: tuple[str, ...]
    """Keys whose reply cannot be used."""
    problems: tuple[str, ...]
    """What is wrong with the file as a whole."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Imported:
    """What came of an import."""

    added: int
    present: int
    """Replies whose key was there already; what was there stays."""
    refused: tuple[Fault, ...]
    """Lines that hold no sound reply."""


def cache_folder(given: Path | None) -> Path:
    """Return where the cache stands: the folder that was given, EVALKIT_CACHE_DIR, or .evalkit/cache."""
    return given or Path(os.environ.get("EVALKIT_CACHE_DIR") or DEFAULT_FOLDER)


def open_cache(folder: Path, note: Callable[[str], None], *, rescue: Path | None = None) -> ReplyCache:
    """Open the cache in a folder, which need not exist. Never raises for the cache's state: trouble is told to `note`, once each.

    `rescue` is a second folder for rescued replies, where the cache's own takes none, e.g. the run's.
    """
    return ReplyCache(folder, note, rescue=rescue)


class ReplyCache:
    """Replies by request key. May be used from several threads."""

    def __init__(self, folder: Path, note: Callable[[str], None], *, rescue: Path | None = None) -> None:
        self._note = note
        self._told: dict[str, None] = {}
        self._guard = threading.RLock()
        self._taking = True
        self._pending: dict[str, str] = {}
        self._found: dict[str, str] = {}
        for path, rows in rescued_rows(folder):
            self._found.update(rows)
            note(f"{path}: {len(rows)} rescued replies are used too; `evalkit cache import` puts them into the cache")
        self._rescue = Rescue((folder,) if rescue is None else (folder, rescue))
        self._store = ReplyStore(folder, self._tell)

    @property
    def folder(self) -> Path:
        """The folder that the replies are kept in."""
        return self._store.folder

    def get(self, key: str) -> StoredReply | None:
        """Return the reply stored under a key, or None."""
        return self.get_many([key]).get(key)

    def get_many(self, keys: Sequence[str]) -> dict[str, StoredReply]:
        """Return the replies of those keys that are there and sound; a damaged one is as good as absent."""
        with self._guard:
            texts = self._store.read(keys)
            for held in (self._found, self._store.salvaged, self._pending):
                if held:
                    texts.update({key: held[key] for key in keys if key in held})
        found: dict[str, StoredReply] = {}
        damaged = 0
        for key, text in texts.items():
            try:
                found[key] = reply_payload.decode(key, text)
            except ValueError:
                damaged += 1
        if damaged:
            self._tell(
                f"{self._store.file}: {damaged} stored replies are damaged and not used; `evalkit cache verify` names them"
            )
        return found

    def put(self, key: str, stored: StoredReply) -> None:
        """Store a reply: committed, or rescued, when this returns. Never raises for the cache's state."""
        text = reply_payload.encode(key, stored)
        with self._guard:
            if not self._taking:
                self._keep(key, text, "see above")
                return
            try:
                self._store.write(lambda writer: writer.put(key, text))
            except CacheError as error:
                self._taking = False
                self._keep(key, text, str(error))

    def close(self) -> None:
        """Try once more to store what was rescued, and close."""
        with self._guard:
            if self._pending:
                self._store.close()
                try:
                    self._store.write(lambda writer: writer.put_all(list(self._pending.items())))
                except CacheError:
                    pass
                else:
                    self._pending.clear()
                    self._rescue.drop()
            self._rescue.close()
            self._store.close()

    def info(self) -> CacheInfo:
        """Return what the cache holds, without checking it."""
        folder, entries = self._store.folder, 0
        problems: list[str] = []
        with self._guard:
            try:
                entries = sum(1 for _ in self._texts())
            except CacheError as error:
                problems.append(str(error))
        files = [folder / (FILE_NAME + suffix) for suffix in ("", *SIDE_FILES[:1])]
        return CacheInfo(
            folder=str(folder),
            entries=entries,
            size_bytes=sum(file.stat().st_size for file in files if file.is_file()),
            rescued_files=tuple(str(path) for path in sorted(folder.glob("rescued-*.jsonl"))),
            open_batches=tuple(str(path) for path in sorted((folder / BATCHES).glob("*.json"))),
            damaged_files=tuple(str(path) for path in sorted(folder.glob(f"damaged-*{FILE_NAME}"))),
            problems=(*self._told, *problems),
        )

    def verify(self) -> CacheCheck:
        """Read everything and check each reply's checksum and the file as a whole."""
        sound, damaged, problems = 0, [], list(self._told)
        with self._guard:
            try:
                for key, text in self._texts():
                    if reply_payload.is_sound(key, text):
                        sound += 1
                    else:
                        damaged.append(key)
            except CacheError as error:
                problems.append(str(error))
            problems += self._store.damage()
        return CacheCheck(sound=sound, damaged=tuple(damaged), problems=tuple(dict.fromkeys(problems)))

    def export(self, path: Path) -> int:
        """Write all sound replies to a file, a line each in order of the key; return how many. Raises CacheError, InputError.

        The same cache gives the same bytes. The file is written beside and renamed.
        """
        beside, written = path.with_name(path.name + ".part"), 0
        try:
            with self._guard, beside.open("wb") as file:
                for key, text in self._texts():
                    if text is not None and reply_payload.is_sound(key, text):
                        file.write(reply_payload.to_line(key, text).encode("ascii"))
                        written += 1
            beside.replace(path)
        except CacheError:
            beside.unlink(missing_ok=True)
            raise
        except OSError as error:
            beside.unlink(missing_ok=True)
            raise _cannot(path, "written", error) from None
        return written

    def import_(self, path: Path) -> Imported:
        """Add the replies of an exported or rescued file whose keys are not there. Raises CacheError, InputError.

        Lines without a sound reply, such as one cut short by a kill, are refused one by one; the rest is taken.
        """
        added = present = 0
        refused: list[Fault] = []
        batch: list[tuple[str, str]] = []
        try:
            with path.open("rb") as file:
                for number, line in enumerate(file, start=1):
                    if not line.strip():
                        continue
                    try:
                        batch.append(reply_payload.from_line(line))
                    except ValueError as error:
                        refused.append(Fault(file=str(path), line=number, problem=str(error)))
                    if len(batch) == _BATCH:
                        added, present = self._add(batch, added, present)
                        batch = []
        except OSError as error:
            raise _cannot(path, "read", error) from None
        added, present = self._add(batch, added, present)
        return Imported(added=added, present=present, refused=tuple(refused))

    def _add(self, batch: Sequence[tuple[str, str]], added: int, present: int) -> tuple[int, int]:
        stored = 0

        def add_all(writer: ReplyWriter) -> None:
            nonlocal stored
            stored = writer.add_all(batch)

        if batch:
            with self._guard:
                self._store.write(add_all)
        return added + stored, present + len(batch) - stored

    def _texts(self) -> Iterator[tuple[str, str | None]]:
        """Yield all rows in order of the key, those outside the file included. Raises CacheError."""
        held = self._found | self._store.salvaged | self._pending
        rest = sorted(held.items(), reverse=True)
        for key, text in self._store.every_text():
            while rest and rest[-1][0] < key:
                yield rest.pop()
            if key in held:
                continue
            yield key, text
        yield from reversed(rest)

    def _keep(self, key: str, text: str, reason: str) -> None:
        """Hold a reply that the cache did not take, in memory and, where any folder takes one, in a file."""
        self._pending[key] = text
        kept = self._rescue.append(key, text)
        if len(self._pending) > 1:
            return
        where = (
            f"are kept in {self._rescue.path}, which `evalkit cache import` puts back"
            if kept
            else "are held in memory only"
        )
        self._tell(f"{self._store.file}: the reply cache takes nothing more ({reason}); new replies {where}")

    def _tell(self, message: str) -> None:
        """Tell each thing once."""
        if message not in self._told:
            self._told[message] = None
            self._note(message)


def _cannot(path: Path, done: str, error: OSError) -> InputError:
    reason = error.strerror or type(error).__name__
    return InputError([Fault(file=str(path), problem=f"the file cannot be {done}: {reason}")])
