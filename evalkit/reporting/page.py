"""Lines, blocks and columns on a console, laid out by us, so that no text of a candidate ever begins a line.

A terminal's lines are wrapped here with a hanging indent: a terminal that wrapped them itself would let padded text continue
at column 0 and pass for a line of the report. A pipe gets paragraphs of 100 cells and tables of 120 (COLUMNS sets both), a word that is
longer, a path, stays whole there, and so do the lines of an untrusted text. Plain ASCII around the data: every console can show it.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from evalkit.reporting.escape import at_word, visible

if TYPE_CHECKING:
    from rich.console import Console

MARGIN = "  | "
"""Stands before every line of a block."""
BLOCK_CHARS = 8000
"""Characters of an untrusted text in a block."""

PIPED_CELLS = 100
"""Cells of a paragraph where no terminal says how wide it is."""
PIPED_TABLE_CELLS = 120
"""Cells of a table there."""
ELLIPSIS = "..."

_GAP = 2
_LABEL_CELLS = 40
_LAST_CELLS = 18

Cells = Sequence[str]
"""The texts of one row, already made harmless; a single one is a paragraph between rows."""


class Page:
    """Prints on a console. Every text given to `line` and `columns` is harmless already; `block` makes it so."""

    def __init__(self, console: Console, *, piped: int | None = None) -> None:
        self._console = console
        fixed = console.is_terminal or os.environ.get("COLUMNS", "").isdecimal()
        self.width: int | None = max(20, console.width) if fixed else None
        """Cells of a terminal; None where nobody says how wide it is."""
        self.line_width: int | None = self.width or piped
        """Cells of a paragraph; None where paragraphs are never wrapped. `piped` is what a pipe gets."""
        self.table_width: int | None = self.width or (PIPED_TABLE_CELLS if piped else None)
        """Cells of a row of a table; None where rows are never wrapped."""

    def clear(self) -> None:
        """Begin a new screen on a terminal; elsewhere nothing happens."""
        self._console.clear()

    def cut(self, text: str, *, style: str = "", indent: int = 0) -> None:
        """Print a text on one line, cut with an ellipsis where the page, or 100 cells of a pipe, is narrower."""
        from rich.cells import cell_len, set_cell_size

        room = max(10, (self.line_width or PIPED_CELLS) - indent)
        if cell_len(text) > room:
            kept = set_cell_size(text, room - len(ELLIPSIS)).rstrip()
            follows = text[len(kept) : len(kept) + 1]
            text = (kept if follows.isspace() else at_word(f"{kept}{follows}", len(kept))) + ELLIPSIS
        self._put(" " * indent + text, style)

    def line(self, text: str = "", *, style: str = "", indent: int = 0, hanging: int = 2) -> None:
        """Print a paragraph; its further lines stand `hanging` cells further in."""
        first, *rest = self._wrapped(text, indent, indent + hanging, self.line_width)
        self._put(" " * indent + first, style)
        for more in rest:
            self._put(" " * (indent + hanging) + more, style)

    def parts(self, parts: Iterable[str], *, indent: int = 0, hanging: int = 4) -> None:
        """Print parts of one statement with `|` between them; a part that does not fit begins the next line."""
        from rich.cells import cell_len

        line = ""
        margin = indent
        for part in parts:
            joined = f"{line} | {part}" if line else part
            if line and self.line_width is not None and margin + cell_len(joined) > self.line_width:
                self.line(line, indent=margin, hanging=indent + hanging - margin)
                line, margin = part, indent + hanging
            else:
                line = joined
        self.line(line, indent=margin, hanging=indent + hanging - margin)

    def block(self, text: str, *, margin: str = MARGIN, limit: int = BLOCK_CHARS) -> None:
        """Print an untrusted text line by line behind a margin, cut with a mark where it is long."""
        for line in text[:limit].split("\n"):
            for piece in self._wrapped(visible(line.removesuffix("\r")), len(margin), len(margin), self.width):
                self._put(margin + piece)
        if len(text) > limit:
            self._put(f"{margin.rstrip(' |')} (truncated, {len(text):,} characters in all)", "dim")

    def columns(self, rows: Iterable[tuple[Cells, str]], *, indent: int = 0, label: int = _LABEL_CELLS) -> None:
        """Print rows of (cells, style) under each other; where the page is too narrow, each row as a short list that names its figures.

        A dim first row without a label is the head that names them.
        A first cell of more than `label` cells gets a line of its own. A row of one cell is a paragraph, as far in as its leading spaces say.
        """
        from rich.cells import cell_len

        kept = list(rows)
        full = [cells for cells, _ in kept if len(cells) > 1]
        widths = [max(map(cell_len, column)) for column in list(zip(*full, strict=True))[:-1]] or [0]
        widths[0] = max((w for w in map(cell_len, (cells[0] for cells in full)) if w <= label), default=0)
        start = indent + sum(widths) + _GAP * len(widths)
        last = min(_LAST_CELLS, max((cell_len(cells[-1]) for cells in full), default=0))
        narrow = self.table_width is not None and start + last > self.table_width
        head: Cells = ()
        if narrow and kept and _is_head(*kept[0]):
            head, kept = kept[0][0], kept[1:]
        for cells, style in kept:
            if len(cells) == 1:
                text = cells[0].lstrip(" ")
                self.line(text, style=style, indent=indent + len(cells[0]) - len(text))
            elif narrow:
                self._listed(cells, head, style, indent)
            else:
                self._row(cells, widths, style, indent, start)

    def _listed(self, cells: Cells, head: Cells, style: str, indent: int) -> None:
        self.line(cells[0], style=style, indent=indent)
        names = head[1:] or [""] * len(cells[1:])
        told = [f"{name} {cell}".lstrip() for name, cell in zip(names, cells[1:], strict=True) if cell]
        if head and told:
            self.parts(told, indent=indent + 4, hanging=0)
        elif told:
            self.line("   ".join(told), indent=indent + 4)

    def _row(self, cells: Cells, widths: list[int], style: str, indent: int, start: int) -> None:
        from rich.cells import cell_len, set_cell_size

        label, *middle = cells[:-1]
        if cell_len(label) > widths[0]:  # a long name gets a line of its own
            self.line(label, style=style, indent=indent)
            label = ""
        text = " " * indent + set_cell_size(label, widths[0] + _GAP)
        for cell, width in zip(middle, widths[1:], strict=True):
            text += " " * (width - cell_len(cell)) + cell + " " * _GAP
        first, *rest = self._wrapped(cells[-1], start, start, self.table_width)
        self._put((text + first).rstrip(), style)
        for more in rest:
            self._put(" " * start + more, style)

    def _wrapped(self, text: str, first: int, others: int, width: int | None) -> list[str]:
        """Return a text in pieces that fit behind `first` cells, then behind `others`."""
        if width is None:
            return [text]
        room = max(10, width - max(first, others))
        if self.width is None:
            return list(_filled(text, room))
        from rich.text import Text

        pieces = Text(text).wrap(self._console, room)
        return [piece.plain.rstrip() for piece in pieces] or [""]

    def _put(self, text: str, style: str = "") -> None:
        from rich.text import Text

        self._console.print(Text(text, style=style), soft_wrap=True)


def _is_head(cells: Cells, style: str) -> bool:
    return len(cells) > 1 and style == "dim" and not cells[0].strip()


def _filled(text: str, room: int) -> Iterator[str]:
    """Yield the lines of a text of at most `room` cells, a longer word on a line of its own."""
    from rich.cells import cell_len

    line = ""
    for word in text.split(" "):
        joined = f"{line} {word}"
        if line and cell_len(joined) > room:
            yield line.rstrip()
            line = word
        else:
            line = joined if line else word
    yield line.rstrip()
