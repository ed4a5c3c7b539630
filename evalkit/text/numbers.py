"""Numbers in a text: figures and spelled-out numbers, with the value, the unit, and the word that is counted.

The point is the decimal mark and commas group thousands (1,200.50); 1.200,50 is read as written on the Continent, and 1.200,
which could be either, has both readings, 1.2 first. Values are decimals, exact at any size, fractions to 28 digits (`fractions`).
`minus 5` and `negative five` are below zero; `10 minus 5` is two numbers. Figures that belong to a name (GPT-4, INV-2024-01,
H2O) are no numbers.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from decimal import Decimal
from typing import NamedTuple

from evalkit.text.fractions import VULGAR, and_a_fraction, fraction_in_words, quotient, vulgar_value
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
    | (?=[{VULGAR}])
    )(?P<vulgar>\s?[{VULGAR}])?""",
    re.VERBOSE,
)
_DIGIT = re.compile(rf"[\d{VULGAR}]")
_SIGNS = "|".join(re.escape(sign) for sign in sorted(CURRENCY_SIGNS, key=len, reverse=True))
_BEFORE = re.compile(
    rf"(?:(?:(?P<sign>[-\u2212])\s?)?(?P<currency>{_SIGNS}|\b(?:{'|'.join(CURRENCY_CODES)}))\s?)?(?P<minus>[-\u2212])?\Z"
)
_LOOK_BACK = 8
_BELOW_ZERO = re.compile(r"\b(minus|negative)[\s-]{1,2}\Z", re.IGNORECASE)
_LONGEST_SIGN = 11
_WORD_BEFORE = re.compile(r"([^\W\d_]+)\s*\Z")
_SIGN_FOLLOWS = frozenset({
    "a", "about", "above", "and", "answer", "approximately", "are", "around", "as", "at", "be", "becomes", "below", "between", "by",
    "equal", "equals", "exactly", "from", "get", "gets", "gives", "in", "is", "makes", "of", "or", "reached", "reaches", "roughly", "s",
    "than", "the", "to", "was", "were", "with", "yes", "yields",
})  # fmt: skip
"""Words behind which `minus` is a sign; behind others, as behind a number, something is subtracted."""
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
    return _sums(text, found)


def figures(text: str) -> list[Number]:
    """Return the numbers of a text that are written in figures, in order."""
    return list(_figures(text))


def with_slashes(text: str, found: Iterable[Number]) -> list[Number]:
    """Return numbers of a text with 2/3 and 1 1/2 as one number each; 3/5/2024 is none."""
    joined: list[Number] = []
    for number in found:
        if joined and _is_fraction(text, joined[-1], number):
            part = joined.pop()
            value = quotient(part.values[0], number.values[0])
            number = number._replace(start=part.start, values=(value,))  # noqa: PLW2901 - the fraction stands in its place
            if joined and abs(value) < 1 and _is_whole(joined[-1]) and text[joined[-1].end : part.start].isspace():
                whole = joined.pop()
                more = value.copy_sign(whole.values[0])
                number = number._replace(start=whole.start, values=(whole.values[0] + more,))  # noqa: PLW2901 - as above
        joined.append(number)
    return joined


def _is_fraction(text: str, part: Number, whole: Number) -> bool:
    return (
        text[part.end : whole.start] in {"/", "\u2044"}
        and _is_whole(part)
        and whole.values[0] > 0
        and whole.values[0] == whole.values[0].to_integral_value()
        and not text.startswith("/", whole.end)
        and text[part.start - 1 : part.start] != "/"
    )


def _is_whole(number: Number) -> bool:
    return not number.unit and number.values[0] == number.values[0].to_integral_value()


def _sums(text: str, found: Iterable[Number]) -> list[Number]:
    """Join a whole number with the fraction in words behind it: two and two-thirds."""
    joined: list[Number] = []
    for number in found:
        if number.spelled and joined and 0 < number.values[0] < 1 and _is_whole(joined[-1]):
            before = joined[-1]
            if text[before.end : number.start].strip().lower() == "and":
                joined[-1] = number._replace(start=before.start, values=(before.values[0] + number.values[0],))
                continue
        joined.append(number)
    return joined


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
        end, more = (end, vulgar_value(match["vulgar"][-1])) if match["vulgar"] else and_a_fraction(text, end)
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
        if not negative and (sign_at := _sign_before(text, begin)) is not None:
            begin, negative = sign_at, True
        power = power_of(behind)
        if text[end : end + 1] == "m" and behind["attached"] is None and behind["unit"] is None:
            power = 0
        values = _readings(match, power, more, negative=negative)
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


def _sign_before(text: str, start: int) -> int | None:
    """Return where the word stands that puts a number below zero, or None: `is minus 5`, but neither `10 minus 5` nor `price minus 5`."""
    sign = _BELOW_ZERO.search(text[max(0, start - _LONGEST_SIGN) : start])
    if sign is None:
        return None
    at = start - (sign.end() - sign.start())
    before = text[max(0, at - 20) : at].rstrip()
    word = _WORD_BEFORE.search(before)
    unary = word[1].lower() in _SIGN_FOLLOWS if word else not (before[-1:].isalnum() or before[-1:] in {")", "]", "%"})
    return at if unary or sign[1].lower() == "negative" else None


def _readings(match: re.Match[str], power: int, more: Decimal, *, negative: bool) -> tuple[Decimal, ...]:
    """Return the possible values of a figure; `more` is the fraction behind it."""
    text = match[0].removesuffix(match["vulgar"] or "") or "0"
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
    if not more:
        return tuple(_decimal(sign + form, power) for form in forms)
    added = more.scaleb(power).copy_sign(Decimal(sign + "1"))
    return tuple(_decimal(sign + form, power) + added for form in forms)


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
        for start, words_end, value in _runs(match):
            end, values = fraction_in_words(text, words_end, value)
            sign_at = _sign_before(text, start)
            if sign_at is not None:
                values = tuple(-reading for reading in values)
            behind = BEHIND.match(text, end)
            unit = unit_of(behind) if behind is not None and not behind["attached"] else ""
            stop = behind.end() if unit and behind is not None else end
            begin = start if sign_at is None else sign_at
            yield Number(begin, stop, values, unit, _counted(text, stop), spelled=True)


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
