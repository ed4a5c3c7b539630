"""Fractions: in words behind a number (two-thirds, two and a half), as one character (½), with a slash (2/3).

A value is the quotient to 28 digits, so equal fractions are equal numbers. `two quarters` may be 2 of something as well as 2/4:
such readings are both given, the likelier first.
"""

from __future__ import annotations

import re
import unicodedata
from decimal import Decimal
from fractions import Fraction
from math import gcd

VULGAR = "\u00bc-\u00be\u2150-\u215e\u2189"
"""Inside of a character class: the characters that are a fraction."""

_NAMES = ("third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
_SINGULAR = {"half": 2, "quarter": 4, "hundredth": 100, "thousandth": 1000}
_SINGULAR |= {name: value for value, name in enumerate(_NAMES, 3)}
_PLURAL = {"halves": 2, **{f"{name}s": value for name, value in _SINGULAR.items()}}
# `second` is a unit of time far more often than a place in a row.
_ORDINALS = {"first": 1, **{name: value for value, name in enumerate(_NAMES, 3) if value < 10}}
_NAME = "|".join(sorted({*_SINGULAR, *_PLURAL, *_ORDINALS}, key=len, reverse=True))
_BEHIND = re.compile(rf"(?P<gap>[\s-]{{1,3}})(?P<name>{_NAME})\b", re.IGNORECASE)
_AND_A = re.compile(rf"[\s-]{{1,3}}and[\s-]{{1,3}}a[\s-]{{1,3}}(?P<name>{'|'.join(_SINGULAR)})\b", re.IGNORECASE)
_LARGEST = 1000


def quotient(part: Decimal | int, whole: Decimal | int) -> Decimal:
    """Return a fraction's value to 28 digits."""
    return Decimal(part) / Decimal(whole)


def vulgar_value(character: str) -> Decimal:
    """Return the value of a character that is a fraction."""
    exact = Fraction(unicodedata.numeric(character)).limit_denominator(10)
    return quotient(exact.numerator, exact.denominator)


def and_a_fraction(text: str, end: int) -> tuple[int, Decimal]:
    """Return where `and a half` behind a number ends and what it adds; the same end and 0 where there is none."""
    match = _AND_A.match(text, end)
    return (end, Decimal(0)) if match is None else (match.end(), quotient(1, _SINGULAR[match["name"].lower()]))


def fraction_in_words(text: str, end: int, value: int) -> tuple[int, tuple[Decimal, ...]]:
    """Return where a number in words ends and its readings: two-thirds, three quarters, two and a half, twenty-first."""
    stop, more = and_a_fraction(text, end)
    match = _BEHIND.match(text, end)
    if stop > end or match is None:
        return stop, (value + more,)
    name, hyphen = match["name"].lower(), "-" in match["gap"]
    if hyphen and name in _ORDINALS and 20 <= value < 100 and value % 10 == 0:
        return match.end(), (Decimal(value + _ORDINALS[name]),)
    whole = (_SINGULAR if value == 1 else _PLURAL).get(name)
    if whole is None or not 0 < value < _LARGEST:
        return end, (Decimal(value),)
    part, count = quotient(value, whole), Decimal(value)
    if hyphen:
        return match.end(), (part,)
    if value < whole and gcd(value, whole) == 1:
        return match.end(), (part, count)
    return end, (count, part)  # the word behind it is what is counted
