"""Validation errors of records become faults that a person can act on.

The field is named as it was written (`records/locations.py`), a wrong value of a union is one fault and not one per branch
(`records/mismatches.py`), and an unknown field comes with the nearest name that the record knows.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from evalkit.errors import FAULTS_SHOWN, Fault, InputError
from evalkit.records.base import Record
from evalkit.records.locations import Location, Place
from evalkit.records.mismatches import ABSENT, Entry, expected, got, mismatches
from evalkit.text.nearest import nearest
from evalkit.text.shown import dotted, shown_message, shown_value

if TYPE_CHECKING:
    from pydantic import ValidationError

PLAIN: Mapping[str, str] = {
    **dict.fromkeys(ABSENT, "is missing"),
    "string_too_short": "must not be empty",
    "too_short": "must not be empty",
    "string_unicode": "is not valid Unicode: it holds half of a surrogate pair",
}
"""pydantic's name of an error -> the problem, where the value needs no repeating."""


_WORD = re.compile(r"'([^']+)'")


class FaultList:
    """Faults in the order in which they were found: the first 20 are kept, the rest are counted."""

    def __init__(self) -> None:
        self._kept: list[Fault] = []
        self.total = 0

    def __bool__(self) -> bool:
        return self.total > 0

    @property
    def first(self) -> tuple[Fault, ...]:
        """The first 20 faults."""
        return tuple(self._kept)

    def add(self, *faults: Fault) -> None:
        """Take faults in."""
        self._kept += faults[: FAULTS_SHOWN - len(self._kept)]
        self.total += len(faults)

    def absorb(self, error: InputError) -> None:
        """Take in the faults of an error, those that it only counted too."""
        self.add(*error.faults)
        self.total += error.total - len(error.faults)

    def raise_if_any(self) -> None:
        """Raise InputError with everything that was taken in."""
        if self.total:
            raise InputError(self._kept, self.total)


def record_faults(
    error: ValidationError,
    model: type[Record],
    file: str,
    line_of: Callable[[Location], int | None],
    *,
    show_values: bool = True,
) -> list[Fault]:
    """Return what is wrong with a value that is no `model`, a fault per field.

    `line_of` gives the physical line of a location without union branches. `show_values` is false for files in which a
    secret may have been put by mistake: then no value is repeated.
    """
    faults = []
    for place, entry in mismatches(error, model):
        problem, remedy = _explain(place, entry, show_values=show_values)
        line = line_of(place.path)
        faults.append(Fault(file=file, line=line, field=dotted(place.path) or None, problem=problem, remedy=remedy))
    return faults


def _meant(value: object, wanted: str) -> str:
    """Return the nearest of the words that a field takes; never the value itself, which may be a secret."""
    words = _WORD.findall(wanted)
    remedy = nearest(value, words, "values") if words and isinstance(value, str) else ""
    return remedy if remedy.startswith("did") else ""


def _explain(place: Place, entry: Entry, *, show_values: bool) -> tuple[str, str]:
    """Return a problem and its remedy."""
    kind = entry["type"]
    if kind == "extra_forbidden":
        return "unknown field", nearest(str(place.path[-1]), place.fields, "fields")
    if kind == "value_error":
        return shown_message(str(entry["ctx"]["error"])), ""
    if kind == "too_short" and entry["ctx"]["min_length"] > 1:
        return f"needs at least {entry['ctx']['min_length']} entries, got {entry['ctx']['actual_length']}", ""
    if kind == "too_long":
        return f"takes at most {entry['ctx']['max_length']} entries, got {entry['ctx']['actual_length']}", ""
    wanted = expected(entry)
    if wanted:
        value = shown_value(got(entry)) if show_values else "something else (not shown, it could be a key)"
        return f"expected {wanted}, got {value}", _meant(got(entry), wanted)
    return PLAIN.get(kind) or shown_message(str(entry["msg"])), ""
