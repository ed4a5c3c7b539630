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
_BOUNDS: Mapping[str, tuple[str, str]] = {
    "greater_than": ("above", "gt"),
    "greater_than_equal": ("at least", "ge"),
    "less_than": ("below", "lt"),
    "less_than_equal": ("at most", "le"),
}
_BRANCHES: Mapping[str, str] = {"str": "a text", "int": "a number", "float": "a number", "bool": "true or false"}
"""A union's branch, which the library puts at the end of a place -> what it expects."""
_LONGEST = 60

_Entry = Mapping[str, Any]


def setting_faults(error: ValidationError, model: type[Record], scorer: str, file: str) -> list[Fault]:
    """Return a fault per wrong setting, its field as `scorer exact_match, numeric`."""
    faults = []
    for place, entry in _one_per_value(error.errors(include_url=False)):
        path = ".".join(_shown_text(str(part), quote=False) for part in place)
        problem, remedy = _explained(path, entry, model)
        field = f"scorer {scorer}, {path}" if path else f"scorer {scorer}"
        faults.append(Fault(file=file, field=field, problem=problem, remedy=remedy))
    return faults


def _one_per_value(entries: Sequence[Any]) -> Iterator[tuple[tuple[int | str, ...], _Entry]]:
    """Yield place and error of each value at fault; of a union, one error that names all branches."""
    for place, group in groupby(entries, key=_place):
        found = [entry for entry in group if not _consequence(entry)]
        branches = [_BRANCHES[str(entry["loc"][-1])] for entry in found if entry["loc"] != place]
        if branches:
            yield place, {**found[0], "type": "union", "expected": " or ".join(dict.fromkeys(branches))}
        else:
            yield from ((place, entry) for entry in found)


def _consequence(entry: _Entry) -> bool:
    """Tell whether a list is called too short only because its entries are at fault."""
    return entry["type"] == "too_short" and bool(len(entry["input"]) > entry["ctx"]["actual_length"])


def _place(entry: _Entry) -> tuple[int | str, ...]:
    """Return where a value stands, without the branch of a union; a key of that name has errors of another type than the branch."""
    location: tuple[int | str, ...] = entry["loc"]
    branch = str(location[-1]) if len(location) > 1 else ""
    return location[:-1] if branch in _BRANCHES and str(entry["type"]).startswith(branch) else location


def _explained(path: str, entry: _Entry, model: type[Record]) -> tuple[str, str]:
    kind, context = entry["type"], entry.get("ctx") or {}
    if kind == "extra_forbidden":
        names = [field.alias or name for name, field in model.model_fields.items()]
        near = difflib.get_close_matches(path, names, n=1)
        return (
            f"unknown setting {path!r}",
            f"did you mean {near[0]!r}?" if near else f"known settings: {', '.join(names)}",
        )
    if kind == "missing":
        return "is missing", ""
    if kind in {"too_short", "string_too_short", "too_long"}:
        return _length(kind, context), ""
    if kind == "json_invalid":
        return "a text holds half of a surrogate pair, which is no Unicode", ""
    expected = _expected(kind, entry, context)
    if expected:
        return f"expected {expected}, got {_shown(entry['input'])}", ""
    return str(entry["msg"]).removeprefix("Value error, "), ""


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
