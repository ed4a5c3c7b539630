from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalkit.stats.power import pairs_needed, smallest_difference, smallest_mean_difference


def test_connors_example_needs_303_pairs():
    assert round(pairs_needed(0.14, 0.06)) == 303


@given(n=st.integers(10, 5000), discordant=st.floats(0, 1))
def test_the_smallest_difference_is_what_its_own_sample_size_finds(n, discordant):
    found = smallest_difference(n, discordant)
    assert found is not None
    assert pairs_needed(max(discordant, found), found) == pytest.approx(n, rel=1e-6)


def test_a_handful_of_pairs_finds_nothing_at_all():
    assert smallest_difference(2, 0.0) is None


def test_a_mean_needs_two_point_eight_standard_errors():
    assert smallest_mean_difference(1.0) == pytest.approx(1.959964 + 0.841621, abs=1e-6)


@pytest.mark.parametrize(("discordant", "difference"), [(0.1, 0.2), (0.1, 0.0), (1.1, 0.5)])
def test_a_difference_beyond_the_pairs_that_differ_is_refused(discordant, difference):
    with pytest.raises(ValueError, match="difference"):
        pairs_needed(discordant, difference)


def test_no_pairs_are_refused():
    with pytest.raises(ValueError, match="n > 0"):
        smallest_difference(0, 0.5)
