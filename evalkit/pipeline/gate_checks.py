"""What is doubtful about a suite's gates before anything is run: a row that no run will have, a threshold that every value passes or none.

A gate is a promise that something can stop a release; one that cannot fail is worse than none.
"""

from __future__ import annotations

from collections.abc import Iterator

from evalkit.aggregation.rows import RowKey
from evalkit.errors import Fault
from evalkit.loading.faults import nearest
from evalkit.loading.suites import LoadedSuite
from evalkit.pipeline.columns import build_columns
from evalkit.records.suites import Gate


def gate_warnings(loaded: LoadedSuite) -> list[Fault]:
    """Return what is doubtful about each gate. Raises InputError for faults in the settings of a scorer."""
    if not loaded.suite.gates:
        return []
    columns = build_columns(loaded)
    folds = [*(column.folds for column in columns.code), *(column.folds for column in columns.judged)]
    keys = [fold.key for several in folds for fold in several]
    return [
        Fault(file=str(loaded.file), field=f"gates[{index}].{field}", problem=problem, remedy=remedy)
        for index, gate in enumerate(loaded.suite.gates)
        for field, problem, remedy in _doubts(gate, keys)
    ]


def _doubts(gate: Gate, keys: list[RowKey]) -> Iterator[tuple[str, str, str]]:
    there = [key for key in keys if key.capability == gate.capability and gate.scorer in {None, key.scorer}]
    rows = [key for key in there if key.criterion == gate.criterion]
    if there and not rows:
        problem = f"no row {gate.criterion!r} is measured in {gate.capability!r}: this gate can never be decided"
        yield "criterion", problem, nearest(gate.criterion, [key.criterion for key in there], "criteria")
    for low, high in dict.fromkeys(span for key in rows if (span := _range(key))):
        reach = f"the row lies between {low:g} and {high:g}"
        if _passes_all(gate, low, high):
            yield "min", f"this gate cannot fail: {reach}", "set a threshold that some value misses"
        elif gate.on != "no_regression" and _passes_none(gate, low, high):
            yield "min", f"this gate cannot pass: {reach}", "set a threshold that some value reaches"


def _range(key: RowKey) -> tuple[float, float] | None:
    """Return the range that a row cannot leave, or None where there is none."""
    return (0.0, 1.0) if key.estimate == "rate" else key.within


def _passes_all(gate: Gate, low: float, high: float) -> bool:
    if gate.on == "no_regression":
        return gate.margin >= high - low
    return (gate.min is None or gate.min <= low) and (gate.max is None or gate.max >= high)


def _passes_none(gate: Gate, low: float, high: float) -> bool:
    return (gate.min is not None and gate.min > high) or (gate.max is not None and gate.max < low)
