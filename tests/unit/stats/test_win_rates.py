"""Win rates: one table under two names, ties as half a win."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalkit.stats.differences import mcnemar_midp, tango
from evalkit.stats.results import Refused
from evalkit.stats.win_rates import win_rate


@given(st.integers(0, 60), st.integers(0, 60), st.integers(0, 60))
def test_the_rate_is_the_net_on_another_scale(wins, ties, losses):
    found = win_rate(wins, ties, losses)
    n = wins + ties + losses
    if not n:
        assert found == Refused("no pairs")
        return
    assert found.net.value == (wins - losses) / n
    assert found.rate.value == pytest.approx((wins + ties / 2) / n)
    assert found.net.interval == tango(wins, losses, n)
    assert found.rate.interval == pytest.approx([(1 + end) / 2 for end in found.net.interval])
    assert found.p == mcnemar_midp(wins, losses)


def test_where_every_pair_is_tied_the_interval_keeps_its_width():
    found = win_rate(0, 60, 0)
    assert found.rate.value == 0.5
    assert found.rate.interval[1] - found.rate.interval[0] > 0.05
    assert found.rate.insufficient == "0 decided pairs, 5 needed"


def test_fewer_than_fifty_pairs_decide_nothing():
    assert win_rate(30, 10, 9).net.insufficient == "49 pairs, 50 needed"
    assert win_rate(30, 10, 10).net.insufficient is None


def test_negative_counts_are_no_table():
    with pytest.raises(ValueError, match="not negative"):
        win_rate(3, -1, 2)
