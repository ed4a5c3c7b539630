from __future__ import annotations

import pytest
from fakes.stored_runs import row

from evalkit.reporting import figures


@pytest.mark.parametrize(
    ("share", "shown"),
    [(0.0, "0.0 %"), (0.0001, "<0.1 %"), (0.5, "50.0 %"), (0.9996, ">99.9 %"), (1.0, "100.0 %"), (2 / 3, "66.7 %")],
)
def test_rounding_never_turns_nearly_into_exactly(share, shown):
    assert figures.percent(share) == shown


@pytest.mark.parametrize("passed", range(1, 80, 2))
def test_a_share_rounds_the_same_way_in_per_cent_and_as_a_number(passed):
    share = passed / 80
    assert f"{float(figures.number(share)) * 100:.1f} %" == figures.percent(share)


def test_a_tie_is_one_of_the_number_as_it_is_written():
    assert (figures.number(0.8875), figures.percent(0.8875)) == ("0.888", "88.8 %")
    assert figures.interval(row(), (0.0005, 0.8875)) == "0.0 to 88.8 %"


def test_an_unknown_cost_is_never_zero():
    assert figures.dollars(None) == "cost unknown"
    assert figures.dollars(0.0) == "$0.0000"
    assert figures.dollars(1234.5) == "$1,234.50"


def test_a_row_without_cases_has_no_value():
    empty = row(n=0, passed=0, value=None, total=1, interval=None)
    assert figures.value(empty) == "no data"
    assert figures.interval(empty, empty.interval) == ""


def test_a_mean_is_a_number_in_its_own_unit():
    mean = row(estimate="mean", passed=None, value=1234.5, interval=(0.25, 2000.0))
    assert figures.value(mean) == "1,234"
    assert figures.interval(mean, mean.interval) == "0.250 to 2,000"
    assert figures.passed(mean) == "n 2"


def test_counts_stand_largest_first_without_zeros():
    assert figures.counts({"a": 1, "b": 3, "c": 0, "d": 1}) == "b 3, a 1, d 1"
