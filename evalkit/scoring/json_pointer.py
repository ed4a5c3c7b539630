"""JSON Pointer (RFC 6901): a place in a JSON value."""

from __future__ import annotations

import re

from evalkit.records.base import Json

_INDEX = re.compile(r"0|[1-9][0-9]{0,15}")
_BAD_ESCAPE = re.compile(r"~(?![01])")


def pointer_parts(pointer: str) -> tuple[str, ...]:
    """Return the reference tokens of a pointer; none for the empty pointer, which is the whole value.

    Raises ValueError where it is no JSON Pointer.
    """
    if not pointer:
        return ()
    if not pointer.startswith("/"):
        raise ValueError(f"{pointer!r} is no JSON Pointer: it must begin with /")
    if _BAD_ESCAPE.search(pointer):
        raise ValueError(f"{pointer!r} is no JSON Pointer: ~ must be written ~0, and a / in a name ~1")
    return tuple(part.replace("~1", "/").replace("~0", "~") for part in pointer[1:].split("/"))


def resolve_pointer(value: Json, pointer: str) -> Json:
    """Return what stands at a pointer. Raises LookupError where there is nothing, ValueError where it is no pointer."""
    for part in pointer_parts(pointer):
        if isinstance(value, dict) and part in value:
            value = value[part]
        elif isinstance(value, list) and _INDEX.fullmatch(part) and int(part) < len(value):
            value = value[int(part)]
        else:
            raise LookupError(f"nothing stands at {pointer!r}")
    return value
