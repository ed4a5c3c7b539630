"""Units that the floor judge knows: what a figure measures, in one spelling, and how two figures of one value compare.

A measure is time, storage, money or a percentage. Any other word after a number is what it counts ("50 seats"), and no unit:
the number may as well stand before a verb ("version 3 applies").
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple


class Figure(NamedTuple):
    """A number and what it counts."""

    value: str
    unit: str
    """`%`, a currency sign, a unit of time or storage, the same after a stroke for a rate ("/minut"), or the stem of what is
    counted; empty where there is none."""


_SPELLINGS = {
    "second": "second seconds sec secs",
    "minut": "minute minutes min mins",
    "hour": "hour hours hr hrs",
    "day": "day days",
    "week": "week weeks",
    "month": "month months",
    "year": "year years yr yrs",
    "byt": "byte bytes",
    "kb": "kb kilobyte kilobytes kib",
    "mb": "mb megabyte megabytes mib",
    "gb": "gb gigabyte gigabytes gib",
    "tb": "tb terabyte terabytes tib",
    "%": "percent",
    "$": "usd dollar dollars",
    "€": "eur euro euros",
    "£": "gbp",
    "¥": "jpy yen",
}
UNITS = {word: unit for unit, words in _SPELLINGS.items() for word in words.split()}
"""From a lower-case word to its unit."""
MEASURES = frozenset(_SPELLINGS)
TIMES = frozenset(("second", "minut", "hour", "day", "week", "month", "year"))
RATE = "/"


def is_measure(unit: str) -> bool:
    """Tell whether a unit is one of measure, or a rate."""
    return unit in MEASURES or unit.startswith(RATE)


def other_measure(figure: Figure, found: Iterable[Figure]) -> str | None:
    """Return the measure in which a figure's value stands in `found`, where it stands there in none but other ones, else None."""
    if not is_measure(figure.unit):
        return None
    rate = figure.unit.startswith(RATE)
    units = [
        f.unit for f in found if f.value == figure.value and is_measure(f.unit) and f.unit.startswith(RATE) is rate
    ]
    return None if not units or figure.unit in units else min(units)
