from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from evalkit.records.directions import direction


@dataclass
class Measured:
    """A row before it has a value."""

    kind: str
    criterion: str
    estimate: str = "mean"
    signature: dict = field(default_factory=dict)


@pytest.mark.parametrize(
    ("row", "better"),
    [
        (Measured("judge", "violations"), "lower"),
        (Measured("judge", "contradiction"), "lower"),
        (Measured("judge", "coverage"), "higher"),
        (Measured("judge", "cleared"), "neither"),
        (Measured("judge", "specificity"), "neither"),
        (Measured("judge", "violations", "rate"), "higher"),
        (Measured("deterministic", "mrr"), "higher"),
        (Measured("deterministic", "arithmetic_errors", signature={"scorer": "arithmetic"}), "lower"),
        (Measured("deterministic", "violations", signature={"scorer": "custom"}), "higher"),
    ],
)
def test_counts_of_faults_get_better_downwards_and_descriptions_not_at_all(row, better):
    assert direction(row) == better
