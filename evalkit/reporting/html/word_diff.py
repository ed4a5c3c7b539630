"""Two answers side by side, with the words that differ marked. For reading; no figure rests on it."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator
from typing import Literal, NamedTuple

MOST_WORDS = 3000
"""Words of both texts together up to which they are compared; longer ones stand beside each other unmarked."""
_WORDS = re.compile(r"\s+|\w+|[^\w\s]")

Piece = tuple[Literal["same", "changed"], str]


class WordDiff(NamedTuple):
    """Both texts in pieces."""

    first: list[Piece]
    second: list[Piece]
    compared: bool
    """False where the texts were too long to be compared."""


def word_diff(first: str, second: str) -> WordDiff:
    """Return two texts in pieces that are the same or not; the pieces of each text are that text."""
    mine, theirs = _WORDS.findall(first), _WORDS.findall(second)
    if first == second or len(mine) + len(theirs) > MOST_WORDS:
        return WordDiff([("same", first)], [("same", second)], compared=first == second)
    blocks = difflib.SequenceMatcher(None, mine, theirs, autojunk=False).get_opcodes()
    return WordDiff(
        list(_pieces((tag, mine[a:b]) for tag, a, b, _, _ in blocks)),
        list(_pieces((tag, theirs[c:d]) for tag, _, _, c, d in blocks)),
        compared=True,
    )


def _pieces(blocks: Iterator[tuple[str, list[str]]]) -> Iterator[Piece]:
    for tag, words in blocks:
        if words:
            yield "same" if tag == "equal" else "changed", "".join(words)
