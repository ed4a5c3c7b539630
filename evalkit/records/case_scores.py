"""scores.jsonl: what code decided about each case, one line a case in the order of the golden set.

Rows of report.json are sums; a paired comparison needs the cases behind them. What a judge decided stands in verdicts.jsonl and is
not repeated here, but what code decided for a judge's row (no output, an empty text) is.
"""

from pydantic import Field

from evalkit.records.base import Json, Record
from evalkit.records.scores import Result, Unscored

StoredResult = bool | float | str | tuple[float, bool]
"""Of a rate whether it passed; of a mean its value, with whether it passed where there is a pass rule; or why it was not scored."""

LARGEST = 1e140
"""Values from here on, and NaN, are a fault of the scorer: no measurement is that large, and its square must not overflow."""
SCORER_ERROR = "scorer_error"


class CaseScores(Record):
    """One line of scores.jsonl."""

    case_id: str
    case: str
    """First 16 hex digits of the SHA-256 of the case's line in the golden set."""
    output: str | None
    """First 16 hex digits of the SHA-256 of all that can be scored of the output; None where there is none."""
    cluster: str | None = None
    scores: dict[int, StoredResult] = Field(default_factory=dict)
    """Index of the row in report.json -> result."""


def stored_result(result: Result, *, rate: bool) -> Json:
    """Return a result as it stands in a line; what a row counts as `scorer_error` is one here too."""
    if isinstance(result, Unscored):
        return result.reason
    value, passed = result[0], result[1]
    if not -LARGEST < value < LARGEST or (passed is None and rate):
        return SCORER_ERROR
    if rate:
        return bool(passed)
    return value if passed is None else [value, bool(passed)]
