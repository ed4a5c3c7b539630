"""baseline.json: the run that later runs of a suite are held against, frozen and committed beside suite.yaml."""

from typing import Literal

from pydantic import Field

from evalkit.records.base import Record
from evalkit.records.reports import Interval, JudgeHeader, Row


class Baseline(Record):
    """The whole of baseline.json; the cases behind the rows stand in baseline.scores.jsonl beside it."""

    schema_version: Literal[1] = 1
    suite: str
    run_id: str
    """The run that was set."""
    outputs: str
    """The candidate's name."""
    golden_sha256: str
    outputs_sha256: str
    scores_sha256: str
    """SHA-256 of baseline.scores.jsonl."""
    judges: tuple[JudgeHeader, ...]
    rows: tuple[Row, ...]


class BaselineRow(Record):
    """One row of a report against the baseline's."""

    capability: str
    scorer: str
    criterion: str
    not_comparable: tuple[str, ...] = ()
    """Why there is no difference; empty where there is one."""
    n: int = 0
    """Cases that both scored."""
    baseline: float | None = None
    value: float | None = None
    """Both over these cases."""
    fixed: int = 0
    broken: int = 0
    """Cases that came to pass and to fail; `evalkit diff` names them."""
    unchanged: int = Field(default=0, exclude_if=lambda unchanged: not unchanged)
    """Cases with the baseline's output."""
    drift: int = Field(default=0, exclude_if=lambda drift: not drift)
    """Of these, cases with another result: the instrument moved; in the value and not in the difference."""
    difference: float | None = None
    interval: Interval | None = None
    p: float | None = None


class LengthChange(Record):
    """How the association of an answer's length with a judge's verdict changed, over the cases that both runs judged."""

    capability: str
    scorer: str
    criterion: str
    n: int
    baseline: float | None
    value: float | None
    """Somers' D of length for passed against failed answers; None where one of the runs has one class only."""
    interval: Interval | None
    """95 % of value - baseline."""
    alarm: bool
    """True where the interval excludes 0 and both classes are large enough in both runs: measure padding before you believe the row."""
    note: str = ""


class BaselineDiff(Record):
    """A report's differences from the baseline."""

    run_id: str
    sha256: str
    """SHA-256 of baseline.json."""
    rows: tuple[BaselineRow, ...]
    length: tuple[LengthChange, ...] = ()
    """A row for each judge's row that can be compared."""
