"""The normal form in which short answers are compared: SQuAD's rules, widened where they join what differs.

SQuAD (Rajpurkar et al. 2016, evaluate-v1.1.py): lower case, punctuation deleted, the words a, an, the deleted, white space
collapsed. Four departures, each because the rule as it stands makes different answers equal or equal answers different:

- punctuation between two digits stays (3.14 is not 314, 1/2 is not 12), and so do a minus sign and a decimal point in front of
  a number; commas that group thousands go (1,200 equals 1200);
- punctuation, currency signs and invisible characters are those of Unicode, not of ASCII; case is folded (STRASSE equals
  straße);
- the text is brought to NFKC or NFC first, with exponents and vulgar fractions kept apart from the number before them;
- where the rules leave nothing of either text ("A" and "The" are articles), a gentler level compares them: articles kept,
  then punctuation kept.

Most answers are ASCII, or are so once curly quotes are straight; they take a path of a few C calls. The words of short texts
are remembered for as long as two scorers look at the same case.
"""

from __future__ import annotations

import re
import string
import unicodedata
from functools import lru_cache
from typing import Literal

UnicodeForm = Literal["NFC", "NFKC"]
Words = tuple[str, ...]

ARTICLES = frozenset({"a", "an", "the"})
REMEMBERED_CHARS = 20_000
"""Longest text whose words are remembered; longer ones are normalised each time, so memory stays bounded."""

_PUNCTUATION = string.punctuation.encode("ascii")
_LOWER = bytes(range(256)).lower()
_SHAPE = bytes(
    ord("0" if chr(b).isdigit() else "-" if chr(b) == "-" else "." if chr(b) in string.punctuation else "x")
    for b in range(128)
) + bytes(128)
# [0-9][0-9]* and not [0-9]+: a pattern that begins with a set is searched for several times faster.
_NUMBER = re.compile(r"(\d\d*(?:[^\w\s]\d+)*(?:[eE][+-]\d+)?)")
_GROUPED = re.compile(r"\d{1,3}(?:,\d{3})+(?!,?\d)")
_LEAD = re.compile(r"(?:^|[^\w.,-])(-?\.?)\Z")
_PLAIN = {
    **dict.fromkeys("\u2018\u2019\u201b\u2032\u00b4\u02bc\u02b9\uff07", "'"),
    **dict.fromkeys("\u201c\u201d\u201e\u201f\u00ab\u00bb\u2033", '"'),
    "\u2212": "-",
}
_PLAIN_CATEGORIES = {"Cf": "", "Pd": "-"}
_DELETED_CATEGORIES = frozenset({"Pc", "Pd", "Ps", "Pe", "Pi", "Pf", "Po", "Sc", "Cf"})
_INVISIBLE_CATEGORIES = frozenset({"Cc", "Cf", "Zs", "Zl", "Zp"})
_INVISIBLE = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0000-\U000e0fff]"
)
"""Unicode's default ignorable characters of other categories (fillers, variation selectors), and the blank Braille cell."""


def is_blank(text: str) -> bool:
    """Tell whether a text shows nothing: empty, or only white space, control and other invisible characters.

    Reads up to the first visible character; most texts begin with one.
    """
    if "!" <= text[:1] <= "~":
        return False
    return all(map(_is_invisible, text))


@lru_cache(maxsize=4096)
def _is_invisible(character: str) -> bool:
    return unicodedata.category(character) in _INVISIBLE_CATEGORIES or _INVISIBLE.match(character) is not None


def words(text: str, form: UnicodeForm = "NFKC") -> Words:
    """Return the words of a text in normal form; empty where articles and punctuation are all there is."""
    if len(text) > REMEMBERED_CHARS:
        return _words(text, form)
    return _remembered_words(text, form)


def comparable_words(text: str, other: str, form: UnicodeForm = "NFKC") -> tuple[Words, Words]:
    """Return two texts' words at the first level that leaves something of either: the normal form, articles kept, all kept."""
    mine, yours = words(text, form), words(other, form)
    if mine or yours:
        return mine, yours
    mine, yours = tuple(_stripped(text, form)), tuple(_stripped(other, form))
    if mine or yours:
        return mine, yours
    return tuple(fold(text, form).split()), tuple(fold(other, form).split())


def fold(text: str, form: UnicodeForm = "NFKC") -> str:
    """Return a text as `plain` gives it, case-folded."""
    text = plain(text, form)
    return text.lower() if text.isascii() else unicodedata.normalize(form, text.casefold())


def plain(text: str, form: UnicodeForm = "NFKC") -> str:
    """Return a text in a Unicode form, with straight quotes and plain hyphens, without invisible characters."""
    if text.isascii():
        return text
    for character in set(text):
        if character > "\x7f":
            stands_for = _plain(character, form)
            if stands_for != character:
                text = text.replace(character, stands_for)
    return text if text.isascii() else unicodedata.normalize(form, text)


@lru_cache(maxsize=4096)
def _plain(character: str, form: UnicodeForm) -> str:
    """Return what stands for a character before the text is normalised as a whole; mostly itself."""
    category = unicodedata.category(character)
    if character in _PLAIN:
        return _PLAIN[character]
    if category in _PLAIN_CATEGORIES:
        return _PLAIN_CATEGORIES[category]
    compatible = unicodedata.normalize(form, character)
    if category == "No" and compatible.isascii():
        name = unicodedata.name(character, "")
        return f"^{compatible}" if "SUPERSCRIPT" in name else compatible if "SUBSCRIPT" in name else f" {compatible} "
    if "\u2044" in compatible:
        return " " + compatible.replace("\u2044", "/")
    return compatible if compatible.isascii() and compatible.strip() else character


def _words(text: str, form: UnicodeForm) -> Words:
    return tuple([word for word in _stripped(text, form) if word not in ARTICLES])


_remembered_words = lru_cache(maxsize=32)(_words)


def _stripped(text: str, form: UnicodeForm) -> list[str]:
    """Return the words of a text, case-folded and without punctuation, articles kept."""
    ascii_only = text.isascii()
    if not ascii_only:
        text = fold(text, form)
        ascii_only = text.isascii()
    raw = text.encode("ascii", "replace")
    if _may_hold_numbers(raw):
        return _stripped_around_numbers(text)
    return (_without_ascii_punctuation(raw) if ascii_only else _without_punctuation(text)).split()


def _may_hold_numbers(raw: bytes) -> bool:
    """Tell whether a text may hold a number with a sign or a point that stays."""
    shape = raw.translate(_SHAPE)
    if b"0" in shape and (b"0.0" in shape or b"0-0" in shape or b"-0" in shape):
        return True
    return raw[:1] == b"." or b" ." in raw


def _stripped_around_numbers(text: str) -> list[str]:
    parts = _NUMBER.split(text)
    for index in range(1, len(parts), 2):
        lead = _LEAD.search(parts[index - 1][-3:])
        sign = lead.group(1).replace(".", "0.") if lead else ""
        parts[index - 1] = _without_punctuation(parts[index - 1])
        parts[index] = sign + _number(parts[index])
    parts[-1] = _without_punctuation(parts[-1])
    return "".join(parts).split()


def _without_ascii_punctuation(raw: bytes) -> str:
    return raw.translate(_LOWER, _PUNCTUATION).decode("ascii")


def _without_punctuation(text: str) -> str:
    if text.isascii():
        return _without_ascii_punctuation(text.encode("ascii"))
    for character in set(text):
        if not character.isalnum() and _is_deleted(character):
            text = text.replace(character, "")
    return text


@lru_cache(maxsize=4096)
def _is_deleted(character: str) -> bool:
    return character in string.punctuation or unicodedata.category(character) in _DELETED_CATEGORIES


def _number(text: str) -> str:
    """Return a number as compared: thousands commas gone, every other sign in it kept."""
    return text.lower().replace(",", "") if _GROUPED.match(text) else text.lower()
