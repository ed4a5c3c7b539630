"""Code in Markdown text, blanked out so that nothing in it is read as prose.

Follows CommonMark where answers do, and differs where a strict reading would hide prose: a fence that is never closed opens
nothing, a closing fence may have text behind it, indented lines are prose.
"""

from __future__ import annotations

import re

_FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})", re.MULTILINE)
_TICKS = re.compile("`+")
_INK = re.compile(r"[^\n]")


def without_code(text: str) -> str:
    """Return the text with fenced blocks and inline code turned into spaces; every other character keeps its offset."""
    return _without_inline(_without_fences(text))


def _without_fences(text: str) -> str:
    spans: list[tuple[int, int]] = []
    opening: re.Match[str] | None = None
    for fence in _FENCE.finditer(text):
        if opening is None:
            opening = fence
        elif fence[1][0] == opening[1][0] and len(fence[1]) >= len(opening[1]):
            spans.append((opening.start(), fence.end()))
            opening = None
    return _blanked(text, spans)


def _without_inline(text: str) -> str:
    runs = list(_TICKS.finditer(text))
    following: dict[int, int] = {}
    closing: list[int | None] = [None] * len(runs)
    for index in range(len(runs) - 1, -1, -1):
        length = len(runs[index][0])
        closing[index] = following.get(length)
        following[length] = index
    spans: list[tuple[int, int]] = []
    index = 0
    while index < len(runs):
        end = closing[index]
        if end is not None and "\n\n" not in text[runs[index].end() : runs[end].start()]:
            spans.append((runs[index].start(), runs[end].end()))
            index = end
        index += 1
    return _blanked(text, spans)


def _blanked(text: str, spans: list[tuple[int, int]]) -> str:
    if not spans:
        return text
    pieces: list[str] = []
    position = 0
    for start, end in spans:
        pieces += (text[position:start], _INK.sub(" ", text[start:end]))
        position = end
    return "".join((*pieces, text[position:]))
