"""Open batches on disk, a file each beside the reply cache, so that a run that was killed finds what it has bought.

A file holds ids and hashes: no prompt, no key. It is written beside and renamed, and goes when the last of its requests has an end.
Trouble with the disk never stops a run: it is told, for it means that an interrupted batch would be bought again.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Collection
from pathlib import Path

from pydantic import ValidationError

from evalkit.records.batches import OpenBatch
from evalkit.records.identity import content_hash

FOLDER = "batches"
KEPT_S = 30 * 24 * 3600.0
"""Age at which an open batch is forgotten: providers keep its files for no longer."""


class BatchJournal:
    """The open batches of one cache folder."""

    def __init__(self, cache: Path, note: Callable[[str], None]) -> None:
        self.folder = cache / FOLDER
        self._note = note
        self._told: set[str] = set()

    def read(self, address: str, wanted: Collection[str]) -> list[OpenBatch]:
        """Return the open batches of a server that hold a wanted request, the oldest first. Never raises for what lies there."""
        found = [batch for path in self._files() if (batch := self._batch(path)) is not None]
        mine = [batch for batch in found if batch.address == address and not set(wanted).isdisjoint(batch.keys)]
        return sorted(mine, key=lambda batch: (batch.submitted_at, batch.file_id))

    def keys(self, address: str) -> frozenset[str]:
        """Return every request in an open batch of a server."""
        found = [self._batch(path) for path in self._files()]
        return frozenset(key for batch in found if batch and batch.address == address for key in batch.keys)

    def write(self, batch: OpenBatch) -> None:
        """Keep a batch, in place of what was kept of the same file."""
        path = self.path_of(batch)
        beside = path.with_suffix(f".{os.getpid()}.tmp")
        try:
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            beside.write_text(batch.model_dump_json() + "\n", encoding="utf-8")
            beside.replace(path)
        except OSError as error:
            self._refused(
                f"written ({error.strerror or error}): if this run is interrupted, its batches are bought again"
            )

    def settle(self, batch: OpenBatch, ended: Collection[str]) -> None:
        """Take requests out of a batch that have an end; forget it where none is left."""
        left = tuple(key for key in batch.keys if key not in ended)
        if left:
            self.write(batch.model_copy(update={"keys": left}))
        else:
            self._forget(self.path_of(batch))

    def settle_all(self, known: Callable[[tuple[str, ...]], Collection[str]]) -> None:
        """Take out of every batch the requests that are `known` to have an end, whoever brought it, and forget what is left empty.

        A run that was killed after it had stored replies, and before it could say so here, leaves such requests.
        """
        for batch in filter(None, map(self._batch, self._files())):
            ended = known(batch.keys)
            if ended:
                self.settle(batch, ended)

    def path_of(self, batch: OpenBatch) -> Path:
        """Return the file that a batch is kept in."""
        return self.folder / f"{content_hash('open-batch/1', [batch.address, batch.file_id])[:32]}.json"

    def _forget(self, path: Path) -> None:
        try:
            path.unlink(missing_ok=True)
        except NotADirectoryError:
            return  # nothing could be kept there either, which was told
        except OSError as error:
            self._refused(
                f"changed ({error.strerror or error}): batches that have ended are looked at again by the next run"
            )

    def _refused(self, problem: str) -> None:
        self._tell(f"{self.folder}: cannot be {problem}")

    def _tell(self, trouble: str) -> None:
        """Tell what is wrong, each thing once."""
        if trouble not in self._told:
            self._told.add(trouble)
            self._note(trouble)

    def _files(self) -> list[Path]:
        try:
            return sorted(self.folder.glob("*.json"))
        except OSError:
            return []

    def _batch(self, path: Path) -> OpenBatch | None:
        try:
            batch = OpenBatch.model_validate_json(path.read_bytes())
        except (OSError, ValidationError):
            self._tell(
                f"{path}: is no open batch that can be read; it is left alone and its requests may be bought again"
            )
            return None
        if time.time() - batch.submitted_at > KEPT_S:
            self._forget(path)
            return None
        return batch
