"""How a piece of somebody's file is shown in an error: short, on one line, with everything invisible escaped."""

from __future__ import annotations

from collections.abc import Iterable

LONGEST = 60
LONGEST_MESSAGE = 300


def shown_text(text: str, *, quote: bool = True) -> str:
    """Return a text cut to 60 characters, in quotes, with control, bidi and invisible characters escaped."""
    cut = text if len(text) <= LONGEST else text[:LONGEST] + "..."
    if quote:
        return repr(cut)
    return cut if cut.isprintable() else repr(cut)[1:-1]


def shown_message(text: str) -> str:
    """Return a parser's or validator's own words, cut after a word where they take more than 300 characters."""
    line = " ".join(text.split())
    if len(line) > LONGEST_MESSAGE:
        start = line[:LONGEST_MESSAGE]
        line = (start.rpartition(" ")[0] or start) + "..."
    return line if line.isprintable() else repr(line)[1:-1]


def shown_value(value: object) -> str:
    """Return what a value is, in words, with the value itself where it is small."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int) and abs(value) >= 10**LONGEST:
        return "a number of more than 60 digits"
    if isinstance(value, int | float):
        return f"a number ({value})"
    if isinstance(value, str):
        return f"text ({shown_text(value)})"
    return "a list" if isinstance(value, list | tuple) else "an object"


def dotted(path: Iterable[int | str]) -> str:
    """Return a location as `expected.tool_calls.0.name`."""
    return ".".join(shown_text(str(part), quote=False) for part in path)
