"""Quarters, half-years and fiscal years in a text: `Q3 2024`, `2024-Q3`, `3Q24`, `H1 2024`, `third quarter of 2024`, `FY25`.

They are names of their own: the figures in them count nothing. `H1` and `first half` without a year are headings and halves of
anything, so they are not read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple


class Period(NamedTuple):
    """A part of a year that a text names."""

    start: int
    end: int
    kind: str
    """`Q`, `H` or `FY`."""
    number: int
    """Which quarter or half; 0 for a fiscal year."""
    year: int | None
    """None where the text does not say."""
    spelled: bool
    """Whether it is written in words."""


_MARK = re.compile(
    r"[qh][1-4]|[1-4][qh]|\bfy[\s-]?['\u2019]?\d|(?:first|second|third|fourth|1st|2nd|3rd|4th)[\s-](?:quarter|half)",
    re.IGNORECASE,
)
_LONG = r"(?:19|20)\d\d"
_YEAR = (
    rf"(?:(?:\s{{1,2}}of)?[\s,/-]{{0,3}}(?:FY|CY)?[\s-]?(?P<year>{_LONG})"
    r"|\s?(?:['\u2019]|(?:FY|CY)\s?['\u2019]?)(?P<short>\d\d))"
)
_NTH = {"first": 1, "1st": 1, "second": 2, "2nd": 2, "third": 3, "3rd": 3, "fourth": 4, "4th": 4}
_FORMS = tuple(
    re.compile(
        rf"(?:(?<![\w@.#=&/-])|(?<=\bQ[1-4][/-]))(?:{form})(?![\w@]|[.-](?!Q[1-4]\b)\w|/(?!Q[1-4]\b))", re.IGNORECASE
    )
    for form in (
        rf"(?:(?P<year>{_LONG})|FY\s?['\u2019]?(?P<short>\d\d))[\s/-]{{0,2}}(?P<kind>[QH])(?P<number>[1-4])",
        rf"(?P<kind>[QH])(?P<number>[1-4]){_YEAR}",
        r"(?P<kind>Q)(?P<number>[1-4])",
        rf"(?-i:(?P<number>[1-4])(?P<kind>[QH]))(?:{_YEAR}|(?P<glued>\d\d))",
        r"(?-i:(?P<number>[1-4])(?P<kind>Q))",
        rf"(?P<nth>{'|'.join(_NTH)})[\s-](?P<kind>quarter|half)(?:[\s-]year)?{_YEAR}",
        rf"(?P<nth>{'|'.join(_NTH)})[\s-](?P<kind>quarter)",
        rf"(?P<kind>FY)[\s-]?['\u2019]?(?:(?P<year>{_LONG})|(?P<short>\d\d))",
    )
)


def periods(text: str) -> list[Period]:
    """Return the periods of a text in order; they do not overlap."""
    if _MARK.search(text) is None:
        return []
    found: list[Period] = []
    for period in sorted(_all(text), key=lambda one: (one.start, -one.end)):
        if not found or period.start >= found[-1].end:
            found.append(period)
    return found


def _all(text: str) -> Iterator[Period]:
    for form in _FORMS:
        for match in form.finditer(text):
            parts = match.groupdict()
            kind = parts["kind"][0].upper().replace("F", "FY")
            nth = (parts.get("nth") or "").lower()
            number = _NTH[nth] if nth else int(parts.get("number") or 0)
            if kind != "H" or number <= 2:
                yield Period(*match.span(), kind, number, _year(parts), nth.isalpha())


def _year(parts: dict[str, str | None]) -> int | None:
    if parts.get("year"):
        return int(parts["year"] or 0)
    short = parts.get("short") or parts.get("glued")
    return None if short is None else 2000 + int(short)
