"""Untrusted text as it is stored and as the judge sees it, with the way back from one to the other."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Alteration:
    """One place where the judge sees something else than what is stored."""

    kind: str
    """`directive_line` (a visible tag was put in front) or `invisible_character` (shown escaped)."""
    offset: int
    """Offset in the stored text, in code points."""
    original: str
    """The stored characters; empty where something was only put in front."""
    shown: str
    """What stands there instead."""


@dataclass(frozen=True, slots=True)
class ShownText:
    """A text with the alterations made before judging, in order of offset; `shown` is derived and can be undone exactly."""

    stored: str
    shown: str
    alterations: tuple[Alteration, ...] = ()

    def locate(self, quote: str) -> tuple[int, int] | None:
        """Return the offsets in the stored text of a quote's first occurrence, as stored or as shown; None if it has none.

        A quote of nothing but a tag that was put in front quotes nothing that is stored.
        """
        if not quote:
            return None
        start = self.stored.find(quote)
        if start >= 0:
            return start, start + len(quote)
        if not self.alterations:
            return None
        start = self.shown.find(quote)
        if start < 0:
            return None
        found = self._to_stored(start), self._to_stored(start + len(quote), end=True)
        return found if found[0] < found[1] else None

    def _to_stored(self, shown_offset: int, *, end: bool = False) -> int:
        """Map an offset in the shown text back; inside an alteration, to its stored start, or its stored end for an end."""
        shift = 0
        for alteration in self.alterations:
            at = alteration.offset + shift
            if shown_offset <= at:
                break
            if shown_offset < at + len(alteration.shown):
                return alteration.offset + (len(alteration.original) if end else 0)
            shift += len(alteration.shown) - len(alteration.original)
        return shown_offset - shift
