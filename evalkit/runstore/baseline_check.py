"""Whether a suite's baseline holds together: the arithmetic of each row, and the rows counted again from the cases behind them.

baseline.json is committed and lies open to an editor; its hash of the cases says nothing about its own figures.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from evalkit.errors import Fault, InputError
from evalkit.records.reports import Row
from evalkit.runstore.baselines import SCORES, StoredBaseline, read_baseline
from evalkit.runstore.verify import counted_again, row_faults

REMEDY = "the file was changed after it was written; set the baseline again: evalkit baseline set RUN"


def sound_baseline(folder: Path) -> StoredBaseline | None:
    """Return a suite's baseline, None where it has none. Raises RunStoreError where it cannot be used, InputError with every fault."""
    stored = read_baseline(folder)
    if stored is not None and (faults := verify_baseline(stored)):
        raise InputError(faults)
    return stored


def verify_baseline(stored: StoredBaseline) -> tuple[Fault, ...]:
    """Return what does not hold together; empty for a sound baseline. Raises RunStoreError where the cases cannot be read."""
    return tuple(
        Fault(file=str(stored.file), field=field, problem=problem, remedy=REMEDY)
        for field, problem in (*_arithmetic(stored.record.rows), *_counts(stored))
    )


def _arithmetic(rows: tuple[Row, ...]) -> Iterator[tuple[str, str]]:
    for index, row in enumerate(rows):
        for problem in row_faults(row):
            yield _place(index, row), problem


def _counts(stored: StoredBaseline) -> Iterator[tuple[str, str]]:
    rows, cases = stored.record.rows, stored.scores().rows
    if len(rows) != len(cases):
        yield "rows", f"{len(rows)} rows, but {SCORES} holds {len(cases)}"
        return
    for index, (row, scores) in enumerate(zip(rows, cases, strict=True)):
        for name, said, found in counted_again(row, scores):
            if said != found:
                yield _place(index, row), f"{name} {said}, but {SCORES} gives {found}"


def _place(index: int, row: Row) -> str:
    return f"rows.{index} ({row.capability}/{row.scorer}/{row.criterion})"
