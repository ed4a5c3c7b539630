"""Opening files that people name: whatever the system says becomes a fault with the path, and paths stay where they may."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import BinaryIO

from evalkit.errors import Fault, InputError

BUFFER = 1 << 18
UTF8_BOM = b"\xef\xbb\xbf"
LARGEST_TEXT = 1 << 20
"""Most bytes of a configuration file (suite, rubric, lexicon, judge, candidate, constitution)."""


def input_error(file: Path | str, problem: str, remedy: str = "", *, line: int | None = None) -> InputError:
    """Return an InputError with one fault."""
    return InputError([Fault(file=str(file), line=line, problem=problem, remedy=remedy)])


def open_binary(path: Path) -> BinaryIO:
    """Open a regular file for reading bytes. Raises InputError where that is not possible."""
    try:
        if path.exists() and not path.is_file():
            kind = "a folder" if path.is_dir() else "no regular file"
            raise input_error(path, f"is {kind}", "a file was expected")
        return path.open("rb", buffering=BUFFER)
    except FileNotFoundError:
        raise input_error(path, "does not exist") from None
    except (OSError, ValueError) as error:
        raise input_error(path, f"cannot be read: {_reason(error)}") from None


def read_text(path: Path) -> str:
    """Return a small UTF-8 file's text without its byte order mark. Raises InputError for any other encoding or size."""
    with open_binary(path) as handle:
        raw = handle.read(LARGEST_TEXT + 1)
    if len(raw) > LARGEST_TEXT:
        raise input_error(path, "is larger than 1 MiB", "configuration files are small")
    refuse_wide_encoding(path, raw)
    marked = raw.startswith(UTF8_BOM)
    try:
        return raw[len(UTF8_BOM) if marked else 0 :].decode("utf-8")
    except UnicodeDecodeError as error:
        raise not_utf8(path, raw.count(b"\n", 0, error.start) + 1, error, len(UTF8_BOM) if marked else 0) from None


def refuse_wide_encoding(path: Path, start: bytes) -> None:
    """Raise InputError where a file's first bytes are those of UTF-16 or UTF-32."""
    if start.startswith((b"\xff\xfe", b"\xfe\xff")) or b"\0" in start[:4]:
        raise input_error(path, "is UTF-16 or UTF-32 (seen at byte 0)", "save it as UTF-8", line=1)


def not_utf8(path: Path, line: int, error: UnicodeDecodeError, offset: int) -> InputError:
    """Return the fault for bytes that are no UTF-8; `offset` is where the decoded bytes begin in the file."""
    byte = error.object[error.start]
    problem = f"is not UTF-8: byte 0x{byte:02x} at offset {offset + error.start} of the file"
    return input_error(path, problem, "save the file as UTF-8; it may be Latin-1 or cp1252", line=line)


def changed_meanwhile(path: Path) -> InputError:
    """Return the fault of a file that is no longer what it was when it was checked."""
    return input_error(path, "was changed while it was being read", "run again")


class PathError(ValueError):
    """A path that may not be used; the message says why, for the fault of the field that names it."""


def resolve_inside(path: Path, roots: Iterable[Path]) -> Path:
    """Return a path with symlinks resolved. Raises PathError, naming the resolved path, where it lies under none of `roots`."""
    try:
        resolved = path.resolve()
    except (OSError, ValueError, RuntimeError) as error:
        raise PathError(f"the path cannot be resolved: {_reason(error)}") from None
    if not any(resolved.is_relative_to(root.resolve()) for root in roots):
        raise PathError(f"the path leads out of the suite's folder, to {resolved}")
    return resolved


def _reason(error: Exception) -> str:
    return (error.strerror or str(error)) if isinstance(error, OSError) else str(error)
