"""Dates and times of day in a text, in the notations that answers and documents use, as calendar values that compare.

Read are 2024-03-05, 2024/03/05, 05.03.2024, 3/5/2024, 5 March 2024, the 5th of March, March 5(th), 2024, Mar 5 and March 2024;
9:30, 17:00, 5 pm, 5:30 p.m. Where the order of day and month is open (3/5/2024) both readings are kept; what no calendar has
(31/31/2024) is no date.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple


class Day(NamedTuple):
    """A calendar date; None where the text does not say."""

    year: int | None
    month: int
    day: int | None


class Date(NamedTuple):
    """A date that a text states."""

    start: int
    end: int
    readings: tuple[Day, ...]
    """Possible readings; more than one where the order of day and month is open."""


class Time(NamedTuple):
    """A time of day that a text states."""

    start: int
    end: int
    minutes: tuple[int, ...]
    """Minutes since midnight; two readings where neither am nor pm is said and both are possible."""


_MONTH_NAMES = (
    "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december",
)  # fmt: skip
_MONTHS = {name[:length]: n for n, name in enumerate(_MONTH_NAMES, start=1) for length in (3, len(name))} | {"sept": 9}
_MONTH_NAME = "|".join(sorted(_MONTHS, key=len, reverse=True))
_MONTH = rf"(?P<month>{_MONTH_NAME})(?:\.(?=,?[\s-]{{0,3}}\d))?"
_ORDINAL = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?"
_YEAR = r"(?P<year>\d{4})(?![\d])"

_FROM_DIGIT = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"(?<!\.)(?P<year>\d{4})(?P<mark>[-/.])(?P<number>\d{1,2})(?P=mark)(?P<day>\d{1,2})(?!\d|[-/.]\d)",
        r"(?<![./-])(?P<first>\d{1,2})(?P<mark>[-/.])(?P<second>\d{1,2})(?P=mark)(?P<year>\d{4}|\d{2})(?!\d|[-/.]\d)",
        rf"\b{_ORDINAL}(?:\s{{1,3}}of)?[\s-]{{1,3}}{_MONTH}(?:,?[\s-]{{1,3}}{_YEAR})?(?![A-Za-z])",
    )
)
"""Forms that begin with the digits at which they are tried."""
_FROM_MONTH = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"{_MONTH}[\s-]{{1,3}}{_ORDINAL}(?!\d|[.:]\d|,\d{{3}}(?!\d))(?:(?:,\s{{0,3}}|[\s-]{{1,3}}){_YEAR})?(?![A-Za-z])",
        rf"{_MONTH},?\s{{1,3}}{_YEAR}",
    )
)
_MONTH_BEFORE = re.compile(rf"\b(?:{_MONTH_NAME})\.?,?[\s-]{{1,3}}\Z", re.IGNORECASE)
_LONGEST_MONTH = 16
_DIGITS = re.compile(r"\d\d*")
_CLOCK = re.compile(
    r"(?<![:.])(?P<hour>\d{1,2})(?::(?P<minute>[0-5]\d)(?::[0-5]\d(?:\.\d{1,6})?)?)?(?:\s?(?P<half>[ap])\.?m\b\.?)?(?![\d:])",
    re.IGNORECASE,
)
_DAYS_IN = (31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)


def dates(text: str) -> list[Date]:
    """Return the dates of a text in order; they do not overlap."""
    found: list[Date] = []
    taken = 0
    for digits in _DIGITS.finditer(text):
        date = _date_around(text, digits.start(), taken) if digits.start() >= taken else None
        if date is not None:
            found.append(date)
            taken = date.end
    return found


def _date_around(text: str, at: int, taken: int) -> Date | None:
    """Return the date whose first digits stand at an offset and that begins behind `taken`, or None."""
    matches = [form.match(text, at) for form in _FROM_DIGIT]
    month = _MONTH_BEFORE.search(text[max(taken, at - _LONGEST_MONTH) : at])
    if month is not None:
        start = at - (month.end() - month.start())
        matches += (form.match(text, start) for form in _FROM_MONTH)
    dates_here = [Date(*match.span(), readings) for match in matches if match and (readings := _readings(match))]
    return min(dates_here, key=lambda date: (date.start, -date.end), default=None)


def times(text: str) -> list[Time]:
    """Return the times of day of a text in order; they do not overlap."""
    found: list[Time] = []
    taken = 0
    for digits in _DIGITS.finditer(text):
        match = _CLOCK.match(text, digits.start()) if digits.start() >= taken else None
        if match is not None and (match["minute"] or match["half"]) and (minutes := tuple(_minutes(match))):
            found.append(Time(*match.span(), minutes))
            taken = match.end()
    return found


def _readings(match: re.Match[str]) -> tuple[Day, ...]:
    parts = match.groupdict()
    if parts.get("month") == "may" and not parts.get("year"):
        return ()
    year = int(parts["year"]) if parts.get("year") else None
    if year is not None and len(parts["year"]) == 2:
        year += 2000
    if "first" in parts:
        first, second = int(parts["first"]), int(parts["second"])
        orders = [(first, second)] if parts["mark"] == "." else [(first, second), (second, first)]
        return tuple(dict.fromkeys(Day(year, month, day) for day, month in orders if _exists(month, day)))
    month = int(parts["number"]) if "number" in parts else _MONTHS[parts["month"].lower()]
    day = int(parts["day"]) if parts.get("day") else None
    return (Day(year, month, day),) if _exists(month, 1 if day is None else day) else ()


def _exists(month: int, day: int) -> bool:
    return 1 <= month <= 12 and 1 <= day <= _DAYS_IN[month - 1]


def _minutes(match: re.Match[str]) -> Iterator[int]:
    hour, minute, half = int(match["hour"]), int(match["minute"] or 0), (match["half"] or "").lower()
    if half:
        if 1 <= hour <= 12:
            yield (hour % 12 + (12 if half == "p" else 0)) * 60 + minute
        return
    if hour <= 24:
        yield hour % 24 * 60 + minute
    if 1 <= hour <= 12 and not match["hour"].startswith("0"):
        yield (hour + 12) % 24 * 60 + minute
