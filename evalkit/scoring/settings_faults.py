"""What is wrong with a scorer's settings, in this package's words and not in those of the library that validates them.

Loading says the same of whole files; there a value's line is known, here only the scorer and the setting.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from evalkit.errors import Fault
from evalkit.records.base import Record
from evalkit.records.locations import Place
from evalkit.records.mismatches import ABSENT, Entry, expected, got, mismatches
from evalkit.text.nearest import nearest
from evalkit.text.shown import dotted, shown_text, shown_value

if TYPE_CHECKING:
    from pydantic import ValidationError

_PLAIN: Mapping[str, str] = {
    **dict.fromkeys(ABSENT, "is missing"),
    "json_invalid": "a text holds half of a surrogate pair, which is no Unicode",
}
"""The library's name of an error -> the problem, where the value needs no repeating."""


def setting_faults(error: ValidationError, model: type[Record], scorer: str, file: str) -> list[Fault]:
    """Return a fault per wrong setting, its field as `scorer exact_match, numeric`."""
    faults = []
    for place, entry in mismatches(error, model):
        path = dotted(place.path)
        problem, remedy = _explained(place, entry)
        field = f"scorer {scorer}, {path}" if path else f"scorer {scorer}"
        faults.append(Fault(file=file, field=field, problem=problem, remedy=remedy))
    return faults


def _explained(place: Place, entry: Entry) -> tuple[str, str]:
    kind, context = entry["type"], entry.get("ctx") or {}
    if kind == "extra_forbidden":
        name = str(place.path[-1])
        return f"unknown setting {shown_text(name)}", nearest(name, place.fields, "settings")
    if kind in {"too_short", "string_too_short", "too_long"}:
        return _length(kind, context), ""
    wanted = expected(entry)
    if wanted:
        return f"expected {wanted}, got {shown_value(got(entry))}", ""
    return _PLAIN.get(kind) or str(entry["msg"]).removeprefix("Value error, "), ""


def _length(kind: str, context: Mapping[str, Any]) -> str:
    if kind == "too_long":
        return f"must have at most {context['max_length']} entries"
    least, what = context["min_length"], "characters" if kind == "string_too_short" else "entries"
    return "must not be empty" if least == 1 else f"must have at least {least} {what}"
