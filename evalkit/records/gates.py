"""What a gate came to: passed only where the figures show it at their worst end."""

from typing import Literal

from evalkit.records.base import Record
from evalkit.records.directions import Direction
from evalkit.records.reports import Interval

GateState = Literal["passed", "failed", "refused"]
"""`refused`: the figures cannot decide it, which is never a pass."""


class GateResult(Record):
    """One threshold on one row, one policy condition, or the run itself."""

    kind: Literal["run", "threshold", "policy"]
    name: str
    """Capability, scorer and criterion; the condition; or `run`."""
    demand: str
    """What was asked, in words."""
    state: GateState
    observed: float | None = None
    """The figure that was held against the threshold, at its worst end; of `no_regression` the bound of the difference run - baseline."""
    reason: str
    """Why it came to that, in words."""
    cases: tuple[str, ...] = ()
    """Cases that broke a condition, the first 20."""


class Gated(Record):
    """Everything that was asked of a run."""

    schema_version: Literal[1] = 1
    run: str
    suite: str
    state: GateState
    """failed where anything failed, else refused where anything was refused."""
    results: tuple[GateResult, ...]


class Regression(Record):
    """How far a row may have fallen behind the baseline."""

    n: int
    """Pairs, cases with a hidden outcome included at their worst."""
    lower: float | None
    """One-sided 95 % lower bound of how much better the run is than the baseline, worst end; None where it cannot be had."""
    better: Direction = "higher"
    """Whether more or less of the row is better: the difference is run - baseline for `higher`, baseline - run for `lower`."""
    drift: int = 0
    """Pairs with the baseline's output and another result, in which the instrument moved: counted as no difference."""
    reason: str = ""
    """Why there is no bound, or why it may decide nothing; empty where it may."""


class Reliance(Record):
    """What a judge's row may be relied on for, as human labels measured it under the row's own configuration."""

    bounds: Interval | None = None
    """One-sided 95 % lower and upper bound of the corrected pass rate over the scored cases; None where the row may decide nothing."""
    reason: str = ""
    """Why it may decide nothing; empty where it may."""
