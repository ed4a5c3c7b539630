r"""Strict JSON, for the lines where two readers could differ, and a way for lone surrogates through a reader that refuses them.

Strict means: no key twice in one object, no NaN or Infinity, no number that a reader would round or cannot hold. Half of a
surrogate pair (`"\ud835"`) is odd but legal, and texts that models wrote hold it; pydantic's JSON reader refuses it, so
it travels as two private characters. The coding is a bijection: the first private character stands for itself when doubled.
"""

from __future__ import annotations

import json
import re
from typing import Any, TypeVar

from evalkit.records.base import Json, Record
from evalkit.text.shown import shown_text

R = TypeVar("R", bound=Record)

LARGEST_EXACT = 2**53
"""From here on a float no longer holds every whole number."""

_ESCAPE = "\U000f0000"
_SHIFT = 0xF1000 - 0xD800
_TO_CARRY = re.compile(f"[\ud800-\udfff{_ESCAPE}]")
_CARRIED = re.compile(f"{_ESCAPE}(.)", re.DOTALL)


class NotStrictError(ValueError):
    """A JSON text that two readers would read differently, or that is no JSON; `field` is the key at fault, if any."""

    def __init__(self, problem: str, field: str | None = None) -> None:
        super().__init__(problem)
        self.field = field


def strict_value(text: str) -> Json:
    """Return the value of a JSON text. Raises NotStrictError in words for a person."""
    try:
        return json.loads(
            text, object_pairs_hook=_object, parse_constant=_no_constant, parse_float=_float, parse_int=_int
        )
    except json.JSONDecodeError as error:
        problem = f"is not valid JSON: {error.msg[:1].lower()}{error.msg[1:]}, column {error.pos + 1}"
        raise NotStrictError(problem) from None
    except RecursionError:
        raise NotStrictError("is nested too deeply") from None


def _object(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    value = dict(pairs)
    if len(value) != len(pairs):
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                raise NotStrictError(
                    f"the key {shown_text(key)} stands twice in one object", shown_text(key, quote=False)
                )
            seen.add(key)
    return value


def _no_constant(token: str) -> Json:
    raise NotStrictError(f"{token} is not JSON: numbers are finite, null is unknown")


def _int(token: str) -> int:
    try:
        return int(token)
    except ValueError:
        raise NotStrictError(f"a whole number of {len(token)} digits is too long (4300 at most)") from None


def _float(token: str) -> float:
    value = float(token)
    if abs(value) < LARGEST_EXACT:
        return value
    from decimal import Decimal

    if value in {float("inf"), float("-inf")} or Decimal(repr(value)) != Decimal(token):
        raise NotStrictError(
            f"the number {shown_text(token, quote=False)} would be rounded; write it as text or with fewer digits"
        )
    return value


def carried(value: Json) -> str:
    """Return a value's JSON text in which lone surrogates travel as private characters."""
    return _TO_CARRY.sub(_carry, json.dumps(value, ensure_ascii=False, allow_nan=False))


def _carry(found: re.Match[str]) -> str:
    char = found.group()
    return _ESCAPE + (char if char == _ESCAPE else chr(ord(char) + _SHIFT))


def _uncarry(found: re.Match[str]) -> str:
    char = found.group(1)
    return char if char == _ESCAPE else chr(ord(char) - _SHIFT)


def restored(record: R) -> R:
    """Return a record that was read from a carried text with its lone surrogates back in place."""
    return record.model_copy(update={name: _restore(getattr(record, name)) for name in record.model_fields_set})


def _restore(value: Any) -> Any:
    if isinstance(value, str):
        return _CARRIED.sub(_uncarry, value) if _ESCAPE in value else value
    if isinstance(value, Record):
        return restored(value)
    if isinstance(value, dict):
        return {_restore(key): _restore(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(_restore(entry) for entry in value)
    return value
