"""What a comparison of two runs says: per criterion the cases first, then the difference and what it can carry."""

from typing import Literal

from pydantic import Field

from evalkit.records.base import Record
from evalkit.records.directions import Direction
from evalkit.records.reports import Interval


class RowName(Record):
    """Which row of a report is meant."""

    capability: str
    scorer: str
    criterion: str
    kind: Literal["deterministic", "classifier", "judge", "policy"]


class RefusedRow(RowName):
    """A row of both runs that may not be compared."""

    reasons: tuple[str, ...]
    """What differs, field by field."""


class CountRatio(Record):
    """How many times as much one run counts as the other, over the answers that both counted."""

    value: float | None
    """Mean of B over mean of A; None where that is refused."""
    interval: Interval | None
    """95 %, bootstrap over answers, each answer's readings averaged first."""
    note: str = ""
    """Why there is no value or interval, or what it cannot carry."""


class RowDiff(RowName):
    """One criterion over the cases that both runs scored. Differences are B - A."""

    estimate: Literal["rate", "mean"]
    n: int
    """Pairs: cases that both runs scored."""
    value_a: float | None
    value_b: float | None
    """Pass rate or mean over the pairs; None without pairs."""
    fixed: tuple[str, ...] = ()
    """Cases that failed in A and pass in B, with a changed output."""
    broken: tuple[str, ...] = ()
    """Cases that passed in A and fail in B, with a changed output."""
    still_failing: tuple[str, ...] = ()
    unchanged: int = 0
    """Pairs whose output is the same in both runs."""
    drift: tuple[str, ...] = ()
    """Cases whose output is the same and whose result is not: the instrument moved, not the candidate. Not in the difference."""
    drift_by: dict[str, tuple[str, ...]] = Field(default_factory=dict, exclude_if=lambda tiers: not tiers)
    """Of a cascade: which tier decided in each run -> cases of `drift`."""
    unpaired: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    """Why a case is no pair -> case ids."""
    difference: float | None = None
    interval: Interval | None = None
    """95 %: Tango for a rate, t over cases for a mean."""
    p: float | None = None
    """Two-sided: McNemar mid-p for a rate, t for a mean; over clusters where `interval_clustered` is given."""
    clusters: int | None = None
    """Clusters among the pairs, where cases share any."""
    interval_clustered: Interval | None = None
    """95 %, t over clusters."""
    p_holm: float | None = None
    q: float | None = None
    """Benjamini-Hochberg."""
    detectable: float | None = None
    """The smallest difference that this comparison would have found with 80 % power at the 5 % level."""
    insufficient: bool = True
    """True where the pairs are too few to decide anything."""
    better: Direction = Field(default="higher", exclude_if=lambda better: better == "higher")
    """Which way the row gets better: `lower` of a count of faults, `neither` of a number that ranks nothing."""
    moved: Literal["better", "worse"] | None = None
    """Said only where q <= .05 and the pairs suffice."""
    note: str = ""
    caution: str = Field(default="", exclude_if=lambda caution: not caution)
    """What a judge's row is, where no earned trust stands behind it in both runs: the floor's, or provisional."""
    ratio: CountRatio | None = Field(default=None, exclude_if=lambda ratio: ratio is None)
    """Counts per answer of a triage only."""


class Instrument(Record):
    """A run's judge as an instrument, said before any difference."""

    run: str
    self_agreement: str
    judged: int
    judge_errors: int
    judge_error_rate: float | None
    within_budget: bool


class RunDiff(Record):
    """The whole of a comparison."""

    schema_version: Literal[1] = 1
    run_a: str
    run_b: str
    suite: str
    instruments: tuple[Instrument, ...]
    notes: tuple[str, ...]
    family: int
    """Tests that were corrected for together."""
    rows: tuple[RowDiff, ...]
    refused: tuple[RefusedRow, ...]
    only_a: tuple[RowName, ...]
    only_b: tuple[RowName, ...]
