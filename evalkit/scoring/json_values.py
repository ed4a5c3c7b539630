"""Equality of JSON values as JSON has it, not as Python has it."""

from __future__ import annotations

from evalkit.records.base import Json


def same_json(one: Json, two: Json) -> bool:
    """Tell whether two JSON values are equal: numbers by exact value (1 equals 1.0, 2**53 + 1 is not 2**53), true is not 1.

    Objects compare without order, lists with it. Nesting may be as deep as it likes.
    """
    pairs = [(one, two)]
    while pairs:
        a, b = pairs.pop()
        if isinstance(a, bool) or isinstance(b, bool) or a is None or b is None:
            if a is not b:
                return False
        elif isinstance(a, dict) and isinstance(b, dict):
            if a.keys() != b.keys():
                return False
            pairs += ((a[key], b[key]) for key in a)
        elif isinstance(a, list | tuple) and isinstance(b, list | tuple):
            if len(a) != len(b):
                return False
            pairs += zip(a, b, strict=True)
        elif a != b:  # Python compares int with float exactly
            return False
    return True
