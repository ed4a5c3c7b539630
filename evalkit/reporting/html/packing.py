"""Data within the file: JSON, compressed, as base64, so that no text can ever end its element; the page's script unpacks it."""

from __future__ import annotations

import base64
import gzip
from collections.abc import Iterable, Iterator
from itertools import islice

from evalkit.records.base import Json
from evalkit.runstore.files import json_text

TEXT_CHARS = 20_000
"""Characters of one untrusted text on the page; a longer one ends with a mark that says how long it is."""
BLOCK_CASES = 64
"""Cases unpacked at once when one of them is opened."""


def pack(value: Json) -> str:
    """Return a JSON value as base64 of gzip; the same value gives the same text."""
    return base64.b64encode(gzip.compress(json_text(value).encode(), compresslevel=6, mtime=0)).decode("ascii")


def blocks(values: Iterable[Json], size: int = BLOCK_CASES) -> Iterator[str]:
    """Yield values packed by `size`, in order."""
    remaining = iter(values)
    while block := list(islice(remaining, size)):
        yield pack(block)


def cut(text: str) -> str:
    """Return a text, cut with a visible mark where it is long."""
    if len(text) <= TEXT_CHARS:
        return text
    return f"{text[:TEXT_CHARS]}\n[cut here: {len(text):,} characters in all]"
