"""Personal data in a text: values whose form gives them away, with their checksums where they have one.

Names and postal addresses have no form that a pattern could know; they are not looked for. Where two kinds overlap, the one that
comes first in KINDS is taken.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Literal, NamedTuple, get_args

Kind = Literal["email", "iban", "credit_card", "ssn", "ip_address", "phone"]
KINDS: tuple[Kind, ...] = get_args(Kind)


class PersonalDatum(NamedTuple):
    """A value of a kind, and where it stands."""

    kind: Kind
    start: int
    end: int
    value: str


_PATTERNS: Mapping[Kind, re.Pattern[str]] = {
    "email": re.compile(r"(?<![\w.+-])[\w.+%'-]{1,64}@(?:[\w-]{1,63}\.){1,8}[^\W\d_]{2,24}(?![\w-]|\.\w)"),
    "iban": re.compile(r"(?<!\w)[A-Z]{2}\d{2}[ -]?(?:[A-Z0-9]{4}[ -]?){2,7}[A-Z0-9]{1,4}(?!\w)", re.IGNORECASE),
    "credit_card": re.compile(
        r"(?<![\w.-])(?:\d{13,19}|\d{4}([ -])\d{4}\1\d{4}\1\d{4}(?:\1\d{3})?|\d{4}([ -])\d{6}\2\d{4,5})(?!\w|-\d|\.\d)"
    ),
    "ssn": re.compile(r"(?<![\w-])(?!000|666|9)\d{3}-(?!00)\d{2}-(?!0000)\d{4}(?![\w-])"),
    "ip_address": re.compile(
        r"(?<![\w.:])(?:\d{1,3}(?:\.\d{1,3}){3}(?!\.?\w)|(?:[0-9A-Fa-f]{0,4}:){2,7}(?:[0-9A-Fa-f]{0,4}|\d{1,3}(?:\.\d{1,3}){3})(?![\w:]))"
    ),
    "phone": re.compile(
        r"(?<![\w+.-])(?<!\d )(?:(?:\+|00(?=[1-9]\d{0,2}[ /-]))[1-9](?:[ ()./-]{0,2}\d){7,14}"  # international
        r"|(?:1[ .-])?\([2-9]\d{2}\)[ .-]?\d{3}[ .-]?\d{4}|(?:1[ .-])?[2-9]\d{2}([ .-])\d{3}\1\d{4}"  # North America
        r"|0[1-9]\d{0,3}[ /-]\d{2,4}(?:[ /-]?\d{2,4}){1,3})(?![\w-]|\.\d)"  # with a trunk zero
    ),
}
_VERSION_BEFORE = re.compile(r"(?:\bv|\bversions?|\brelease|\bbuild)[ :]{0,2}\Z", re.IGNORECASE)
_SHORTEST_PHONE = 8


def personal_data(text: str, kinds: Collection[Kind] = KINDS) -> list[PersonalDatum]:
    """Return the personal data of a text, of the given kinds, in order; values do not overlap."""
    found: list[PersonalDatum] = []
    for kind in KINDS:
        if kind in kinds:
            found += (datum for datum in _of_kind(kind, text) if not any(_overlap(datum, earlier) for earlier in found))
    return sorted(found, key=lambda datum: datum.start)


def canonical_value(value: str) -> str:
    """Return the form in which two spellings of one value are equal: lower case, only letters, digits, @, . and :."""
    return "".join(character for character in value.casefold() if character.isalnum() or character in "@.:")


def masked(datum: PersonalDatum) -> str:
    """Return what a report may show of a value: enough to find it, too little to use it."""
    if datum.kind == "email":
        name, _, domain = datum.value.partition("@")
        return f"{name[0]}***@{domain[0]}***.{domain.rsplit('.', 1)[-1]}"
    shown = 2 if datum.kind in ("credit_card", "iban", "phone", "ssn") else 1
    ending = [character for character in datum.value if character.isalnum()][-shown:]
    return "***" + "".join(ending)


def _of_kind(kind: Kind, text: str) -> Iterator[PersonalDatum]:
    for match in _PATTERNS[kind].finditer(text):
        if kind == "ip_address" and _VERSION_BEFORE.search(text[max(0, match.start() - 10) : match.start()]):
            continue
        value = next(filter(_CHECKS[kind], _shortened(match[0])), None)
        if value is not None:
            yield PersonalDatum(kind, match.start(), match.start() + len(value), value)


def _shortened(value: str) -> Iterator[str]:
    """Yield a value, then without its last group, and so on: what stands behind a number may look like more of it."""
    yield value
    for separator in reversed([match.start() for match in re.finditer("[ -]", value)]):
        yield value[:separator]


def _overlap(one: PersonalDatum, other: PersonalDatum) -> bool:
    return one.start < other.end and other.start < one.end


def _digits(value: str) -> str:
    return "".join(character for character in value if character.isdecimal())


def is_card_number(value: str) -> bool:
    """Tell whether digits, spaces and hyphens aside, pass Luhn's check (ISO/IEC 7812-1) and are no single digit repeated."""
    digits = [int(character) for character in _digits(value)]
    doubled = [digit * 2 - 9 if digit > 4 else digit * 2 for digit in digits[-2::-2]]
    return 13 <= len(digits) <= 19 and len(set(digits)) > 1 and (sum(digits[-1::-2]) + sum(doubled)) % 10 == 0


def is_iban(value: str) -> bool:
    """Tell whether an account number, spaces and hyphens aside, passes the check of ISO 13616 (remainder 1 modulo 97)."""
    account = "".join(character for character in value.upper() if character.isalnum())
    if not 15 <= len(account) <= 34 or not account.isascii():
        return False
    return int("".join(str(int(character, 36)) for character in account[4:] + account[:4])) % 97 == 1


def _is_ip_address(value: str) -> bool:
    try:
        address = ipaddress.ip_address(value)
    except ValueError:
        return False
    # a::b is valid, and more often a name in code.
    groups = [group for group in value.split(":") if group]
    return address.version == 4 or (len(groups) >= 3 and any(character.isdigit() for character in value))


_CHECKS: Mapping[Kind, Callable[[str], bool]] = {
    "email": bool,
    "iban": is_iban,
    "credit_card": is_card_number,
    "ssn": bool,
    "ip_address": _is_ip_address,
    "phone": lambda value: len(_digits(value)) >= _SHORTEST_PHONE,
}
