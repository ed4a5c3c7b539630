"""A candidate's cached outputs: found by name, checked line by line once, then read again where they are needed.

The first pass validates every line and keeps per line an offset, and per case id the line of its last attempt: about 200 bytes
an output. Small files are kept decoded; of large ones each line is read again when its case comes up, which is sequential
where both files have one order.
"""

from __future__ import annotations

import hashlib
import weakref
from array import array
from pathlib import Path
from typing import BinaryIO

from evalkit.errors import Fault, InputError, UsageError
from evalkit.loading.faults import FaultList
from evalkit.loading.files import PathError, changed_meanwhile, input_error, open_binary, resolve_inside
from evalkit.loading.identifiers import SeenIds
from evalkit.loading.jsonl import Decoder, read_lines
from evalkit.loading.yaml_files import read_record
from evalkit.records.identity import short_digest
from evalkit.records.outputs import Candidate, Output
from evalkit.text.shown import shown_text

LINES = "outputs.jsonl"
DEFAULT = "candidate"
KEPT_BYTES = 8 << 20
"""Files up to this size are kept decoded."""
UNUSED_SHOWN = 20
NO_LINE = bytes(8)
"""The digest of an output that is missing."""


def open_outputs(suite_folder: Path, name_or_path: str | None) -> OutputsFolder:
    """Return a candidate's outputs, all lines checked.

    By default the only folder under the suite's outputs/, or `candidate`. A name is a folder there; anything else is a path to
    a folder with an outputs.jsonl, or to a .jsonl file, anywhere.
    Raises UsageError where there is no such candidate, naming those that exist, and InputError with all faults of the files.
    """
    names = output_names(suite_folder)
    if name_or_path is None:
        name = names[0] if len(names) == 1 else DEFAULT
        if name not in names:
            raise UsageError(f"{suite_folder / 'outputs'}: {_choices(names)}; name one with --outputs")
        return _by_name(suite_folder, name)
    if name_or_path in names:
        return _by_name(suite_folder, name_or_path)
    path = Path(name_or_path)
    for file in (path, path / LINES):
        if _is_file(file):
            return OutputsFolder(file)
    raise UsageError(f"no outputs {shown_text(name_or_path)}, neither as a name nor as a path; {_choices(names)}")


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):  # a name that no file system takes
        return False


def output_names(suite_folder: Path) -> list[str]:
    """Return the names of the candidates whose outputs a suite holds, sorted."""
    folder = suite_folder / "outputs"
    if not folder.is_dir():
        return []
    return sorted(entry.name for entry in folder.iterdir() if (entry / LINES).is_file())


def _choices(names: list[str]) -> str:
    if not names:
        return f"the suite has no outputs (outputs/NAME/{LINES})"
    return "the suite has outputs of " + ", ".join(shown_text(name, quote=False) for name in names)


def _by_name(suite_folder: Path, name: str) -> OutputsFolder:
    path = suite_folder / "outputs" / name / LINES
    try:
        resolve_inside(path, [suite_folder])
    except PathError as error:
        raise input_error(path, str(error), "give outputs that stand elsewhere by their path") from None
    return OutputsFolder(path)


class OutputsFolder:
    """A candidate's outputs, by case id. Raises InputError with all faults of outputs.jsonl and candidate.yaml."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.name = path.resolve().parent.name if path.name == LINES else path.stem
        """The folder's name, or that of a .jsonl file given by its path."""
        self.sha256 = ""
        """SHA-256 of the file's bytes."""
        self._decoder = Decoder(Output, path)
        self._offsets = array("q")
        self._digests = bytearray()
        self._attempts: dict[int, int] = {}
        self._last: dict[str, int] = {}
        self._earlier: dict[str, list[int]] = {}
        self._used = bytearray()
        faults = FaultList()
        self.candidate = self._read_candidate(faults)
        """What is known about the candidate; its name is the folder's where candidate.yaml gives none."""
        self._kept: list[Output] | None = []
        self._index(faults)
        faults.raise_if_any()
        self._handle: BinaryIO | None = None
        self._position = 0

    @property
    def earlier_attempts(self) -> int:
        """Outputs that are not their case's last attempt, and are not scored."""
        return len(self._offsets) - len(self._last)

    def last_attempt(self, case_id: str) -> Output | None:
        """Return a case's last attempt, or None where it has none. Raises InputError where the file has changed since."""
        row = self._last.get(case_id)
        if row is None:
            return None
        self._used[row] = 1
        return self._output(row, case_id)

    def attempts(self, case_id: str) -> list[Output]:
        """Return all attempts of a case by their number; empty where it has none. Raises InputError where the file has changed since."""
        last = self._last.get(case_id)
        if last is None:
            return []
        self._used[last] = 1
        rows = sorted([*self._earlier.get(case_id, ()), last], key=lambda row: self._attempts.get(row, 1))
        return [self._output(row, case_id) for row in rows]

    def _output(self, row: int, case_id: str) -> Output:
        if self._kept is not None:
            return self._kept[row]
        output = self._decoder.decode_again(self._line_at(self._offsets[row]))
        if output.case_id != case_id:
            raise changed_meanwhile(self.path)
        return output

    def digest(self, case_id: str) -> bytes:
        """Return the short digest of the line of a case's last attempt, `records.identity.short_digest`; 8 zeros where it has none."""
        row = self._last.get(case_id)
        return NO_LINE if row is None else bytes(self._digests[8 * row : 8 * row + 8])

    def unused(self) -> tuple[int, tuple[str, ...]]:
        """Return how many case ids of the file were never asked for, and the first 20 in file order; after the golden set's walk."""
        ids = [case_id for case_id, row in self._last.items() if not self._used[row]]
        return len(ids), tuple(ids[:UNUSED_SHOWN])

    def _line_at(self, offset: int) -> bytes:
        if self._handle is None:
            self._handle = open_binary(self.path)
            weakref.finalize(self, self._handle.close)
        if offset != self._position:
            self._handle.seek(offset)
        raw = self._handle.readline()
        self._position = offset + len(raw)
        return raw

    def _read_candidate(self, faults: FaultList) -> Candidate:
        path = self.path.with_name("candidate.yaml")
        candidate = Candidate()
        if path.exists():
            try:
                candidate = read_record(Candidate, path).record
            except InputError as error:
                faults.absorb(error)
        return candidate if candidate.name else candidate.model_copy(update={"name": self.name})

    def _index(self, faults: FaultList) -> None:
        """Walk the file once: validate each line, note where it stands, and which attempt of which case it is."""
        digest = hashlib.sha256()
        seen = SeenIds(str(self.path), "case_id")
        earlier: dict[tuple[str, int], int] = {}
        numbers = array("q")
        if self.path.exists() and self.path.stat().st_size > KEPT_BYTES:
            self._kept = None
        for line in read_lines(self.path, digest):
            try:
                output = self._decoder.decode(line)
            except InputError as error:
                faults.absorb(error)
                continue
            row = len(self._offsets)
            self._offsets.append(line.offset)
            self._digests += short_digest(line.raw)
            if output.attempt != 1:
                self._attempts[row] = output.attempt
            numbers.append(line.number)
            if self._kept is not None:
                self._kept.append(output)
            first = self._last.setdefault(output.case_id, row)
            if first == row:
                fault = seen.add(output.case_id, line.number)
            else:
                fault = self._another_attempt(output, row, earlier, numbers)
            if fault:
                faults.add(fault)
        self._used = bytearray(len(self._offsets))
        self.sha256 = digest.hexdigest()

    def _another_attempt(
        self, output: Output, row: int, earlier: dict[tuple[str, int], int], numbers: array[int]
    ) -> Fault | None:
        """Note a further output of a case; `earlier` holds the rows that are not their case's last. Return the fault of a double."""
        attempt_of = self._attempts.get
        last = self._last[output.case_id]
        double = last if attempt_of(last, 1) == output.attempt else earlier.get((output.case_id, output.attempt))
        if double is not None:
            which = f"attempt {output.attempt} of case {shown_text(output.case_id)}"
            problem = f"{which} stands twice, on lines {numbers[double]} and {numbers[row]}"
            remedy = "number repeated attempts 1, 2, 3 in `attempt`"
            return Fault(file=str(self.path), line=numbers[row], field="case_id", problem=problem, remedy=remedy)
        if output.attempt > attempt_of(last, 1):
            earlier[output.case_id, attempt_of(last, 1)] = last
            self._earlier.setdefault(output.case_id, []).append(last)
            self._last[output.case_id] = row
        else:
            earlier[output.case_id, output.attempt] = row
            self._earlier.setdefault(output.case_id, []).append(row)
        return None
