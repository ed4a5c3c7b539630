"""A sheet as it comes back: JSON Lines, or a CSV together with the JSON Lines that it was written with.

A CSV has been through a spreadsheet: sorted, saved with another separator, with texts turned into numbers. So only `row`, `label`,
`note` and `labeller` are taken from it, by the names of the columns, and every row finds its own line by `row`. The columns of
`HELD` must say what was drawn, as far as they are there: nobody knows what was labelled where the answer or the question was edited.
"""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from evalkit.errors import Fault, InputError
from evalkit.loading.faults import FaultList
from evalkit.loading.files import UTF8_BOM, input_error, not_utf8, open_binary, refuse_wide_encoding
from evalkit.loading.identifiers import id_problem
from evalkit.loading.jsonl import Decoder, read_lines
from evalkit.records.identity import text_sha256
from evalkit.records.sheets import SKIP, SheetRow
from evalkit.text.csv_cells import LARGEST_CELL, from_cell, same_cell
from evalkit.text.nearest import nearest
from evalkit.text.shown import shown_text

NEEDED = ("row", "label", "answer")
TEXTS = ("answer", "second_answer")
FIRST_ANSWER = "first_answer"
"""How the column `answer` is called in a sheet of pairs."""
HELD = (*TEXTS, "asked", "question", "pass_condition", "case_id", "rubric", "criterion", "design", "output_sha256")
"""Columns that are held against what was drawn."""
SEPARATORS = ",;\t"
LARGEST_CSV = 1 << 28
"""Most bytes of a CSV file; a sheet of a thousand rows takes a few million."""


class Filled(NamedTuple):
    """A row that somebody filled in."""

    file: str
    line: int
    row: SheetRow


def read_sheet(path: Path, drawn: Path | None = None) -> list[Filled]:
    """Return all rows of a sheet, filled in or not, in the order of the file.

    `drawn` is the JSON Lines that a CSV was written with, by default the file of the same name beside it.
    Raises InputError with every fault: doubles, edited rows, changed answers, labels that may not be given.
    """
    faults = FaultList()
    if path.suffix.lower() != ".csv":
        rows = _lines(path, faults)
    else:
        if not path.exists():
            raise input_error(path, "does not exist")
        beside = drawn or path.with_suffix(".jsonl")
        if not beside.is_file():
            remedy = f"name the JSON Lines that this sheet was written with: --sheet FILE (looked for {beside})"
            raise input_error(path, "holds only half of a sheet: a CSV does not say how its rows were drawn", remedy)
        rows = _table(path, _lines(beside, faults), faults)
    for filled in rows:
        for field, problem, remedy in _label_problems(filled.row):
            faults.add(Fault(file=filled.file, line=filled.line, field=field, problem=problem, remedy=remedy))
    faults.raise_if_any()
    if not rows:
        raise input_error(path, "holds no row", "write a sheet with: evalkit label export RUN")
    return rows


def _lines(path: Path, faults: FaultList) -> list[Filled]:
    decoder = Decoder(SheetRow, path)
    rows: list[Filled] = []
    seen: dict[object, int] = {}
    for line in read_lines(path):
        try:
            row = decoder.decode(line)
        except InputError as error:
            faults.absorb(error)
            continue
        first = seen.setdefault(row.row, line.number)
        for field, problem, remedy in _row_problems(row, first, line.number):
            faults.add(Fault(file=str(path), line=line.number, field=field, problem=problem, remedy=remedy))
        rows.append(Filled(str(path), line.number, row))
    return rows


def _row_problems(row: SheetRow, first: int, line: int) -> Iterator[tuple[str, str, str]]:
    """Yield field, problem and remedy of what was done to a row since it was drawn."""
    if first != line:
        yield "row", f"{row.row} stands twice, on lines {first} and {line}", "a row is labelled once in a sheet"
    if row.row != row.expected_row:
        yield "row", "the row says something else than what was drawn", "fill in label, note and labeller only"
    if len(row.texts) != len(row.hashes):
        yield "output_sha256", "names another number of answers than stand in the row", "export again"
        return
    for field, text, sha256 in zip(TEXTS, row.texts, row.hashes, strict=False):
        if text_sha256(text) != sha256:
            yield field, "is not the text that was drawn (its hash differs)", "a label belongs to a text; export again"


def _label_problems(row: SheetRow) -> Iterator[tuple[str, str, str]]:
    if row.label is None:
        return
    if row.label not in {*row.choices, SKIP}:
        yield (
            "label",
            f"is {shown_text(row.label)}",
            f"expected one of {', '.join((*row.choices, SKIP))}, or nothing for a row that nobody labelled",
        )
    problem = id_problem(row.labeller) if row.labeller else None
    if problem:
        yield "labeller", problem.replace("the id", "the name", 1), "write it without"


def _table(path: Path, drawn: list[Filled], faults: FaultList) -> list[Filled]:
    by_row = {filled.row.row: filled.row for filled in drawn}
    rows: list[Filled] = []
    seen: dict[str, int] = {}
    for line, cells in _records(path):
        name = from_cell(cells["row"]).strip()
        if not name and not any(cells.values()):
            continue
        row = by_row.get(name)
        if row is None:
            problem = f"{shown_text(name)} is no row of the sheet that this CSV was written with"
            remedy = nearest(name, by_row, "rows") if len(by_row) <= 20 else "leave the column `row` as it is"
            faults.add(Fault(file=str(path), line=line, field="row", problem=problem, remedy=remedy))
            continue
        if row.second_answer is not None and TEXTS[1] not in cells:
            raise input_error(path, f"has no column {TEXTS[1]}", "keep the first line as it was", line=1)
        first = seen.setdefault(name, line)
        if first != line:
            problem = f"{name} stands twice, on lines {first} and {line}"
            faults.add(Fault(file=str(path), line=line, field="row", problem=problem, remedy="keep one of them"))
        for field in HELD:
            cut = field not in TEXTS and len(row.cell(field)) > LARGEST_CELL
            own = field in cells and getattr(row, field) is not None
            if own and not cut and not same_cell(cells[field], row.cell(field)):
                faults.add(_changed(path, line, row, field))
        rows.append(Filled(str(path), line, row.model_copy(update=_filled_in(cells, row))))
    return rows


def _changed(path: Path, line: int, row: SheetRow, field: str) -> Fault:
    long = len(row.cell(field)) > LARGEST_CELL
    why = "it is longer than a cell can be" if long else "it was edited, or the spreadsheet changed it"
    return Fault(
        file=str(path),
        line=line,
        field=FIRST_ANSWER if field == TEXTS[0] and row.second_answer is not None else field,
        problem=f"is not the text that was drawn: {why}",
        remedy="a label belongs to a text; label this row in the JSON Lines or with `evalkit label`",
    )


def _filled_in(cells: dict[str, str], row: SheetRow) -> dict[str, str | None]:
    return {
        "label": _label(from_cell(cells["label"]).strip(), row),
        "labeller": from_cell(cells.get("labeller", "")).strip() or None,
        "note": from_cell(cells.get("note", "")).strip(),
    }


def _label(written: str, row: SheetRow) -> str | None:
    """Return the choice that was meant: spreadsheets and people write Pass, PASS; what is no choice stays as it was written."""
    offered = (*row.choices, SKIP)
    if written in offered:
        return written
    return next((choice for choice in offered if choice.casefold() == written.casefold()), written) or None


def _records(path: Path) -> Iterator[tuple[int, dict[str, str]]]:
    """Yield the physical line on which each row of a CSV begins, and its cells by column. Raises InputError."""
    text = _text(path)
    separator = max(SEPARATORS, key=text.partition("\n")[0].count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    csv.field_size_limit(LARGEST_CSV)
    try:
        head = [TEXTS[0] if name.strip() == FIRST_ANSWER else name.strip() for name in next(reader, [])]
        missing = [name for name in NEEDED if name not in head]
        if missing:
            raise input_error(path, f"has no column {', '.join(missing)}", "keep the first line as it was", line=1)
        twice = [name for name, times in Counter(head).items() if name and times > 1]
        if twice:
            named = ", ".join(shown_text(name) for name in twice)
            remedy = "keep one of each; no reader could know which of them counts"
            raise input_error(path, f"has more than one column {named}", remedy, line=1)
        begins = reader.line_num + 1
        for cells in reader:
            if cells:
                padded = [*cells, *[""] * (len(head) - len(cells))]
                yield begins, dict(zip(head, padded, strict=False))
            begins = reader.line_num + 1
    except csv.Error as error:
        raise input_error(path, f"is no CSV: {error}", "save it as CSV again", line=reader.line_num) from None


def _text(path: Path) -> str:
    with open_binary(path) as handle:
        raw = handle.read(LARGEST_CSV + 1)
    if len(raw) > LARGEST_CSV:
        raise input_error(path, "is larger than 256 MiB", "a sheet of labels is not")
    refuse_wide_encoding(path, raw)
    start = len(UTF8_BOM) if raw.startswith(UTF8_BOM) else 0
    try:
        return raw[start:].decode("utf-8")
    except UnicodeDecodeError as error:
        raise not_utf8(path, raw.count(b"\n", 0, start + error.start) + 1, error, start) from None
