r"""Texts as cells of a CSV file that a spreadsheet opens: none is run, none is converted, each comes back as it was.

A cell that begins with `= + - @`, a tab or a line end is a formula to a spreadsheet, quoted or not (OWASP, CSV injection); one that
looks like a date, a long number or TRUE comes back as something else. Such a cell gets an apostrophe in front, and so does a text
that begins with one, so reading takes exactly one off. Plain numbers (-5, 0.25) stay numbers. Characters that cannot be seen would
hide what a cell begins with; they stand as `\u200b`, and reading leaves them so.
"""

from __future__ import annotations

import re

LARGEST_CELL = 32_767
"""Characters that a cell of the usual spreadsheets holds; they cut a longer text without a word."""

_HIDDEN = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e"
    "\u2060-\u206f\u3164\ud800-\udfff\ufeff\uffa0\ufff0-\ufffb\U000e0000-\U000e0fff]"
)
_PLAIN_NUMBER = re.compile(r"-?(?:0|[1-9]\d{0,14})(?:\.\d{0,14}[1-9])?")
_FORMULA = re.compile(r"\s*[=+\-@\uff1d\uff0b\uff0d\uff20]|[\t\r\n]")
_CONVERTED = re.compile(r"\s*\d[\d ./:,eE+-]*(?:[ap]m)?\s*|true|false", re.IGNORECASE)
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")


def shown_cell(text: str) -> str:
    r"""Return a text with its line ends as `\n` and every other character that cannot be seen as an escape."""
    return _HIDDEN.sub(_escaped, text.replace("\r\n", "\n").replace("\r", "\n"))


def _escaped(match: re.Match[str]) -> str:
    code = ord(match.group())
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def to_cell(text: str) -> str:
    """Return a text as a cell: shown, and with an apostrophe in front where a spreadsheet would run or convert it."""
    shown = shown_cell(text)
    return f"'{shown}" if _needs_mark(shown) else shown


def from_cell(cell: str) -> str:
    """Return the text of a cell; for what `to_cell` made, the text as `shown_cell` shows it."""
    rest = cell[1:]
    return rest if cell.startswith("'") and _needs_mark(rest) else cell


def _needs_mark(shown: str) -> bool:
    if shown.startswith("'"):
        return True
    if _PLAIN_NUMBER.fullmatch(shown):
        return False
    return bool(_FORMULA.match(shown) or _CONVERTED.fullmatch(shown))


def same_cell(cell: str, text: str) -> bool:
    """Tell whether a cell that went through a spreadsheet still holds a text: the same number, or the same shown text."""
    back, shown = shown_cell(from_cell(cell)), shown_cell(text)
    if back.rstrip("\n") == shown.rstrip("\n"):
        return True
    numbers = _NUMBER.fullmatch(back) and _NUMBER.fullmatch(shown)
    return bool(numbers) and float(back) == float(shown)
