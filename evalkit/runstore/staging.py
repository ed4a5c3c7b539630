"""Folders beside a run folder while it is being replaced, and what dead processes left there.

    .ID.PID.partial    a run that process PID is writing
    .ID.PID.old        the earlier run, for the moment between two renames

A process that was killed leaves one of them behind. The next run of that id removes a dead `.partial` and, where the folder
itself is missing, moves a dead `.old` back: the earlier run is never lost and never half there.
"""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Iterator
from pathlib import Path

_STALE_AFTER_S = 24 * 3600.0


def partial_folder(target: Path) -> Path:
    """Return the folder in which this process writes a run."""
    return target.with_name(f".{target.name}.{os.getpid()}.partial")


def put_back(target: Path) -> None:
    """Put an earlier run back that a process moved aside and then died. Raises OSError."""
    for left in _left_behind(target, ".old"):
        if target.exists():
            shutil.rmtree(left, ignore_errors=True)
        else:
            left.rename(target)


def remove_unfinished(target: Path) -> None:
    """Remove what dead processes began to write beside a run folder. Only for a process that has begun nothing itself."""
    for left in _left_behind(target, ".partial"):
        shutil.rmtree(left, ignore_errors=True)


def swap_in(staged: Path, target: Path) -> None:
    """Put a finished folder in the place of an earlier one. Raises OSError; the earlier run is then back in its place."""
    if not target.exists():
        staged.rename(target)
        return
    aside = target.with_name(f".{target.name}.{os.getpid()}.old")
    target.rename(aside)
    try:
        staged.rename(target)
    except BaseException:
        aside.rename(target)
        raise
    shutil.rmtree(aside, ignore_errors=True)


def _left_behind(target: Path, ending: str) -> Iterator[Path]:
    """Yield folders of dead processes; one under this process's own id can only be a namesake's."""
    prefix = f".{target.name}."
    if not target.parent.is_dir():
        return
    for entry in sorted(target.parent.iterdir()):
        if not (entry.name.startswith(prefix) and entry.name.endswith(ending)):
            continue
        middle = entry.name[len(prefix) : -len(ending)]
        if middle.isdecimal() and (int(middle) == os.getpid() or not _alive(int(middle), entry)):
            yield entry


def _alive(pid: int, folder: Path) -> bool:
    if os.name == "nt":  # signal 0 means Ctrl-C there, so age must do
        return time.time() - folder.stat().st_mtime < _STALE_AFTER_S
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        return True
    return True
