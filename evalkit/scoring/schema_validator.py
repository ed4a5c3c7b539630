"""JSON Schema (draft 2020-12) as scorers use it: one validator per schema content, built once.

Formats are asserted. References outside the schema are refused, so a schema never reads a file or the network. The engine is
jsonschema-rs: its patterns follow ECMA 262, run in linear time where they can and stop at a step limit where they cannot, so
no pattern hangs a run; its numbers are exact; what it accepts does not depend on which other packages are installed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

from evalkit.records.base import Json
from evalkit.records.identity import canonical_json

BACKTRACK_LIMIT = 200_000
"""Steps that a pattern with look-around or back-references may take on one text: some ten milliseconds."""

MAX_DEPTH = 100
"""Levels of nesting that a value or a schema may have; the engine's own stack ends far beyond."""

MESSAGE_CHARS = 300
CACHED_SCHEMAS = 256

_ENGINE_GAVE_UP = "Error executing regex"
_SURROGATE = re.compile("[\ud800-\udfff]")


class UndecidedError(ValueError):
    """A pattern of the schema needed more steps than BACKTRACK_LIMIT, so the value is neither valid nor invalid."""


class Validator:
    """A schema that is ready for use."""

    def __init__(self, engine: Any) -> None:
        self._engine = engine

    def is_valid(self, value: Json) -> bool:
        """Tell whether a value fits the schema. Raises UndecidedError where a pattern gave up."""
        return not self.faults(value, limit=1)

    def faults(self, value: Json, limit: int = 5) -> list[str]:
        """Return what is wrong with a value, the first `limit` faults, each with its place as a JSON Pointer.

        A lone surrogate, which no JSON text in UTF-8 can hold, counts as one replacement character.
        Raises UndecidedError where a pattern gave up.
        """
        if _deeper_than(MAX_DEPTH, value):
            return [f"(root): nested deeper than {MAX_DEPTH} levels"]
        found: list[str] = []
        for error in _whole(self._engine.iter_errors, value):
            if any(_ENGINE_GAVE_UP in part.message for part in _with_inner(error)):
                raise UndecidedError(f"a pattern of the schema takes more than {BACKTRACK_LIMIT} steps on this value")
            if len(found) < limit:
                found.append(f"{_pointer(error.instance_path)}: {error.message[:MESSAGE_CHARS]}")
        return found


def validator_for(schema: Mapping[str, Json] | bool, /) -> Validator:  # noqa: FBT001 - true and false are schemas
    """Return the validator of a schema; equal schemas share one.

    Raises ValueError where it is no usable schema of draft 2020-12: a malformed keyword, a pattern that cannot be compiled,
    a reference to another document.
    """
    plain = schema if isinstance(schema, bool) else dict(schema)
    if _deeper_than(MAX_DEPTH, plain):
        raise ValueError(f"the schema is nested deeper than {MAX_DEPTH} levels")
    try:
        text = canonical_json(plain)
    except TypeError as error:
        raise ValueError(f"the schema is no JSON: {error}") from None
    return _built(text)


@lru_cache(maxsize=CACHED_SCHEMAS)
def _built(text: bytes) -> Validator:
    import jsonschema_rs

    schema = _without_surrogates(json.loads(text))
    try:
        return Validator(
            jsonschema_rs.Draft202012Validator(
                schema,
                validate_formats=True,
                offline=True,
                pattern_options=jsonschema_rs.FancyRegexOptions(backtrack_limit=BACKTRACK_LIMIT),
            )
        )
    except jsonschema_rs.ValidationError as error:
        message = f"{_pointer(error.instance_path)}: {error.message[:MESSAGE_CHARS]}"
        raise ValueError(f"not a usable JSON Schema (draft 2020-12) at {message}") from None


def _deeper_than(limit: int, value: Json) -> bool:
    level = [value]
    for _ in range(limit + 1):
        level = [
            inner
            for outer in level
            for inner in (
                outer.values() if isinstance(outer, dict) else outer if isinstance(outer, list | tuple) else ()
            )
        ]
        if not level:
            return False
    return True


def _whole(ask: Any, value: Json) -> Any:
    try:
        return ask(value)
    except UnicodeEncodeError:
        return ask(_without_surrogates(value))


def _without_surrogates(value: Json) -> Json:
    if isinstance(value, str):
        return _SURROGATE.sub("\ufffd", value)
    if isinstance(value, list | tuple):
        return [_without_surrogates(item) for item in value]
    if isinstance(value, dict):
        return {_without_surrogates(key): _without_surrogates(item) for key, item in value.items()}
    return value


def _with_inner(error: Any) -> Iterator[Any]:
    """Yield an error and those inside its anyOf or oneOf branches."""
    yield error
    for branch in getattr(error.kind, "context", None) or ():
        for inner in branch:
            yield from _with_inner(inner)


def _pointer(path: Any) -> str:
    parts = [str(part).replace("~", "~0").replace("/", "~1") for part in path]
    return "".join(f"/{part}" for part in parts) or "(root)"
