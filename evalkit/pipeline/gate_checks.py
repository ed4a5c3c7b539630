"""What is wrong with a suite's gates, said before anything is run: a row that no run will have, a threshold that every value passes or none.

A gate is a promise that something can stop a release; one that cannot fail is worse than none, so `evalkit check` refuses it
(docs/decisions/gates-that-decide-nothing.md).
"""

from __future__ import annotations

from collections.abc import Iterator

from evalkit.aggregation.gate_reach import SHARES, passes_all, passes_none
from evalkit.aggregation.rows import RowKey
from evalkit.errors import Fault
from evalkit.loading.loaded_suite import LoadedSuite
from evalkit.pipeline.columns import build_columns
from evalkit.records.directions import direction
from evalkit.records.reports import Interval
from evalkit.records.suites import Gate
from evalkit.text.nearest import nearest


def gate_faults(loaded: LoadedSuite) -> list[Fault]:
    """Return what is wrong with each gate. Raises InputError for faults in the settings of a scorer."""
    keys = row_keys(loaded)
    return [
        Fault(file=str(loaded.file), field=f"gates[{index}].{field}", problem=problem, remedy=remedy)
        for index, gate in enumerate(loaded.suite.gates)
        for field, problem, remedy in _faults(gate, keys)
    ]


def row_keys(loaded: LoadedSuite) -> list[RowKey]:
    """Return the key of every row that a run of the suite has. Raises InputError for faults in the settings of a scorer."""
    columns = build_columns(loaded)
    folds = [*(column.folds for column in columns.code), *(column.folds for column in columns.judged)]
    return [fold.key for several in folds for fold in several]


def _faults(gate: Gate, keys: list[RowKey]) -> Iterator[tuple[str, str, str]]:
    there = [key for key in keys if key.capability == gate.capability and gate.scorer in {None, key.scorer}]
    rows = [key for key in there if key.criterion == gate.criterion]
    if there and not rows:
        problem = f"no row {gate.criterion!r} is measured in {gate.capability!r}: this gate can never be decided"
        yield "criterion", problem, nearest(gate.criterion, [key.criterion for key in there], "criteria")
    if gate.on == "no_regression" and any(direction(key) == "neither" for key in rows):
        problem = "neither more nor less of this row is better: this gate can never be decided"
        yield "on", problem, "set `min` or `max`, or take a row that ranks candidates"
    for within in dict.fromkeys(span for key in rows if (span := reach_of(key))):
        reach = f"the row lies between {within[0]:g} and {within[1]:g}"
        if passes_all(gate, within):
            yield _field(gate), f"this gate cannot fail: {reach}", "set a threshold that some value misses"
        elif passes_none(gate, within):
            yield _field(gate), f"this gate cannot pass: {reach}", "set a threshold that some value reaches"


def _field(gate: Gate) -> str:
    """Return the field to mend."""
    return "min" if gate.min is not None else "max" if gate.max is not None else "margin"


def reach_of(key: RowKey) -> Interval | None:
    """Return the range that a row cannot leave, or None where there is none."""
    return SHARES if key.estimate == "rate" else key.within
