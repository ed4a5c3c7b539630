"""Where claims and quotes stand in a text, in the units of the page's script: UTF-16 code units.

Verdicts count code points. A place beyond what the page shows of a text is none.
"""

from __future__ import annotations

import re

from evalkit.records.verdicts import Span
from evalkit.reporting.html.packing import TEXT_CHARS

Place = tuple[int, int]
"""Start and end, UTF-16 code units."""


def place_of(text: str, start: int, end: int) -> Place | None:
    """Return a range of code points of `text` in UTF-16 code units; None where the page does not show it."""
    if not 0 <= start < end <= min(len(text), TEXT_CHARS):
        return None
    before = _units(text[:start])
    return before, before + _units(text[start:end])


def span_place(text: str, span: Span) -> Place | None:
    """Return where a quoted span stands in its source."""
    return place_of(text, span.start, span.end)


def claim_place(text: str, claim: str, after: int = 0) -> tuple[int, int] | None:
    """Return where a claim stands word for word in an answer, as code points; white space may differ, and it may stand anywhere.

    `after` is where the last claim ended: of equal sentences each claim marks its own. A claim in the judge's words has no place.
    """
    words = claim.split()
    if not words or len(claim) > TEXT_CHARS:
        return None
    pattern = re.compile(r"\s+".join(map(re.escape, words)))
    shown = text[:TEXT_CHARS]
    found = pattern.search(shown, after) or pattern.search(shown)
    return found.span() if found else None


def _units(text: str) -> int:
    return len(text.encode("utf-16-le", "surrogatepass")) // 2
