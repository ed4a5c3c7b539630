"""Which way a row gets better. Shares and most means: higher. Counts of faults: lower. Some counts describe and rank nothing.

Whatever says better, worse or regressed asks here, so that a comparison of runs and a gate cannot disagree.
"""

from typing import Literal, Protocol

from evalkit.records.base import Json
from evalkit.records.verdicts import SPECIFICITY

Direction = Literal["higher", "lower", "neither"]

_FAULTS_BY_JUDGE = frozenset({"violations", "misattributions", "inaccurate_general", "contradiction"})
_DESCRIBED_BY_JUDGE = frozenset({"cleared", SPECIFICITY})
"""More cleared statements may be more padding."""
_FAULTS_BY_CODE = frozenset({("arithmetic", "arithmetic_errors")})
"""(scorer, criterion): a suite may call a scorer and its criteria what it likes, so the scorer's own name is asked."""


class Measured(Protocol):
    """What a row says of itself before it has a value."""

    @property
    def kind(self) -> str:
        """Who measured: deterministic, classifier, judge or policy."""

    @property
    def criterion(self) -> str:
        """What was measured."""

    @property
    def estimate(self) -> Literal["rate", "mean"]:
        """What kind of number it is."""

    @property
    def signature(self) -> dict[str, Json]:
        """What makes the number; of code it names the scorer."""


def direction(row: Measured) -> Direction:
    """Return which way a row gets better; `neither` for a number that ranks no candidate."""
    if row.estimate == "rate":
        return "higher"
    if row.kind == "judge":
        if row.criterion in _DESCRIBED_BY_JUDGE:
            return "neither"
        return "lower" if row.criterion in _FAULTS_BY_JUDGE else "higher"
    return "lower" if (row.signature.get("scorer"), row.criterion) in _FAULTS_BY_CODE else "higher"
