"""Validation errors of records become faults that a person can act on.

pydantic names a value by a location in which the branches of a union stand between the real parts. Here that location is
walked along with the record's annotations (`records/locations.py`), so the field is named as it was written, a wrong value of a
union is one fault and not one per branch, and an unknown field comes with the nearest name that the record knows.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Any

from evalkit.errors import FAULTS_SHOWN, Fault, InputError
from evalkit.loading.wording import dotted, shown_message, shown_value
from evalkit.records.base import Record
from evalkit.records.locations import NO_TAG, WRONG_TAG, Location, Place, place_of

if TYPE_CHECKING:
    from pydantic import ValidationError

EXPECTATIONS: Mapping[str, str] = {
    "string_type": "text",
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "float_type": "a number",
    "bool_type": "true or false",
    "tuple_type": "a list",
    "list_type": "a list",
    "dict_type": "an object",
    "model_type": "an object",
    "finite_number": "a finite number",
}
"""pydantic's name of a type error -> what was expected, in words."""

PLAIN: Mapping[str, str] = {
    "missing": "is missing",
    NO_TAG: "is missing",
    "string_too_short": "must not be empty",
    "too_short": "must not be empty",
    "string_unicode": "is not valid Unicode: it holds half of a surrogate pair",
}
"""pydantic's name of an error -> the problem, where the value needs no repeating."""

NOT_BLANK = r"\S"
"""Pattern of a text that says something."""

BRANCHES: Mapping[str, str] = {"str": "text", "tuple": "a list", "dict": "an object", "bool": "true or false"}

BOUNDS: Mapping[str, tuple[str, str]] = {
    "greater_than": ("above", "gt"),
    "greater_than_equal": ("at least", "ge"),
    "less_than": ("below", "lt"),
    "less_than_equal": ("at most", "le"),
}


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
    entries = [(place_of(model, entry), entry) for entry in error.errors(include_url=False) if not _consequence(entry)]
    faults = []
    for place, entry in _one_per_value(entries):
        problem, remedy = _explain(place, entry, show_values=show_values)
        line = line_of(place.path)
        faults.append(Fault(file=file, line=line, field=dotted(place.path) or None, problem=problem, remedy=remedy))
    return faults


def nearest(name: str, known: Iterable[str], what: str) -> str:
    """Return a remedy for an unknown name: the nearest known one, or all of them."""
    names = list(known)
    near = difflib.get_close_matches(name, names, n=1)
    if near:
        return f"did you mean {near[0]!r}?"
    return f"known {what}: {', '.join(names)}" if names else f"there are no {what}"


Entry = Mapping[str, Any]


def _consequence(entry: Entry) -> bool:
    """Tell whether a list is called too short only because its entries are at fault."""
    return entry["type"] == "too_short" and bool(len(entry["input"]) > entry["ctx"]["actual_length"])


def _one_per_value(entries: Sequence[tuple[Place, Entry]]) -> Iterator[tuple[Place, Entry]]:
    """Yield the errors that matter: of a union, those inside the branch that was meant, or one that names all branches."""
    for union, group in groupby(entries, key=lambda pair: pair[0].union):
        found = list(group)
        if union is None:
            yield from found
            continue
        inside = [pair for pair in found if pair[1]["type"] not in EXPECTATIONS or pair[0].path != union]
        if inside:
            yield from inside
            continue
        wanted = [BRANCHES.get(place.branch, place.branch) for place, _ in found]
        place, entry = found[0]
        yield place, {**entry, "type": "union", "wanted": ", ".join(wanted[:-1]) + f" or {wanted[-1]}"}


def _explain(place: Place, entry: Entry, *, show_values: bool) -> tuple[str, str]:
    """Return a problem and its remedy."""
    kind = entry["type"]
    if kind == "extra_forbidden":
        return "unknown field", nearest(str(place.path[-1]), place.fields, "fields")
    if kind == "value_error":
        return shown_message(str(entry["ctx"]["error"])), ""
    if kind == "too_short" and entry["ctx"]["min_length"] > 1:
        return f"needs at least {entry['ctx']['min_length']} entries, got {entry['ctx']['actual_length']}", ""
    expected = _expected(entry)
    if expected:
        value = entry["ctx"]["tag"] if kind == WRONG_TAG else entry.get("input")
        return f"expected {expected}, got {shown_value(value) if show_values else 'something else'}", ""
    return PLAIN.get(kind) or shown_message(str(entry["msg"])), ""


def _expected(entry: Entry) -> str | None:
    """Return what was expected in place of the value, in words, or None where the value is not the point."""
    kind, context = entry["type"], entry.get("ctx", {})
    if kind in BOUNDS:
        word, key = BOUNDS[kind]
        return f"{word} {context[key]:g}"
    if kind == "literal_error":
        return str(context["expected"])
    if kind == WRONG_TAG:
        return f"one of {context['expected_tags']}"
    if kind == "string_pattern_mismatch":
        return "text that is not blank" if context["pattern"] == NOT_BLANK else f"text of the form {context['pattern']}"
    return EXPECTATIONS.get(kind) or entry.get("wanted")
