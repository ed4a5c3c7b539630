"""What numbers, dates and times the sources of a case state, in a form that an answer's claims are looked up in."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from decimal import Decimal
from functools import lru_cache
from typing import Literal

from evalkit.records.base import Json
from evalkit.records.cases import Case
from evalkit.text.dates import Date, Day, Time, dates, times
from evalkit.text.numbers import Number, numbers
from evalkit.text.periods import Period, periods
from evalkit.text.units import MONEY, PERCENT

SourceName = Literal["context", "evidence", "input"]

BLANK = "\x00"
"""Stands for what was read already: neither a word, nor white space, nor a sign that belongs to a number."""

_COUNT = "count"
"""Unit of a number that counts things (25 seats): it covers other numbers without a unit, but neither money nor per cent."""

REMEMBERED_CHARS = 20_000
"""Longest source whose contents are remembered: cases share documents, and memory stays bounded."""

_NAME_MARK = re.compile("[/@]")
_NAME = re.compile(
    r"(?:https?://|www\.)[^\s<>\")\]]{1,400}"
    r"|[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,5}"
    r"|\b[A-Za-z][\w.-]{0,100}(?:/[\w.-]{1,100}){1,20}"
)
_UUID = re.compile(r"[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12}")
_NAME_REACH = 200
"""How far around its slash or @ a name is read."""
_DOTTED = re.compile(r"\d{1,5}(?:\.\d{1,5}){2,5}(?!\.?\w)")


@dataclass(frozen=True, slots=True)
class Stated:
    """What one text states, each thing once: names are left out, dates are not also numbers."""

    dates: list[Date]
    times: list[Time]
    periods: list[Period]
    """Quarters, half-years and fiscal years."""
    dotted: list[tuple[int, int, str]]
    """Versions and other dotted numbers: start, end, the digits."""
    numbers: list[Number]


def stated(text: str) -> Stated:
    """Return what a text states."""
    labels = periods(text)
    text = blanked(text, ((label.start, label.end) for label in labels))
    text = blanked(text, _names(text))
    days = dates(text)
    text = blanked(text, ((date.start, date.end) for date in days))
    dotted = list(_dotted(text))
    text = blanked(text, ((start, end) for start, end, _ in dotted))
    clock = times(text)
    text = blanked(text, ((time.start, time.end) for time in clock))
    return Stated(days, clock, labels, dotted, numbers(text))


_remembered = lru_cache(maxsize=256)(stated)


def _names(text: str) -> list[tuple[int, int]]:
    """Return where addresses, links, paths and UUIDs stand: figures in them are part of a name."""
    spans = [match.span() for match in _UUID.finditer(text)] if text.count("-") >= 4 else []
    end = 0
    for mark in _NAME_MARK.finditer(text):
        if mark.start() < end:
            continue
        reach = max(end, mark.start() - _NAME_REACH)
        start = max(reach, text.rfind(" ", reach, mark.start()), text.rfind("\n", reach, mark.start()))
        match = _NAME.search(text, start, mark.start() + _NAME_REACH)
        if match is not None and match.start() <= mark.start() < match.end():
            spans.append(match.span())
            end = match.end()
    return sorted(spans)


def _dotted(text: str) -> Iterator[tuple[int, int, str]]:
    for match in _DOTTED.finditer(text):
        start = match.start()
        if text[start - 1 : start] in ("v", "V"):
            start -= 1
        before = text[start - 1 : start]
        if not (before.isalnum() or before in ("_", ".")):
            yield start, match.end(), match[0]


def blanked(text: str, spans: Iterable[tuple[int, int]]) -> str:
    """Return a text with spans, in order and apart, overwritten; offsets stay."""
    pieces: list[str] = []
    position = 0
    for start, end in spans:
        pieces += (text[position:start], BLANK * (end - start))
        position = end
    return "".join((*pieces, text[position:])) if pieces else text


@dataclass(slots=True)
class Sources:
    """Everything that the sources of a case state."""

    units: dict[Decimal, set[str]] = field(default_factory=lambda: defaultdict(set))
    """Value -> the units with which it is stated; the empty text where without."""
    counted: set[str] = field(default_factory=set)
    """Words of which a source states a number."""
    days: set[Day] = field(default_factory=set)
    minutes: set[int] = field(default_factory=set)
    periods: set[tuple[str, int, int | None]] = field(default_factory=set)
    """Kind, number and year of each period."""
    dotted: set[str] = field(default_factory=set)

    def add_text(self, text: str) -> None:
        """Take what a text states."""
        found = _remembered(text) if len(text) <= REMEMBERED_CHARS else stated(text)
        for number in found.numbers:
            for value in number.values:
                self.units[value].add(number.unit or (_COUNT if number.counted else ""))
                if number.counted:
                    self.counted.add(number.counted)
        for date in found.dates:
            for day in date.readings:
                self.days.add(day)
                for part in (day.year, day.day):
                    if part is not None:
                        self.units[Decimal(part)].add("")
        for time in found.times:
            self.minutes.update(time.minutes)
            for minute in time.minutes:
                self.units[Decimal(minute // 60)].add("")
        self._add_periods(found.periods)
        self.dotted.update(digits for _, _, digits in found.dotted)

    def add_json(self, value: Json) -> None:
        """Take what a JSON value states: its numbers, and what its texts say. Keys are names, and may name a period."""
        for key in _keys(value):
            self._add_periods(periods(key.replace("_", " ")))
        for leaf in _leaves(value):
            if isinstance(leaf, str):
                self.add_text(leaf)
            else:
                exact = Decimal(leaf if isinstance(leaf, int) else repr(leaf))
                self.units[exact].add("")
                if abs(exact) <= 1:
                    self.units[exact * 100].add(PERCENT)

    def _add_periods(self, found: Iterable[Period]) -> None:
        for period in found:
            self.periods.add((period.kind, period.number, period.year))
            if period.year is not None:
                self.units[Decimal(period.year)].add("")

    def has_period(self, period: Period) -> bool:
        """Tell whether a source names a period, with its year, or without one and states the year elsewhere."""
        kind, number, year = period.kind, period.number, period.year
        stated_year = year is not None and bool(self.units.get(Decimal(year)))
        if kind == "FY":
            return stated_year
        return any(
            (kind, number) == (known, which) and (year is None or when == year or (when is None and stated_year))
            for known, which, when in self.periods
        )

    def is_claim(self, period: Period) -> bool:
        """Tell whether a period in an answer is a claim: in words and without a year only where a source names such a one too."""
        return not period.spelled or period.year is not None or any(period.kind == kind for kind, _, _ in self.periods)

    def has_number(self, number: Number) -> bool:
        """Tell whether a source states a number, with its unit, or without one where either side names none."""
        for value in number.values:
            units = self.units.get(value)
            if not units:
                continue
            if not number.unit or number.unit in units or "" in units:
                return True
            if _COUNT in units and number.unit != PERCENT and number.unit not in MONEY:
                return True
        return False

    def has_date(self, date: Date) -> bool:
        """Tell whether a source states a date, or a fuller one that includes it."""
        return any(self._has_day(day) for day in date.readings)

    def _has_day(self, day: Day) -> bool:
        return any(
            stated_day.month == day.month
            and (day.day is None or stated_day.day == day.day)
            and (
                day.year is None
                or stated_day.year == day.year
                or (stated_day.year is None and bool(self.units.get(Decimal(day.year))))
            )
            for stated_day in self.days
        )


def sources_of(case: Case, names: Iterable[SourceName]) -> Sources:
    """Return what the named sources of a case state."""
    sources = Sources()
    for name in names:
        if name == "context":
            for document in case.context:
                sources.add_text(document.text)
        elif name == "evidence":
            sources.add_json(case.evidence)
        elif isinstance(case.input, str):
            sources.add_text(case.input)
        elif isinstance(case.input, dict):
            sources.add_json(case.input)
        else:
            for message in case.input:
                sources.add_text(message.content)
    return sources


def _leaves(value: Json) -> Iterator[str | int | float]:
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, dict):
            waiting.extend(item.values())
        elif isinstance(item, list | tuple):
            waiting.extend(item)
        elif isinstance(item, str | int | float) and not isinstance(item, bool):
            yield item


def _keys(value: Json) -> Iterator[str]:
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, dict):
            yield from item
            waiting.extend(item.values())
        elif isinstance(item, list | tuple):
            waiting.extend(item)
