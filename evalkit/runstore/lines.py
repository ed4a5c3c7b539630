"""Lines and documents of a run folder as records; what cannot be read is named by file and line."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypeVar

from pydantic import ValidationError

from evalkit.errors import RunStoreError
from evalkit.records.base import Record

R = TypeVar("R", bound=Record)


def numbered_lines(path: Path) -> Iterator[tuple[int, bytes]]:
    """Yield numbered lines; a last line without its end is what a kill or a full disk leaves behind."""
    try:
        handle = path.open("rb")
    except OSError as error:
        raise RunStoreError(f"{path}: cannot be read: {error.strerror or error}") from error
    with handle:
        for number, line in enumerate(handle, 1):
            if not line.endswith(b"\n"):
                raise RunStoreError(
                    f"{path}:{number}: the last line is torn (it has no end); "
                    "the run was cut off while it was written: run it again under the same id"
                )
            yield number, line


def read_lines(path: Path, model: type[R]) -> Iterator[R]:
    """Yield the lines of a JSONL file as records. Raises RunStoreError naming the line that cannot be read."""
    for number, line in numbered_lines(path):
        yield parsed(line, model, path, number)


def read_record(path: Path, model: type[R]) -> R:
    """Return a JSON file as a record. Raises RunStoreError where it is missing, torn, or no such record."""
    try:
        raw = path.read_bytes()
    except OSError as error:
        raise RunStoreError(f"{path}: cannot be read: {error.strerror or error}") from error
    return parsed(raw, model, path, None)


def parsed(raw: bytes, model: type[R], path: Path, line: int | None) -> R:
    """Return a text as a record; `line` is its number in the file, if it is one of many. Raises RunStoreError."""
    try:
        return model.model_validate_json(raw)
    except ValidationError as error:
        # pydantic's own JSON reader refuses lone surrogates, which evalkit writes escaped: those take the slower way.
        if any(fault["type"] == "json_invalid" for fault in error.errors(include_url=False, include_context=False)):
            return _validated(strict_json(raw, path, line), model, path, line)
        raise _unreadable(error, path, line) from None


def _validated(value: Any, model: type[R], path: Path, line: int | None) -> R:
    try:
        return model.model_validate(value, strict=False)
    except ValidationError as error:
        raise _unreadable(error, path, line) from None


def _unreadable(error: ValidationError, path: Path, line: int | None) -> RunStoreError:
    first = error.errors(include_url=False, include_context=False, include_input=False)[0]
    field = ".".join(str(part) for part in first["loc"])
    return RunStoreError(
        f"{_place(path, line)}: {field}: {first['msg']} ({error.error_count()} in all); "
        "the file was changed, or written by another version of evalkit"
    )


def strict_json(raw: bytes, path: Path, line: int | None) -> Any:
    """Return a text's strict JSON value. Raises RunStoreError."""
    try:
        return json.loads(raw, parse_constant=_refuse)
    except (ValueError, RecursionError) as error:
        raise RunStoreError(f"{_place(path, line)}: is not valid JSON: {error}") from None


def _refuse(token: str) -> None:
    raise ValueError(f"{token} is no JSON")


def _place(path: Path, line: int | None) -> str:
    return f"{path}" if line is None else f"{path}:{line}"
