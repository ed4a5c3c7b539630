"""Untrusted text on its way to the judge: directive-like lines are tagged, invisible characters are shown, nothing is deleted.

Every alteration is logged with its offset and can be undone exactly; a text in which nothing had to be altered reaches the
judge byte for byte. What counts as directive-like is in `directives`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from functools import lru_cache
from itertools import pairwise

from evalkit.judging.directives import INVISIBLE, directive_offsets, holds_invisible
from evalkit.records.texts import Alteration, ShownText

PREPROCESSING_VERSION = "2"
"""Changes whenever a text could be shown differently; part of judge_config_hash."""

DIRECTIVE_TAG = "[directive-like line, quoted as data] "


REMEMBERED_CHARS = 20_000
"""Longest text that is remembered: documents come back in many cases, and each case once per rubric."""


def show(text: str) -> ShownText:
    """Return a text with what the judge will see instead of it and how to get back."""
    return _remembered(text) if len(text) <= REMEMBERED_CHARS else _show(text)


def _show(text: str) -> ShownText:
    tagged = list(_directive_lines(text))
    invisible = _invisible(text, {alteration.offset for alteration in tagged})
    alterations = sorted([*tagged, *invisible], key=lambda a: (a.offset, bool(a.original)))
    if not alterations:
        return ShownText(text, text)
    pieces, position = [], 0
    for alteration in alterations:
        pieces.append(text[position : alteration.offset])
        pieces.append(alteration.shown)
        position = alteration.offset + len(alteration.original)
    pieces.append(text[position:])
    return ShownText(text, "".join(pieces), tuple(alterations))


_remembered = lru_cache(maxsize=512)(_show)


def _invisible(text: str, lines: Collection[int]) -> Iterator[Alteration]:
    """Yield runs of invisible characters; a run is cut where a tagged line begins in it, for some of them end lines."""
    if not holds_invisible(text):
        return
    for match in INVISIBLE.finditer(text):
        start, end = match.span()
        cuts = [start, *(at for at in range(start + 1, end) if at in lines), end] if lines else [start, end]
        for begin, after in pairwise(cuts):
            original = text[begin:after]
            shown = "".join(f"\\u{{{ord(character):04X}}}" for character in original)
            yield Alteration(kind="invisible_character", offset=begin, original=original, shown=shown)


def _directive_lines(text: str) -> Iterator[Alteration]:
    for offset in directive_offsets(text):
        yield Alteration(kind="directive_line", offset=offset, original="", shown=DIRECTIVE_TAG)
