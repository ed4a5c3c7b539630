r"""JSON Lines: streaming, one record a line, as strict as the standard library's json and nearly as fast as pydantic alone.

pydantic's reader is quick and exact, but silent where a key stands twice, where a number is NaN or overflows, and it
refuses half surrogate pairs. So each line is read by it first, and strict json is asked only where the two could differ:
when the line was refused, when it holds more `":` than the record has keys (a key twice, or such characters in a text), or
when a free JSON value holds a number beyond 2^53. Ordinary lines pay for a count of both (`key_counts.py`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Generic, NamedTuple, Protocol, TypeVar

from pydantic import ValidationError

from evalkit.errors import Fault, InputError
from evalkit.loading.faults import record_faults
from evalkit.loading.files import UTF8_BOM, changed_meanwhile, input_error, not_utf8, open_binary, refuse_wide_encoding
from evalkit.loading.formats import refuse_other_format
from evalkit.loading.key_counts import key_counter
from evalkit.loading.strict_json import NotStrictError, carried, restored, strict_value
from evalkit.records.base import Json, Record

R = TypeVar("R", bound=Record)

_KEY_ENDS = re.compile(rb'"[ \t\r]*:')
"""Matches after every key, and wherever a text happens to hold such characters."""


class RawLine(NamedTuple):
    """One line that is not blank."""

    number: int
    """Physical line, from 1."""
    offset: int
    """Offset of the first byte in the file, a byte order mark aside."""
    raw: bytes
    """The line with its line end."""
    last: bool
    """True for a line without a line end: the last one, which may be torn."""


class Digest(Protocol):
    """What hashlib gives."""

    def update(self, data: bytes, /) -> None:
        """Take bytes in."""
        ...


def read_lines(path: Path, digest: Digest | None = None) -> Iterator[RawLine]:
    """Yield the lines of a file that are not blank; a byte order mark and CRLF are accepted.

    `digest` takes in every byte of the file. Raises InputError for a file that cannot be read, is UTF-16 or UTF-32, or of another format (CSV, xlsx, gzip).
    """
    with open_binary(path) as handle:
        offset = 0
        for number, raw in enumerate(handle, start=1):
            if digest is not None:
                digest.update(raw)
            start, line = offset, raw
            offset += len(raw)
            if number == 1:
                refuse_other_format(path, raw.removeprefix(UTF8_BOM))
                refuse_wide_encoding(path, raw)
                if raw.startswith(UTF8_BOM):
                    start, line = start + len(UTF8_BOM), raw[len(UTF8_BOM) :]
            if not line.isspace() and line:
                yield RawLine(number, start, line, not line.endswith(b"\n"))


class Decoder(Generic[R]):
    """Reads lines as records of one kind."""

    def __init__(self, model: type[R], path: Path) -> None:
        self._model = model
        self._path = path
        self._keys = key_counter(model)
        model.model_rebuild()
        self._validate = model.__pydantic_validator__.validate_json

    def decode(self, line: RawLine) -> R:
        """Return a line's record. Raises InputError with every fault of the line."""
        raw = line.raw
        try:
            record: R = self._validate(raw)
        except ValidationError:
            return self._decode_strictly(line)
        keys = self._keys(record)
        if raw.count(b":") != keys and len(_KEY_ENDS.findall(raw)) != keys:
            self._strict(line)
        return record

    def decode_again(self, raw: bytes) -> R:
        """Return the record of a line that `decode` took before. Raises InputError where the file has changed since."""
        try:
            return self._model.model_validate_json(raw)
        except ValidationError:
            pass
        try:
            return restored(self._model.model_validate_json(carried(strict_value(raw.decode("utf-8")))))
        except ValueError:
            raise changed_meanwhile(self._path) from None

    def _strict(self, line: RawLine) -> Json:
        """Return the value that strict json reads. Raises InputError."""
        try:
            return strict_value(line.raw.decode("utf-8"))
        except UnicodeDecodeError as error:
            raise not_utf8(self._path, line.number, error, line.offset) from None
        except NotStrictError as error:
            remedy = "the last line has no line end: the file looks cut off" if line.last else ""
            if line.number == 1 and line.raw.strip() == b"[":
                remedy = "one JSON object a line was expected, not one array"
            fault = Fault(file=str(self._path), line=line.number, field=error.field, problem=str(error), remedy=remedy)
            raise InputError([fault]) from None

    def _decode_strictly(self, line: RawLine) -> R:
        value = self._strict(line)
        try:
            return restored(self._model.model_validate_json(carried(value)))
        except ValidationError as error:
            if error.errors()[0]["type"] == "json_invalid":
                raise input_error(self._path, "is nested more than 200 levels deep", line=line.number) from None
            raise InputError(record_faults(error, self._model, str(self._path), lambda _: line.number)) from None
