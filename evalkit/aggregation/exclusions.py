"""Why a case is not in a row's n, and whether it could have been a pass or a fail: that decides the worst-case bounds.

An exclusion either says that the criterion asks nothing of the case, or hides an outcome. Only the latter widens the bounds. A
reason that does not stand in the table (a scorer of the user's own) hides an outcome: bounds may be too wide, never too narrow.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from evalkit.records.classified import UNCERTAIN
from evalkit.records.scores import SCORER_ERROR

OUTCOMES: Mapping[str, Literal["none", "hidden"]] = {
    "not_applicable": "none",  # the criterion does not apply, e.g. citation support of an answer without citations
    "no_expectation": "none",  # the golden set holds nothing that the answer could be compared with
    "judge_error": "hidden",  # the judge was asked and gave no verdict that passed every check; the kind follows a colon
    "not_bought": "hidden",  # the judge was never asked: max_cost, early stop, interruption
    "unstable": "hidden",  # samples of one request disagree
    "floor_abstains": "hidden",  # the floor judge has no rule for the criterion
    UNCERTAIN: "hidden",  # the classifier was asked and was not sure
    SCORER_ERROR: "hidden",  # the scorer failed, or gave a value that is no finite number
    "missing_output": "hidden",  # the candidate has no output for the case
    "null_text": "hidden",  # the output's text is null
    "output_error": "hidden",  # the candidate failed on the case
    "unknown_latency": "hidden",  # the output does not say how long it took
    "unknown_cost": "hidden",  # the output does not say what it cost; unknown is never 0
}
"""Reason, without what follows a colon -> whether the case has no outcome here, or one that was not seen."""


def hides_outcome(reason: str) -> bool:
    """Return whether a case excluded for this reason would have passed or failed, had it been measured."""
    return OUTCOMES.get(reason.partition(":")[0], "hidden") == "hidden"


def unknown_outcomes(excluded: Mapping[str, int]) -> int:
    """Return how many excluded cases hide an outcome."""
    return sum(count for reason, count in excluded.items() if hides_outcome(reason))
