"""Units and magnitudes that stand beside numbers, in the forms in which answers and documents write them."""

from __future__ import annotations

import re
from collections.abc import Mapping

PERCENT = "percent"

CURRENCY_SIGNS: Mapping[str, str] = {
    "US$": "USD", "A$": "AUD", "C$": "CAD", "$": "USD", "\u20ac": "EUR", "\u00a3": "GBP", "\u00a5": "JPY", "\u20b9": "INR",
    "\u20a9": "KRW", "\uffe5": "JPY",
}  # fmt: skip
CURRENCY_CODES = (
    "USD", "EUR", "GBP", "JPY", "CNY", "CHF", "CAD", "AUD", "NZD", "INR", "SEK", "NOK", "DKK", "PLN", "CZK", "HUF", "BRL", "MXN",
    "KRW", "SGD", "HKD", "ZAR", "TRY", "ILS",
)  # fmt: skip

MONEY = frozenset({*CURRENCY_CODES, "cent"})

_NAMES: Mapping[str, tuple[str, ...]] = {
    PERCENT: ("%", "\uff05", "\u066a", "percent", "per cent", "pct", "percentage point", "percentage points"),
    "USD": ("dollar", "dollars", "us dollars"),
    "EUR": ("euro", "euros", "\u20ac"),
    "GBP": ("pounds sterling", "\u00a3"),
    "JPY": ("yen",),
    "cent": ("cent", "cents"),
    "millisecond": ("ms", "millisecond", "milliseconds"),
    "second": ("second", "seconds", "sec", "secs"),
    "minute": ("minute", "minutes", "min", "mins"),
    "hour": ("hour", "hours", "hr", "hrs"),
    "day": ("day", "days"),
    "week": ("week", "weeks", "wk", "wks"),
    "month": ("month", "months"),
    "year": ("year", "years", "yr", "yrs"),
    "KB": ("kb", "kilobytes"),
    "MB": ("mb", "megabytes"),
    "GB": ("gb", "gigabytes"),
    "TB": ("tb", "terabytes"),
    "kg": ("kg", "kilograms"),
    "mg": ("mg", "milligrams"),
    "km": ("km", "kilometres", "kilometers"),
    "cm": ("cm", "centimetres", "centimeters"),
    "mm": ("mm", "millimetres", "millimeters"),
}
_ATTACHED: Mapping[str, str] = {
    "h": "hour",
    "d": "day",
    "s": "",
    "g": "g",
    "x": "",
    "\u00d7": "",
    "px": "px",
    "pt": "pt",
}
_ORDINALS = ("st", "nd", "rd", "th")

UNITS: Mapping[str, str] = {
    **{name: unit for unit, names in _NAMES.items() for name in names},
    **{code.lower(): code for code in CURRENCY_CODES},
}
"""Lower-case name -> unit, for what may stand behind a number after a space or a hyphen."""

MAGNITUDES: Mapping[str, int] = {
    "hundred": 2, "thousand": 3, "million": 6, "mn": 6, "billion": 9, "bn": 9, "trillion": 12, "k": 3, "m": 6, "b": 9,
}  # fmt: skip
"""Name -> power of ten; the single letters only where they touch the number, `m` and `b` only as capitals."""

_QUALIFIER = r"(?:(?:business|working|calendar|consecutive|full|more|additional)[\s-]{1,3})?"
_LONG_MAGNITUDE = (
    r"(?:[\s\u00a0-]?(?P<magnitude>hundred|thousand|million|billion|trillion|mn|bn)\b|(?P<letter>[kKMB])(?![A-Za-z]))?"
)
_NAMES_PATTERN = "|".join(re.escape(name) for name in sorted(UNITS, key=len, reverse=True))
_ATTACHED_PATTERN = "|".join(sorted((*_ATTACHED, *_ORDINALS), key=len, reverse=True))
BEHIND = re.compile(
    rf"{_LONG_MAGNITUDE}(?:[\s\u00a0-]{{0,2}}{_QUALIFIER}(?P<unit>{_NAMES_PATTERN})(?![A-Za-z])"
    rf"|(?P<attached>{_ATTACHED_PATTERN})(?![A-Za-z]))?",
    re.IGNORECASE,
)
"""What stands behind a number: a magnitude, then a unit or an ordinal's ending; matches the empty text too."""


def unit_of(match: re.Match[str]) -> str:
    """Return the unit that a match of BEHIND names, or the empty text."""
    name = match["unit"]
    if name is not None:
        return UNITS[name.lower()]
    return _ATTACHED.get((match["attached"] or "").lower(), "")


def power_of(match: re.Match[str]) -> int:
    """Return the power of ten of the magnitude in a match of BEHIND; 0 where there is none."""
    name = match["magnitude"] or match["letter"]
    return MAGNITUDES[name.lower()] if name else 0
