"""Sentences of a text (thin)."""

from __future__ import annotations

import re

_END = re.compile(r"(?<=[.!?])\s+")


def sentences(text: str) -> list[str]:
    """Return the sentences of a text, each an exact substring of it."""
    return [part.strip() for part in _END.split(text) if part.strip()]
