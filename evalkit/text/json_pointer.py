"""JSON Pointer (RFC 6901): the one value of a JSON document that a path names."""

from __future__ import annotations

import re
from typing import Any

_INDEX = re.compile(r"0|[1-9][0-9]{0,17}")
_BAD_ESCAPE = re.compile(r"~(?![01])")


def resolve_pointer(document: Any, pointer: str) -> Any:
    """Return the value that a pointer names; the empty pointer names the whole document.

    Raises ValueError where it is no JSON Pointer, LookupError where nothing stands there; both say which part is at fault.
    `-`, the place behind an array's end, names nothing. Keys are compared exactly.
    """
    if pointer and not pointer.startswith("/"):
        raise ValueError(f"{pointer[:200]!r} is no JSON Pointer: it must start with '/'")
    if _BAD_ESCAPE.search(pointer):
        raise ValueError(f"{pointer[:200]!r} is no JSON Pointer: '~' is written '~0' and '/' inside a key '~1'")
    value = document
    for part in pointer.split("/")[1:]:
        key = part.replace("~1", "/").replace("~0", "~")
        if isinstance(value, dict):
            if key not in value:
                raise LookupError(f"{pointer[:200]!r}: no key {key[:100]!r}")
            value = value[key]
        elif isinstance(value, list | tuple):
            if not _INDEX.fullmatch(key) or int(key) >= len(value):
                raise LookupError(f"{pointer[:200]!r}: {key[:100]!r} is no index of a list of {len(value)}")
            value = value[int(key)]
        else:
            problem = f"nothing stands under {key[:100]!r}, its parent is no object and no list"
            raise LookupError(f"{pointer[:200]!r}: {problem}")  # noqa: TRY004 - a path into data, not an argument's type
    return value
