"""What is wrong with a scorer's settings, in this package's words and not in those of the library that validates them.

Loading says the same of whole files; there a value's line is known, here only the scorer and the setting.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Any

from evalkit.errors import Fault
from evalkit.records.base import Json, Record
from evalkit.records.locations import NO_TAG, WRONG_TAG, Place, place_of

if TYPE_CHECKING:
    from pydantic import ValidationError

_EXPECTED: Mapping[str, str] = {
    "string_type": "a text",
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
"""The library's name of a type error -> what was expected."""
_PLAIN: Mapping[str, str] = {
    "missing": "is missing",
    NO_TAG: "is missing",
    "json_invalid": "a text holds half of a surrogate pair, which is no Unicode",
}
"""The library's name of an error -> the problem, where the value needs no repeating."""
_BOUNDS: Mapping[str, tuple[str, str]] = {
    "greater_than": ("above", "gt"),
    "greater_than_equal": ("at least", "ge"),
    "less_than": ("below", "lt"),
    "less_than_equal": ("at most", "le"),
}
_BRANCHES: Mapping[str, str] = {
    "str": "a text",
    "int": "a number",
    "float": "a number",
    "bool": "true or false",
    "tuple": "a list",
    "dict": "an object",
}
"""A union's branch -> what it expects."""
_LONGEST = 60

_Entry = Mapping[str, Any]


def setting_faults(error: ValidationError, model: type[Record], scorer: str, file: str) -> list[Fault]:
    """Return a fault per wrong setting, its field as `scorer exact_match, numeric`."""
    found = [(place_of(model, entry), entry) for entry in error.errors(include_url=False) if not _consequence(entry)]
    faults = []
    for place, entry in _one_per_value(found):
        path = ".".join(_shown_text(str(part), quote=False) for part in place.path)
        problem, remedy = _explained(place, entry)
        field = f"scorer {scorer}, {path}" if path else f"scorer {scorer}"
        faults.append(Fault(file=file, field=field, problem=problem, remedy=remedy))
    return faults


def _one_per_value(entries: Sequence[tuple[Place, _Entry]]) -> Iterator[tuple[Place, _Entry]]:
    """Yield the errors that matter: of a union, those inside the branch that was meant, or one that names all branches."""
    for union, group in groupby(entries, key=lambda pair: pair[0].union):
        found = list(group)
        inside = [pair for pair in found if pair[0].path != union or pair[1]["type"] not in _EXPECTED]
        if inside:
            yield from inside
            continue
        branches = dict.fromkeys(_BRANCHES.get(place.branch, place.branch) for place, _ in found)
        place, entry = found[0]
        yield place, {**entry, "type": "union", "expected": " or ".join(branches)}


def _consequence(entry: _Entry) -> bool:
    """Tell whether a list is called too short only because its entries are at fault."""
    return entry["type"] == "too_short" and bool(len(entry["input"]) > entry["ctx"]["actual_length"])


def _explained(place: Place, entry: _Entry) -> tuple[str, str]:
    kind, context = entry["type"], entry.get("ctx") or {}
    if kind == "extra_forbidden":
        name = str(place.path[-1])
        near = difflib.get_close_matches(name, place.fields, n=1)
        remedy = f"did you mean {near[0]!r}?" if near else f"known settings: {', '.join(place.fields)}"
        return f"unknown setting {_shown_text(name)}", remedy
    if kind in {"too_short", "string_too_short", "too_long"}:
        return _length(kind, context), ""
    expected = _expected(kind, entry, context)
    if expected:
        return f"expected {expected}, got {_shown(context['tag'] if kind == WRONG_TAG else entry['input'])}", ""
    return _PLAIN.get(kind) or str(entry["msg"]).removeprefix("Value error, "), ""


def _length(kind: str, context: Mapping[str, Any]) -> str:
    if kind == "too_long":
        return f"must have at most {context['max_length']} entries"
    least, what = context["min_length"], "characters" if kind == "string_too_short" else "entries"
    return "must not be empty" if least == 1 else f"must have at least {least} {what}"


def _expected(kind: str, entry: _Entry, context: Mapping[str, Any]) -> str:
    if kind in _BOUNDS:
        word, key = _BOUNDS[kind]
        return f"{word} {context[key]:g}"
    if kind == "literal_error":
        return str(context["expected"])
    if kind == WRONG_TAG:
        return f"one of {context['expected_tags']}"
    if kind == "string_pattern_mismatch" and context["pattern"] == r"\S":
        return "a text that is not blank"
    return _EXPECTED.get(kind) or str(entry.get("expected", ""))


def _shown(value: Json) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int) and abs(value) >= 10**_LONGEST:
        return f"a number of more than {_LONGEST} digits"
    if isinstance(value, int | float):
        return f"a number ({value})"
    if isinstance(value, str):
        return f"a text ({_shown_text(value)})"
    return "a list" if isinstance(value, list | tuple) else "an object"


def _shown_text(text: str, *, quote: bool = True) -> str:
    cut = text if len(text) <= _LONGEST else text[:_LONGEST] + "..."
    return repr(cut) if quote else cut if cut.isprintable() else repr(cut)[1:-1]
