"""Short quotations of an answer for the reasons that scorers give."""

from __future__ import annotations

LONGEST = 120
CUT = "\u2026"


def clipped(text: str, longest: int = LONGEST) -> str:
    """Return a text on one line, cut with an ellipsis where it is longer."""
    line = " ".join(text[: longest * 4].split())
    return line if len(line) <= longest and len(text) <= longest * 4 else line[: longest - 1] + CUT


def around(text: str, start: int, end: int, margin: int = 30) -> str:
    """Return a place in a text with what stands around it, cut at word boundaries where there are any."""
    left, right = max(0, start - margin), min(len(text), end + margin)
    if left:
        space = text.find(" ", left, start)
        left = space + 1 if space >= 0 else left
    if right < len(text):
        space = text.rfind(" ", end, right)
        right = space if space >= 0 else right
    quote = " ".join(text[left:right].split())
    return (CUT if left else "") + quote + (CUT if right < len(text) else "")
