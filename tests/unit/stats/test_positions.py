"""Position bias: the nine cells of the swap table, and the figures by their definitions."""

from __future__ import annotations

import pytest

from evalkit.stats.differences import mcnemar_midp, tango
from evalkit.stats.intervals import clopper_pearson, wilson
from evalkit.stats.positions import position_bias, swap


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("first", "second", "consistent"),
        ("second", "first", "consistent"),
        ("tie", "tie", "consistent"),
        ("first", "first", "primacy"),
        ("first", "tie", "primacy"),
        ("tie", "first", "primacy"),
        ("second", "second", "recency"),
        ("second", "tie", "recency"),
        ("tie", "second", "recency"),
    ],
)
def test_a_pair_is_consistent_or_leans_to_a_place(one, other, expected):
    assert swap(one, other) == expected


def test_the_figures_are_those_of_the_paired_table():
    found = position_bias(36, 11, 3)
    assert found.consistency == 0.72
    assert found.consistency_interval == wilson(36, 50)
    assert found.swing == pytest.approx(0.16)
    assert found.swing_interval == tango(11, 3, 50)
    assert found.p == mcnemar_midp(11, 3)
    assert found.first_share == pytest.approx(11 / 14)
    assert found.first_share_interval == clopper_pearson(11, 14)


def test_without_an_order_dependent_pair_there_is_no_share_but_the_swing_keeps_its_width():
    found = position_bias(50, 0, 0)
    assert (found.first_share, found.first_share_interval, found.swing) == (None, None, 0.0)
    assert found.swing_interval[0] < 0 < found.swing_interval[1]


def test_no_pair_at_all_is_refused():
    with pytest.raises(ValueError, match="rate"):
        position_bias(0, 0, 0)
