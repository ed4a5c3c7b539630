"""Where reports are printed: terminals with and without colour, pipes, consoles that know few characters."""

from __future__ import annotations

from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from rich.console import Console


def make_console(stream: TextIO) -> Console:
    """Return a console on a stream; markup, emoji names and guessed highlights are off, so data stays data.

    NO_COLOR, TERM=dumb and FORCE_COLOR are honoured by rich.
    """
    from rich.console import Console

    return Console(file=stream, markup=False, emoji=False, highlight=False)


def escape_what_cannot_be_shown(stream: TextIO) -> None:
    """Let a console of a small character set (cp1252, ASCII) print escapes instead of failing."""
    reconfigure = getattr(stream, "reconfigure", None)
    if reconfigure is not None:
        reconfigure(errors="backslashreplace")
