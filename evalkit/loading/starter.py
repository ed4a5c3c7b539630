"""`evalkit init DIR`: a small suite that works at once, with an answer that passes, one that fails and a refusal of each kind."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from evalkit.errors import UsageError

TEMPLATE = Path(__file__).with_name("starter_suite")


def write_starter(folder: Path) -> list[Path]:
    """Write the starter suite and return its files. All of it is written, or nothing.

    Raises UsageError where the folder is not empty or cannot be written.
    """
    staging = folder.with_name(f".{folder.name}.{os.getpid()}.partial")
    try:
        if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            raise UsageError(f"{folder} exists and is not an empty folder; choose another name")
        folder.parent.mkdir(parents=True, exist_ok=True)
        shutil.copytree(TEMPLATE, staging, copy_function=shutil.copyfile)
        if folder.exists():
            folder.rmdir()
        staging.rename(folder)
    except (OSError, ValueError) as error:
        shutil.rmtree(staging, ignore_errors=True)
        raise UsageError(f"{folder} cannot be written: {getattr(error, 'strerror', None) or error}") from None
    return sorted(path for path in folder.rglob("*") if path.is_file())
