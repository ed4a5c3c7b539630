"""Where citation markers stand in an answer, so that they can be left out of what is compared or searched.

This is the generous reading: whatever can only be a citation is a marker, well-formed or not. Whether an answer cites well is
for `evalkit.text.citations` to say.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import lru_cache

_SQUARE = re.compile(r"\[([^\[\]\n]{1,400})\]")
# A pattern that begins with one character is searched for several times faster than a choice of them.
_MARKER = re.compile(
    r"\[([^\[\]\n]{1,400})\]|[\u3010\uff3b\u3014]([^\u3010\u3011\uff3b\uff3d\u3014\u3015\n]{1,400})[\u3011\uff3d\u3015]"
)
_NUMBERS = re.compile(r"\s*[\^#]?\d{1,4}(?:\s*(?:[,;]|[-\u2010-\u2015])\s*[\^#]?\d{1,4})*\s*(?:\u2020.*)?")
_SEPARATOR = re.compile(r"\s*[,;]\s*")


def marker_spans(text: str, documents: Collection[str] = ()) -> list[tuple[int, int]]:
    """Return start and end of each citation marker: [1], [1, 2], [1-3], [^1], [doc:x], [x] for a document x of the case."""
    if text.isascii():
        return [match.span() for match in _SQUARE.finditer(text) if _is_citation(match[1], documents)]
    return [match.span() for match in _MARKER.finditer(text) if _is_citation(match[1] or match[2], documents)]


@lru_cache(maxsize=8)
def without_markers(text: str, documents: tuple[str, ...] = ()) -> str:
    """Return a text without its citation markers and the white space in front of each.

    The last few texts are remembered: several scorers ask for the same one in a row.
    """
    spans = marker_spans(text, documents)
    if not spans:
        return text
    pieces: list[str] = []
    position = 0
    for start, end in spans:
        pieces.append(text[position:start].rstrip(" \t"))
        position = end
    return "".join((*pieces, text[position:]))


def _is_citation(inside: str, documents: Collection[str]) -> bool:
    if _NUMBERS.fullmatch(inside) or inside.strip() in documents:
        return True
    return all(part.startswith("doc:") or part in documents for part in _SEPARATOR.split(inside.strip()))
