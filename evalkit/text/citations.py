"""Citations in an answer (thin: [id], [doc:id], [1], [1, 2])."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

_MARKER = re.compile(r"\[([^\[\]\n]{1,200})\]")


class Cited(NamedTuple):
    """What an answer cites."""

    resolved: tuple[str, ...]
    """Document ids, in order of first citation."""
    unresolved: tuple[str, ...]
    """Markers that name no document, as written."""
    malformed: tuple[str, ...]
    """What looks like a citation but is in no known format."""


def parse_citations(text: str, field: Sequence[str] | None, documents: Sequence[str]) -> Cited:
    """Return what an answer cites, in its text and in its citations field, resolved against the case's documents."""
    resolved: dict[str, None] = {}
    unresolved: dict[str, None] = {}
    for match in _MARKER.finditer(text):
        for part in match.group(1).split(","):
            name = part.strip().removeprefix("doc:")
            if name.isdigit() and 1 <= int(name) <= len(documents):
                resolved[documents[int(name) - 1]] = None
            elif name in documents:
                resolved[name] = None
            else:
                unresolved[name] = None
    for name in field or ():
        (resolved if name in documents else unresolved)[name] = None
    return Cited(tuple(resolved), tuple(unresolved), ())
