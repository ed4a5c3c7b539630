"""Ids are text and data, but two ids that a reader or a file system would take for one are refused."""

from __future__ import annotations

import re
import unicodedata

from evalkit.errors import Fault
from evalkit.text.shown import shown_text

_SURROGATE = re.compile("[\ud800-\udfff]")


def id_problem(identifier: str) -> str | None:
    """Return what is wrong with an id on its own, or None."""
    if identifier != identifier.strip():
        return f"the id {shown_text(identifier)} begins or ends with white space"
    if not identifier.isascii() and _SURROGATE.search(identifier):
        return f"the id {shown_text(identifier)} is not valid Unicode"
    return None


class SeenIds:
    """The ids of a file with the lines on which they stand."""

    def __init__(self, file: str, field: str) -> None:
        self._file = file
        self._field = field
        self._lines: dict[str, int] = {}
        self._composed: dict[str, str] = {}

    def __len__(self) -> int:
        return len(self._lines)

    def add(self, identifier: str, line: int) -> Fault | None:
        """Take an id in; return the fault where it is a double, a twin by Unicode form, or badly formed."""
        problem = id_problem(identifier)
        if problem:
            return self._fault(line, problem, "write it without")
        first = self._lines.setdefault(identifier, line)
        if first != line:
            return self._fault(
                line, f"the id {shown_text(identifier)} stands twice, on lines {first} and {line}", "ids are unique"
            )
        return None if identifier.isascii() else self._twin(identifier, line)

    def _twin(self, identifier: str, line: int) -> Fault | None:
        other = self._composed.setdefault(unicodedata.normalize("NFC", identifier), identifier)
        if other == identifier:
            return None
        problem = f"the id {identifier!a} differs from {other!a} (line {self._lines[other]}) only by its Unicode form"
        return self._fault(line, problem, "write both in one form (NFC)")

    def _fault(self, line: int, problem: str, remedy: str) -> Fault:
        return Fault(file=self._file, line=line, field=self._field, problem=problem, remedy=remedy)
