"""What a threshold can decide at all: a gate that every value passes can stop no release, and one that none passes says nothing of a run.

Asked before a run by `evalkit check` and of a run by its gates, so that both answer the same.
"""

from __future__ import annotations

from collections.abc import Callable

from evalkit.records.reports import Interval, Row
from evalkit.records.suites import Gate

SHARES: Interval = (0.0, 1.0)
"""What a rate cannot leave."""
Within = Callable[[Row], Interval | None]
"""The range that a row of a report cannot leave; None where there is none or it is not known."""


def no_range(row: Row) -> Interval | None:  # noqa: ARG001 - the signature of Within
    """Know the range of no mean: what holds where the suite behind a report is not asked."""
    return None


def passes_all(gate: Gate, within: Interval) -> bool:
    """Tell whether every row in this range passes a gate; a row that may only not regress passes where it cannot fall far enough."""
    low, high = within
    if gate.on == "no_regression" and gate.margin < high - low:
        return False
    return (gate.min is None or gate.min <= low) and (gate.max is None or gate.max >= high)


def passes_none(gate: Gate, within: Interval) -> bool:
    """Tell whether no row in this range passes a gate."""
    low, high = within
    return (gate.min is not None and gate.min > high) or (gate.max is not None and gate.max < low)
