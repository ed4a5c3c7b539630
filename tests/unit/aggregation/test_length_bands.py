from __future__ import annotations

import itertools

from hypothesis import given
from hypothesis import strategies as st

from evalkit.aggregation.length_bands import length_bands
from evalkit.stats.intervals import wilson


def test_cases_are_cut_into_bands_of_equal_size_from_short_to_long():
    bands = length_bands([(8, False), (1, True), (5, True), (2, True), (6, False), (3, False), (7, False), (4, True)])
    assert [(band.shortest, band.longest, band.n, band.passed) for band in bands] == [
        (1, 2, 2, 2),
        (3, 4, 2, 1),
        (5, 6, 2, 1),
        (7, 8, 2, 0),
    ]
    assert bands[0].interval == wilson(2, 2)


def test_answers_of_one_length_stand_in_one_band():
    bands = length_bands([(5, True)] * 6 + [(9, False)] * 2)
    assert [(band.shortest, band.n) for band in bands] == [(5, 6), (9, 2)]


def test_no_case_gives_no_band():
    assert length_bands([]) == ()


@given(st.lists(st.tuples(st.integers(0, 50), st.booleans())), st.integers(1, 6))
def test_bands_part_the_cases_without_overlap(cases, most):
    bands = length_bands(cases, most)
    assert len(bands) <= most
    assert sum(band.n for band in bands) == len(cases)
    assert sum(band.passed for band in bands) == sum(ok for _, ok in cases)
    assert all(first.longest < second.shortest for first, second in itertools.pairwise(bands))
