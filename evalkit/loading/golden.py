"""The golden set: cases in file order, read as a stream; what need not be kept is not kept.

Every line is checked in the same walk that yields the cases. Once a fault is found no further case is yielded, the rest of the
file is still checked, and all faults are raised together at the end. Only ids stay in memory, for the check on doubles.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path

from evalkit.errors import Fault, InputError
from evalkit.loading.faults import FaultList
from evalkit.loading.files import input_error
from evalkit.loading.identifiers import SeenIds, id_problem
from evalkit.loading.jsonl import Decoder, read_lines
from evalkit.records.cases import Case
from evalkit.text.shown import shown_text

RESERVED_SOURCES = frozenset({"candidate", "answer_A", "answer_B", "evidence"})
"""Names by which verdicts quote the answer and the structured evidence; no document may bear them."""


class GoldenSet:
    """golden.jsonl. Iterating yields each `Case` in file order; it can be walked more than once.

    Raises InputError at the end of the walk with all faults of the file, or at once where it cannot be read.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.count = 0
        """Cases of the file; 0 before the first full walk."""
        self.line = b""
        """The bytes of the case that was yielded last, for its hash."""
        self._sha256: str | None = None

    @property
    def sha256(self) -> str:
        """SHA-256 of the file's bytes, 64 hex digits; free after a full walk."""
        if self._sha256 is None:
            digest = hashlib.sha256()
            for _ in read_lines(self.path, digest):
                pass
            self._sha256 = digest.hexdigest()
        return self._sha256

    def __iter__(self) -> Iterator[Case]:
        digest = hashlib.sha256()
        decoder = Decoder(Case, self.path)
        file = str(self.path)
        seen = SeenIds(file, "id")
        faults = FaultList()
        count = 0
        for line in read_lines(self.path, digest):
            count += 1
            try:
                case = decoder.decode(line)
            except InputError as error:
                faults.absorb(error)
                continue
            double = seen.add(case.id, line.number)
            if double:
                faults.add(double)
            if case.context and not _plain_documents(case):
                faults.add(*_document_faults(case, file, line.number))
            if not faults.total:
                self.line = line.raw
                yield case
        faults.raise_if_any()
        if not count:
            raise input_error(self.path, "holds no case", "a golden set has at least one case, a JSON object a line")
        self.count, self._sha256 = count, digest.hexdigest()


def _plain_documents(case: Case) -> bool:
    """Tell quickly that nothing is wrong with the ids of a case's documents."""
    ids = [document.id for document in case.context]
    return len(set(ids)) == len(ids) and RESERVED_SOURCES.isdisjoint(ids) and "".join(ids).isascii()


def _document_faults(case: Case, file: str, line: int) -> list[Fault]:
    """Return what is wrong with the ids of a case's documents."""
    ids = [document.id for document in case.context]
    faults = []
    seen: set[str] = set()
    for index, identifier in enumerate(ids):
        problem = None if identifier.isascii() else id_problem(identifier)
        remedy = ""
        if identifier in seen:
            problem, remedy = f"the document id {shown_text(identifier)} stands twice in this case", "number the parts"
        elif identifier in RESERVED_SOURCES:
            problem, remedy = (
                f"the document id {shown_text(identifier)} is reserved for verdicts",
                "give it another id",
            )
        seen.add(identifier)
        if problem:
            faults.append(Fault(file=file, line=line, field=f"context.{index}.id", problem=problem, remedy=remedy))
    return faults
