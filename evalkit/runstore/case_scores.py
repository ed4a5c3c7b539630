"""scores.jsonl and baseline.scores.jsonl: a line for the cases, then one for each row."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from evalkit.errors import RunStoreError
from evalkit.records.case_scores import CaseScores, CaseTable, RowScores
from evalkit.runstore.lines import numbered_lines, parsed


def read_scores(path: Path) -> CaseScores:
    """Return the cases behind a report. Raises RunStoreError naming the line that cannot be read or does not fit the others."""
    lines = iter(numbered_lines(path))
    first = next(lines, None)
    if first is None:
        raise RunStoreError(f"{path}: is empty; its first line names the cases")
    table = parsed(first[1], CaseTable, path, first[0])
    return CaseScores(table, tuple(_rows(lines, table, path)))


def _rows(lines: Iterator[tuple[int, bytes]], table: CaseTable, path: Path) -> Iterator[RowScores]:
    for index, (number, line) in enumerate(lines):
        row = parsed(line, RowScores, path, number)
        if row.row != index:
            raise RunStoreError(f"{path}:{number}: row: {row.row} stands where row {index} belongs")
        if len(row.codes) != len(table.cases):
            raise RunStoreError(f"{path}:{number}: codes: {len(row.codes)} for {len(table.cases)} cases")
        yield row
