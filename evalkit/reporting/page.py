"""Lines, blocks and columns on a console, laid out by us, so that no text of a candidate ever begins a line.

A terminal's lines are wrapped here with a hanging indent: a terminal that wrapped them itself would let padded text continue
at column 0 and pass for a line of the report. A pipe gets whole lines, for grep, unless COLUMNS is set. Plain ASCII around the
data: every console can show it.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from evalkit.reporting.escape import visible

if TYPE_CHECKING:
    from rich.console import Console

MARGIN = "  | "
"""Stands before every line of a block."""
BLOCK_CHARS = 8000
"""Characters of an untrusted text in a block."""

_GAP = 2
_LABEL_CELLS = 40
_LAST_CELLS = 18

Cells = Sequence[str]
"""The texts of one row, already made harmless."""


class Page:
    """Prints on a console. Every text given to `line` and `columns` is harmless already; `block` makes it so."""

    def __init__(self, console: Console) -> None:
        self._console = console
        fixed = console.is_terminal or os.environ.get("COLUMNS", "").isdecimal()
        self.width: int | None = max(20, console.width) if fixed else None
        """Cells of a line; None where lines are never wrapped."""

    def line(self, text: str = "", *, style: str = "", indent: int = 0, hanging: int = 2) -> None:
        """Print a paragraph; its further lines stand `hanging` cells further in."""
        first, *rest = self._wrapped(text, indent, indent + hanging)
        self._put(" " * indent + first, style)
        for more in rest:
            self._put(" " * (indent + hanging) + more, style)

    def block(self, text: str, *, margin: str = MARGIN, limit: int = BLOCK_CHARS) -> None:
        """Print an untrusted text line by line behind a margin, cut with a mark where it is long."""
        for line in text[:limit].split("\n"):
            for piece in self._wrapped(visible(line.removesuffix("\r")), len(margin), len(margin)):
                self._put(margin + piece)
        if len(text) > limit:
            self._put(f"{margin.rstrip(' |')} (truncated, {len(text):,} characters in all)", "dim")

    def columns(self, rows: Iterable[tuple[Cells, str]], *, indent: int = 0) -> None:
        """Print rows of (cells, style) under each other; where the page is too narrow, each row as a short list."""
        kept = list(rows)
        if not kept:
            return
        from rich.cells import cell_len

        widths = [max(cell_len(cells[i]) for cells, _ in kept) for i in range(len(kept[0][0]) - 1)]
        widths[0] = min(widths[0], _LABEL_CELLS)
        start = indent + sum(widths) + _GAP * len(widths)
        narrow = self.width is not None and start + _LAST_CELLS > self.width
        for cells, style in kept:
            if narrow:
                self._listed(cells, style, indent)
            else:
                self._row(cells, widths, style, indent, start)

    def _listed(self, cells: Cells, style: str, indent: int) -> None:
        self.line(cells[0], style=style, indent=indent)
        rest = "   ".join(cell for cell in cells[1:] if cell)
        if rest:
            self.line(rest, indent=indent + 4)

    def _row(self, cells: Cells, widths: list[int], style: str, indent: int, start: int) -> None:
        from rich.cells import cell_len, set_cell_size

        label, *middle = cells[:-1]
        if cell_len(label) > widths[0]:  # a long name gets a line of its own
            self.line(label, style=style, indent=indent)
            label = ""
        text = " " * indent + set_cell_size(label, widths[0] + _GAP)
        for cell, width in zip(middle, widths[1:], strict=True):
            text += " " * (width - cell_len(cell)) + cell + " " * _GAP
        first, *rest = self._wrapped(cells[-1], start, start)
        self._put((text + first).rstrip(), style)
        for more in rest:
            self._put(" " * start + more, style)

    def _wrapped(self, text: str, first: int, others: int) -> list[str]:
        """Return a text in pieces that fit behind `first` cells, then behind `others`."""
        if self.width is None:
            return [text]
        from rich.text import Text

        room = max(10, self.width - max(first, others))
        pieces = Text(text).wrap(self._console, room)
        return [piece.plain.rstrip() for piece in pieces] or [""]

    def _put(self, text: str, style: str = "") -> None:
        from rich.text import Text

        self._console.print(Text(text, style=style), soft_wrap=True)
