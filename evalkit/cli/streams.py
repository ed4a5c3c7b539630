"""What goes where: results on stdout, as text or as one JSON document; notes and progress on stderr."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING

from evalkit.records.base import Json

if TYPE_CHECKING:
    from evalkit.reporting.page import Page


def out() -> Page:
    """Return a page on stdout; a pipe gets paragraphs of 100 cells."""
    from evalkit.reporting.console import make_console
    from evalkit.reporting.page import PIPED_CELLS, Page

    return Page(make_console(sys.stdout), piped=PIPED_CELLS)


def note_all(notes: Iterable[str]) -> None:
    """Print notes on stderr, each on a line."""
    from evalkit.reporting.escape import one_line

    for note in notes:
        sys.stderr.write(f"note: {one_line(note, 1000)}\n")


def print_json(value: Json) -> None:
    """Print one JSON document: strict, UTF-8 where the console can, every character shown."""
    from evalkit.runstore.files import json_text

    text = json_text(value, indent=2)
    encoding = (getattr(sys.stdout, "encoding", None) or "ascii").lower().replace("-", "")
    if encoding != "utf8" and not text.isascii():  # a console's own escapes (\xe9) are not JSON's
        import json

        text = json.dumps(json.loads(text), indent=2)
    sys.stdout.write(text + "\n")
