"""Strata: impossible counts, missing labels, thin labels."""

from __future__ import annotations

import pytest

from evalkit.stats.strata import Strata


@pytest.mark.parametrize(
    "strata",
    [
        Strata(0, 0, 0, 0, 0, 0),
        Strata(10, 11, 0, 0, 0, 0),
        Strata(10, 5, 6, 0, 0, 0),
        Strata(10, 5, 3, 4, 0, 0),
        Strata(10, 5, 3, 2, 6, 0),
        Strata(10, 5, 3, 2, 3, 4),
        Strata(10, 5, 3, -1, 3, 1),
    ],
)
def test_a_part_larger_than_its_whole_is_refused(strata):
    with pytest.raises(ValueError, match="larger than its whole"):
        strata.check()


def test_both_strata_without_labels_are_named():
    assert Strata(30, 25, 0, 0, 0, 0).refusal().reason == (
        "none of the 25 answers that the judge passed is labelled; label 10 of them; "
        "none of the 5 answers that the judge failed is labelled; label 5 of them"
    )


def test_a_stratum_without_answers_needs_no_label():
    assert Strata(30, 30, 10, 9, 0, 0).refusal() is None
    assert Strata(30, 30, 10, 9, 0, 0).thin() is None


def test_a_small_stratum_is_enough_when_it_is_labelled_whole():
    assert Strata(30, 26, 10, 9, 4, 1).thin() is None
    assert Strata(30, 26, 10, 9, 3, 1).thin() == "3 labels among the 4 answers that the judge failed, 4 needed"
