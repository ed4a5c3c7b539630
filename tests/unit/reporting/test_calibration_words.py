"""A calibration in words: what is of the labels as drawn never stands beside what is of the run without its name."""

from __future__ import annotations

import pytest
from fakes.calibrated import calibration_row

from evalkit.reporting.calibration_words import lines


@pytest.mark.parametrize(
    ("weighting", "drawn", "back"), [("begg-greenes", ", as drawn", ", weighted back"), ("none", "", "")]
)
def test_figures_of_labels_drawn_by_verdict_are_named_as_drawn_or_weighted_back(weighting, drawn, back):
    names = dict(lines(calibration_row(weighting=weighting)))
    assert {f"agreement{drawn}", f"always pass{drawn}", f"true-pass rate{back}", f"true-fail rate{back}"} <= set(names)
    assert ("weighting" in names) is (weighting != "none")
