"""JSON read strictly, for text that a candidate or a user wrote: where two readers could differ, nothing is read.

NaN and infinities, numbers beyond a float's range, a key given twice, integers too long to be meant, and nesting that would
exhaust a reader are refused. Integers are exact at any size that is read.
"""

from __future__ import annotations

import json
import math
from typing import Any, NoReturn

MAX_DEPTH = 100
MAX_DIGITS = 4300
"""Longest integer, as in Python's own limit on converting text to int."""


def strict_json(text: str) -> Any:
    """Return the JSON value that is the whole of a text. Raises ValueError, in words for the text's author, for anything else."""
    try:
        value = _DECODER.decode(text.removeprefix("\ufeff"))
    except json.JSONDecodeError as error:
        raise ValueError(f"not JSON: {error.msg} at line {error.lineno} column {error.colno}") from None
    except RecursionError:
        raise ValueError(f"nested deeper than {MAX_DEPTH} levels") from None
    if deeper_than(value, MAX_DEPTH):
        raise ValueError(f"nested deeper than {MAX_DEPTH} levels")
    return value


def unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return the object of the pairs: a hook for `json`. Raises ValueError for a key that is given twice."""
    value = dict(pairs)
    if len(value) < len(pairs):
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                raise ValueError(f"key {key[:60]!r} is given twice")
            seen.add(key)
    return value


def no_constant(name: str) -> NoReturn:
    """Refuse NaN and the infinities: a hook for `json`. Raises ValueError."""
    raise ValueError(f"{name} is not JSON")


def _integer(text: str) -> int:
    if len(text) > MAX_DIGITS:
        raise ValueError(f"a number of {len(text)} digits; at most {MAX_DIGITS} are read")
    return int(text)


def finite_float(text: str) -> float:
    """Return the number that a text stands for: a hook for `json`. Raises ValueError beyond the range of a float."""
    value = float(text)
    if math.isinf(value):
        raise ValueError(f"{text[:40]} is beyond the range of a float")
    return value


_DECODER = json.JSONDecoder(
    object_pairs_hook=unique_keys, parse_constant=no_constant, parse_int=_integer, parse_float=finite_float
)


def deeper_than(value: Any, limit: int) -> bool:
    """Tell whether a JSON value has more than `limit` levels of objects and lists."""
    level = [value]
    for _ in range(limit + 1):
        level = [
            inner
            for outer in level
            for inner in (outer.values() if isinstance(outer, dict) else outer if isinstance(outer, list) else ())
        ]
        if not level:
            return False
    return True
