"""How many keys a record was read from: the cheap half of the check that no key of a line stands twice.

A counter is put together once per kind of record from its annotations, so that a line costs about a microsecond.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, get_args, get_origin

from evalkit.loading.strict_json import LARGEST_EXACT
from evalkit.records.base import Json, Record
from evalkit.records.locations import variants

Counter = Callable[[Any], int]

NEVER = 1 << 60
"""Added where a free number is not finite or not exact, so that the count agrees with no line and strict json is asked."""


@cache
def key_counter(model: type[Record]) -> Counter:
    """Return the function that counts the keys from which a record of this kind was read, at any depth."""
    nested = [(name, counter) for name, field in model.model_fields.items() if (counter := _counter(field.annotation))]

    def count(record: Any) -> int:
        given = record.__pydantic_fields_set__
        values = record.__dict__
        keys = len(given)
        for name, counter in nested:
            if name in given and (value := values[name]):
                keys += counter(value)
        return keys

    def count_flat(record: Any) -> int:
        return len(record.__pydantic_fields_set__)

    return count if nested else count_flat


def free_keys(value: Json) -> int:
    """Return how many keys a free JSON value holds."""
    kind = type(value)
    if kind is dict:
        return len(value) + sum(map(free_keys, value.values()))
    if kind is tuple or kind is list:
        return sum(map(free_keys, value))
    if kind is float:
        return 0 if -LARGEST_EXACT < value < LARGEST_EXACT else NEVER
    return key_counter(kind)(value) if issubclass(kind, Record) else 0


def _counter(annotation: Any) -> Counter | None:
    """Return how to count in values of an annotation; None where no key can stand in them."""
    branches = [branch for branch in variants(annotation) if not _plain(branch)]
    if not branches:
        return None
    branch = branches[0]
    if len(branches) > 1:
        return free_keys
    if get_origin(branch) is tuple:
        entry = _counter(get_args(branch)[0]) or free_keys
        return lambda entries: sum(map(entry, entries)) if type(entries) is tuple else free_keys(entries)
    if get_origin(branch) is dict and all(map(_plain, variants(get_args(branch)[1]))):
        return lambda mapping: len(mapping) if type(mapping) is dict else free_keys(mapping)
    return key_counter(branch) if isinstance(branch, type) and issubclass(branch, Record) else free_keys


def _plain(branch: Any) -> bool:
    """Tell whether an annotation admits texts, numbers, booleans and lists of these alone."""
    if get_origin(branch) is tuple:
        return all(_plain(part) for entry in get_args(branch) for part in variants(entry))
    return any(branch is plain for plain in (str, int, float, bool, Ellipsis))
