"""Numbers in a text: figures and spelled-out numbers, with the value, the unit, and the word that is counted.

The point is the decimal mark and commas group thousands (1,200.50); 1.200,50 is read as written on the Continent, and 1.200,
which could be either, has both readings, 1.2 first. Values are decimals, exact at any size. Figures that belong to a name
(GPT-4, INV-2024-01, H2O) are no numbers.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal
from typing import NamedTuple

from evalkit.text.units import BEHIND, CURRENCY_CODES, CURRENCY_SIGNS, power_of, unit_of


class Number(NamedTuple):
    """A number that a text states."""

    start: int
    """Offset of its first character, its currency sign included."""
    end: int
    """Offset after its last character, its unit included."""
    values: tuple[Decimal, ...]
    """Possible readings, the likeliest first."""
    unit: str
    """Canonical unit (`percent`, `USD`, `day`...), or the empty text."""
    counted: str
    """The word behind it, lower case, without a plural s: what is counted, if anything."""
    spelled: bool
    """Whether it is written in words."""


_GROUP = "[,'\u2019\u00a0\u202f\u2009]"
_FIGURE = re.compile(
    rf"""(?:
      (?P<continental>\d{{1,3}}(?:\.\d{{3}}){{1,8}},\d{{1,2}})(?![\d,.]\d|\d)
    | (?P<grouped>\d{{1,3}}(?:{_GROUP}\d{{3}}){{1,12}}(?:\.\d+)?)(?!\d|,\d)
    | (?<!\d,)(?P<comma>\d+,\d{{1,2}})(?!\d|,\d|\.\d)
    | (?P<plain>\d+(?:\.\d+)?(?:[eE][+-]?\d{{1,4}}(?!\w))?|\.\d+)
    )""",
    re.VERBOSE,
)
_DIGIT = re.compile(r"\d")
_SIGNS = "|".join(re.escape(sign) for sign in sorted(CURRENCY_SIGNS, key=len, reverse=True))
_BEFORE = re.compile(
    rf"(?:(?:(?P<sign>[-\u2212])\s?)?(?P<currency>{_SIGNS}|\b(?:{'|'.join(CURRENCY_CODES)}))\s?)?(?P<minus>[-\u2212])?\Z"
)
_LOOK_BACK = 8
_NAME_BEFORE = re.compile(r"([^\W\d_]+)(?:[-_/]\w+)*[-_/\u2010-\u2013]\Z")
_ENGLISH_PREFIXES = frozenset({
    "top", "mid", "pre", "post", "sub", "under", "over", "late", "early", "net", "non", "max", "min", "upto", "from", "to", "about",
    "approx", "circa", "per",
})  # fmt: skip
_COUNTED = re.compile(r"[\s\u00a0-]{1,3}([^\W\d_]+)")

_NOT_COUNTED = frozenset({
    "a", "an", "and", "are", "as", "at", "but", "by", "each", "every", "for", "from", "if", "in", "is", "of", "on", "or", "per", "plus",
    "than", "that", "the", "to", "until", "was", "were", "when", "which", "will", "with",
})  # fmt: skip

_UNDER_TWENTY = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve", "thirteen",
    "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
)  # fmt: skip
_ONES = {word: value for value, word in enumerate(_UNDER_TWENTY)}
_TENS = {"twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90}
_POWERS = {"dozen": 12, "hundred": 100, "thousand": 1000, "million": 10**6, "billion": 10**9}
_NUMBER_WORDS = (*_ONES, *_TENS, *_POWERS)
_NUMBER_WORD = "|".join(sorted(_NUMBER_WORDS, key=len, reverse=True))
_NUMBER_BYTES = tuple(word.encode("ascii") for word in _NUMBER_WORDS)
_SPELLED = re.compile(
    rf"\b(?:{_NUMBER_WORD})(?:(?:[\s-]{{1,3}}|[\s-]{{1,3}}and\s{{1,3}})(?:{_NUMBER_WORD}))*\b(?![-\s]?\d)",
    re.IGNORECASE,
)
_WORD = re.compile(r"[a-z]+")


def numbers(text: str) -> list[Number]:
    """Return the numbers of a text in order."""
    found = list(_figures(text))
    taken = {offset for number in found for offset in range(number.start, number.end)}
    found += [number for number in _spelled(text) if number.start not in taken]
    found.sort(key=lambda number: number.start)
    return found


def figures(text: str) -> list[Number]:
    """Return the numbers of a text that are written in figures, in order."""
    return list(_figures(text))


def _matches(text: str) -> Iterator[re.Match[str]]:
    digit = _DIGIT.search(text)
    while digit:
        start = digit.start()
        before = text[start - 2 : start - 1]
        if text[start - 1 : start] == "." and not before.isalnum() and before not in (".", "_"):
            start -= 1
        match = _FIGURE.match(text, start)
        assert match is not None  # noqa: S101 - a digit is a figure at least; narrows the type
        yield match
        digit = _DIGIT.search(text, match.end())


def _figures(text: str) -> Iterator[Number]:
    for match in _matches(text):
        start, end = match.span()
        behind = BEHIND.match(text, end)
        assert behind is not None  # noqa: S101 - BEHIND matches the empty text; narrows the type
        if _belongs_to_a_name(text, start, behind):
            continue
        before = _BEFORE.search(text[max(0, start - _LOOK_BACK) : start])
        begin, unit, negative = start, unit_of(behind), False
        if before is not None:
            begin = start - (before.end() - before.start())
            negative = bool(before["sign"]) or (bool(before["minus"]) and not _is_glued(text, start - 1))
            begin += 1 if before["minus"] and not negative else 0
            sign = before["currency"]
            unit = (CURRENCY_SIGNS.get(sign, sign) if sign else "") or unit
        power = power_of(behind)
        if text[end : end + 1] == "m" and behind["attached"] is None and behind["unit"] is None:
            power = 0
        values = _readings(match, power, negative=negative)
        yield Number(begin, behind.end(), values, unit, _counted(text, behind.end()), spelled=False)


def _is_glued(text: str, at: int) -> bool:
    """Tell whether the character at an offset follows a word, as the hyphen of a range or a name does."""
    return at > 0 and (text[at - 1].isalnum() or text[at - 1] in ")_")


def _belongs_to_a_name(text: str, start: int, behind: re.Match[str]) -> bool:
    before, after = text[start - 1 : start], text[behind.end() : behind.end() + 1]
    cased = before.lower() != before.upper()
    if before == "_" or (cased and text[max(0, start - 3) : start] not in CURRENCY_CODES):
        return True
    if after == "_" or (after.isascii() and after.isalpha()):
        return True
    name = _NAME_BEFORE.search(text[max(0, start - 30) : start])
    return name is not None and name[1].lower() not in _ENGLISH_PREFIXES


def _readings(match: re.Match[str], power: int, *, negative: bool) -> tuple[Decimal, ...]:
    text = match[0]
    if match["continental"]:
        forms = [text.replace(".", "").replace(",", ".")]
    elif match["grouped"]:
        forms = [re.sub(_GROUP, "", text)]
    elif match["comma"]:
        forms = [text.replace(",", ".")]
    else:
        whole, _, fraction = text.partition(".")
        both = len(fraction) == 3 and fraction.isdecimal() and 0 < len(whole) <= 3 and not whole.startswith("0")
        forms = [text, whole + fraction] if both else [text]
    sign = "-" if negative else ""
    return tuple(_decimal(sign + form, power) for form in forms)


def _decimal(text: str, power: int) -> Decimal:
    if power and "e" not in text.lower():
        text = f"{text}e{power}"
    return Decimal(text)


def _counted(text: str, end: int) -> str:
    match = _COUNTED.match(text, end)
    if match is None:
        return ""
    word = match[1].lower()
    if word in _NOT_COUNTED:
        return ""
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word


def _spelled_matches(text: str) -> Iterator[re.Match[str]]:
    """Yield the runs of number words; they are looked up as bytes first, which is many times faster than the pattern alone."""
    raw = text.encode("ascii", "replace").lower()
    starts: set[int] = set()
    for word in _NUMBER_BYTES:
        at = raw.find(word)
        while at >= 0:
            starts.add(at)
            at = raw.find(word, at + 1)
    end = 0
    for start in sorted(starts):
        match = _SPELLED.match(text, start) if start >= end else None
        if match is not None:
            end = match.end()
            yield match


def _spelled(text: str) -> Iterator[Number]:
    for match in _spelled_matches(text):
        for start, end, value in _runs(match):
            behind = BEHIND.match(text, end)
            unit = unit_of(behind) if behind is not None and not behind["attached"] else ""
            stop = behind.end() if unit and behind is not None else end
            yield Number(start, stop, (Decimal(value),), unit, _counted(text, stop), spelled=True)


def _runs(match: re.Match[str]) -> Iterator[tuple[int, int, int]]:
    """Yield start, end and value of each number in a run of number words: "twenty-one" is one, "one two" are two."""
    total = group = 0
    room = 10**12
    start = end = -1
    for word in _WORD.finditer(match[0].lower()):
        name = word[0]
        if name == "and":
            continue
        size = _ONES.get(name, _TENS.get(name, 0))
        if name in _POWERS and start >= 0 and _POWERS[name] <= room and (_POWERS[name] > 100 or group < 100):
            total, group, room = _raised(total, group, _POWERS[name], room)
        elif name in _POWERS or start < 0 or not _fits(group, name):
            if start >= 0:
                yield match.start() + start, match.start() + end, total + group
            total, group, room, start = 0, size or _POWERS.get(name, 0), 10**12, word.start()
        else:
            group += size
        end = word.end()
    yield match.start() + start, match.start() + end, total + group


def _raised(total: int, group: int, power: int, room: int) -> tuple[int, int, int]:
    if power <= 100:
        return total, (group or 1) * power, room
    return total + (group or 1) * power, 0, power // 10


def _fits(group: int, name: str) -> bool:
    """Tell whether a number word may follow what a group of up to three digits holds."""
    if name in _TENS:
        return group % 100 == 0
    value = _ONES[name]
    return group % 100 == 0 or (group % 10 == 0 and group % 100 >= 20 and 0 < value < 10)
