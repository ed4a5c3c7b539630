"""Equivalence and non-inferiority: decided by where an interval lies, never by a test that found nothing."""

from __future__ import annotations

import pytest

from evalkit.stats.differences import tango
from evalkit.stats.equivalence import non_inferiority, paired_equivalence, standing

Z90 = 1.6448536269514722


@pytest.mark.parametrize(
    ("interval", "expected"),
    [
        ((-0.02, 0.03), "inside"),
        ((-0.05, 0.03), "undecided"),
        ((-0.02, 0.05), "undecided"),
        ((-0.2, 0.2), "undecided"),
        ((0.06, 0.2), "outside"),
        ((-0.3, -0.06), "outside"),
        ((0.01, 0.06), "undecided"),
    ],
)
def test_an_interval_is_inside_outside_or_neither(interval, expected):
    assert standing(interval, 0.05) == expected


def test_a_paired_difference_is_judged_by_tangos_ninety_percent_interval():
    found = paired_equivalence(9, 7, 300, 0.05)
    assert (found.standing, found.difference) == ("inside", pytest.approx(2 / 300))
    assert found.interval == pytest.approx(tango(9, 7, 300, Z90))
    assert paired_equivalence(0, 0, 20, 0.05).standing == "undecided"
    assert paired_equivalence(60, 5, 300, 0.05).standing == "outside"


def test_no_discordant_pair_of_twenty_does_not_show_that_nothing_got_worse():
    assert not non_inferiority(0, 0, 20, 0.05).holds
    assert non_inferiority(0, 0, 200, 0.05).holds


def test_the_lower_bound_decides_on_non_inferiority():
    found = non_inferiority(9, 7, 300, 0.03)
    assert found.holds
    assert found.lower == pytest.approx(-0.0164194, abs=1e-6)
    assert not non_inferiority(9, 7, 300, 0.016).holds


@pytest.mark.parametrize(
    "call",
    [
        lambda: standing((0, 1), 0),
        lambda: non_inferiority(1, 1, 9, -0.1),
        lambda: paired_equivalence(1, 1, 9, 0.1, level=0.5),
    ],
)
def test_what_is_outside_the_range_is_refused(call):
    with pytest.raises(ValueError, match=r"tolerance|margin|level"):
        call()
