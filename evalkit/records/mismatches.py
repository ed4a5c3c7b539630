"""What a validation error says of a value that is no record: one entry per wrong value, and what was expected, in words.

pydantic reports each branch of a union on its own; here a wrong value of a union is one entry that names what all branches take, or
the errors inside the branch that was meant.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Any

from evalkit.records.base import Record
from evalkit.records.locations import NO_TAG, WRONG_TAG, Place, place_of

if TYPE_CHECKING:
    from pydantic import ValidationError

Entry = Mapping[str, Any]
"""One of pydantic's errors, or one of type `union`, whose `expected` says what its branches take."""

EXPECTED: Mapping[str, str] = {
    "string_type": "text",
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "float_type": "a number",
    "finite_number": "a finite number",
    "bool_type": "true or false",
    "tuple_type": "a list",
    "list_type": "a list",
    "dict_type": "an object",
    "model_type": "an object",
}
"""pydantic's name of a type error -> what was expected."""
BRANCHES: Mapping[str, str] = {
    "str": "text",
    "int": "a number",
    "float": "a number",
    "bool": "true or false",
    "tuple": "a list",
    "dict": "an object",
}
"""A union's branch -> what it takes."""
BOUNDS: Mapping[str, tuple[str, str]] = {
    "greater_than": ("above", "gt"),
    "greater_than_equal": ("at least", "ge"),
    "less_than": ("below", "lt"),
    "less_than_equal": ("at most", "le"),
}
"""pydantic's name of an error -> its word, and where its context has the bound."""
ABSENT = frozenset({"missing", NO_TAG})
"""pydantic's names of a value that is not there."""
NOT_BLANK = r"\S"
"""Pattern of a text that says something."""


def mismatches(error: ValidationError, model: type[Record]) -> Iterator[tuple[Place, Entry]]:
    """Yield each value that is no `model`'s, with its place; not a list that is too short only because its entries are at fault."""
    entries = [(place_of(model, entry), entry) for entry in error.errors(include_url=False) if not _consequence(entry)]
    for union, group in groupby(entries, key=lambda pair: pair[0].union):
        found = list(group)
        yield from found if union is None else _of_union(found)


def _consequence(entry: Entry) -> bool:
    return entry["type"] == "too_short" and bool(len(entry["input"]) > entry["ctx"]["actual_length"])


def _of_union(found: Sequence[tuple[Place, Entry]]) -> Sequence[tuple[Place, Entry]]:
    inside = [(place, entry) for place, entry in found if entry["type"] not in EXPECTED or place.path != place.union]
    if inside:
        return inside
    *others, last = dict.fromkeys(BRANCHES.get(place.branch, place.branch) for place, _ in found)
    place, entry = found[0]
    return [(place, {**entry, "type": "union", "expected": f"{', '.join(others)} or {last}" if others else last})]


def expected(entry: Entry) -> str | None:
    """Return what was expected in place of a value, in words; None where the value is not the point."""
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
    return EXPECTED.get(kind) or entry.get("expected")


def got(entry: Entry) -> Any:
    """Return the value that stands in the place of what was expected: of a wrong tag the tag."""
    return entry["ctx"]["tag"] if entry["type"] == WRONG_TAG else entry.get("input")
