"""A YAML file becomes a record. Where the record wants text, an unquoted scalar is the text that was written.

`version: 1.0`, `id: no` and `name: 2024-05-01` are numbers, booleans or dates only to a parser. The record knows what it wants:
it is validated, every unquoted scalar that stands where text was expected is put back as written, and it is validated again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

from pydantic import ValidationError

from evalkit.errors import Fault, InputError
from evalkit.loading.faults import record_faults
from evalkit.loading.files import input_error, read_text
from evalkit.loading.strict_json import carried, restored
from evalkit.loading.yaml_nodes import Node, parse, value_of, walk
from evalkit.records.base import Json, Record
from evalkit.records.locations import Location, locate
from evalkit.text.shown import dotted

R = TypeVar("R", bound=Record)


@dataclass(frozen=True, slots=True)
class Document:
    """A YAML file as read."""

    path: Path
    root: Node

    @property
    def value(self) -> Json:
        """The whole file as JSON. Raises InputError with all numbers that JSON cannot hold."""
        found: list[tuple[int, str]] = []
        value = value_of(self.root, found)
        if found:
            remedy = "write it in quotes if text is meant"
            raise InputError(
                [Fault(file=str(self.path), line=line, problem=problem, remedy=remedy) for line, problem in found]
            )
        return value

    def line_of(self, location: Sequence[int | str]) -> int:
        """Return the line of a value, or of the innermost part that exists."""
        return [line for line, _ in walk(self.root, tuple(location))][-1]

    def fault(self, location: Sequence[int | str], problem: str, remedy: str = "") -> Fault:
        """Return a fault of the value at a location."""
        field = dotted(location) or None
        return Fault(file=str(self.path), line=self.line_of(location), field=field, problem=problem, remedy=remedy)


@dataclass(frozen=True, slots=True)
class Loaded(Generic[R]):
    """A record with the file that it was read from."""

    record: R
    document: Document


def read_document(path: Path) -> Document:
    """Return a YAML file whose root is a mapping. Raises InputError that names file and line."""
    root = parse(read_text(path), str(path))
    if root.entries is None:
        raise input_error(path, "must be a mapping of fields", "`field: value` lines were expected", line=root.line)
    return Document(path, root)


def read_record(model: type[R], path: Path) -> Loaded[R]:
    """Return a YAML file as a record. Raises InputError with every fault of the file."""
    document = read_document(path)
    return Loaded(record_of(model, document), document)


def record_of(model: type[R], document: Document, *, show_values: bool = True) -> R:
    """Return a document as a record. Raises InputError with every fault; without any value of the file where `show_values` is false."""
    value = document.value
    while True:
        try:
            return restored(model.model_validate_json(carried(value)))
        except ValidationError as error:
            if not _write_as_text(model, document, value, error):
                faults = record_faults(error, model, str(document.path), document.line_of, show_values=show_values)
                raise InputError(faults) from None


def _write_as_text(model: type[Record], document: Document, value: Json, error: ValidationError) -> bool:
    """Put each unquoted scalar that stands where text was wanted back as written; return whether there was any."""
    changed = False
    for entry in error.errors(include_url=False, include_input=False):
        if entry["type"] == "string_type":
            changed |= _put_back(document.root, value, locate(model, entry["loc"]).path)
    return changed


def _put_back(root: Node, value: Any, path: Location) -> bool:
    *_, (_, node) = found = list(walk(root, path))
    if len(found) != len(path) + 1 or not path or node.text is None or not node.plain or not node.text:
        return False
    for part in path[:-1]:
        value = value[part]
    if value[path[-1]] == node.text or value[path[-1]] is None:
        return False
    value[path[-1]] = node.text
    return True
