"""One writer at a time for a file that several processes add to, e.g. two people who label into one file."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from evalkit.errors import RunStoreError
from evalkit.runstore.files import disk_faults

WAIT_S = 30.0
"""Longest wait for another writer; a write takes milliseconds."""
_PAUSE_S = 0.02


@contextmanager
def one_writer(path: Path) -> Iterator[None]:
    """Hold the right to write a file; a process that dies gives it back. Raises RunStoreError after 30 s of waiting.

    The lock is the system's, on a hidden file beside; that file is removed while the lock is held, so a waiter that got a removed
    one asks again.
    """
    beside = path.with_name(f".{path.name}.lock")
    with disk_faults(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        handle = _acquired(beside)
    try:
        yield
    finally:
        with suppress(OSError):  # Windows keeps a file that is open; the next writer uses it again
            beside.unlink()
        os.close(handle)


def _acquired(beside: Path) -> int:
    deadline = time.monotonic() + WAIT_S
    while True:
        handle = os.open(beside, os.O_RDWR | os.O_CREAT, 0o666)
        if _locked(handle) and _still_there(handle, beside):
            return handle
        os.close(handle)
        if time.monotonic() > deadline:
            raise RunStoreError(f"{beside}: another process has been writing for {WAIT_S:.0f} s; end it and try again")
        time.sleep(_PAUSE_S)


def _still_there(handle: int, beside: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(handle), beside.stat())
    except FileNotFoundError:
        return False


if sys.platform == "win32":
    import msvcrt

    def _locked(handle: int) -> bool:
        try:
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

else:
    import fcntl

    def _locked(handle: int) -> bool:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True
