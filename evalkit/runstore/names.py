"""Names of run folders: one safe path component on every system, and unique when evalkit makes them."""

from __future__ import annotations

import re
import secrets
from datetime import UTC, datetime

from evalkit.errors import UsageError

LATEST = "latest"
"""Reserved: the newest finished run."""

_SAFE = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._-]{0,99}")
_DEVICE = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?", re.IGNORECASE)
_UNSAFE_RUN = re.compile(r"[^A-Za-z0-9_]+")


def check_run_id(run_id: str) -> str:
    """Return a run id that is safe as a folder's name; raises UsageError with the rule otherwise."""
    if not _SAFE.fullmatch(run_id) or run_id.endswith("."):
        raise UsageError(
            f"run id {run_id[:120]!r}: expected 1 to 100 characters of A-Z, a-z, 0-9, '.', '_' and '-', "
            "beginning with a letter, a digit or '_' and not ending in '.'"
        )
    if run_id.casefold() == LATEST:
        raise UsageError(f"run id {run_id!r}: this name is reserved for the newest run; choose another")
    if _DEVICE.fullmatch(run_id):
        raise UsageError(f"run id {run_id!r}: this is a device's name on Windows; choose another")
    return run_id


def default_run_id(suite: str, outputs: str, now: datetime | None = None) -> str:
    """Return a run id from suite, outputs' name and clock (UTC); a random end keeps two runs of the same second apart."""
    clock = (now or datetime.now(UTC)).astimezone(UTC)
    return f"{folder_part(suite)}-{folder_part(outputs)}-{clock:%Y%m%d-%H%M%S}-{secrets.token_hex(3)}"


def folder_part(name: str) -> str:
    """Return what a folder may be called after a name: its letters, digits and `_`, at most 32 characters, never empty."""
    return _UNSAFE_RUN.sub("-", name).strip("-")[:32].strip("-") or "x"
