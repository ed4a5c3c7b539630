"""Kappa: its definition by matrices, its standard error by the delta method worked out numerically, its paradoxes."""

from __future__ import annotations

from math import sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalkit.stats.kappa import cohen_kappa, indices
from evalkit.stats.results import Refused

matrices = st.integers(2, 4).flatmap(
    lambda q: st.lists(st.lists(st.integers(0, 30), min_size=q, max_size=q), min_size=q, max_size=q)
)


def pairs(matrix):
    return {(a, b): count for a, row in enumerate(matrix) for b, count in enumerate(row)}


def kappa_of(shares):
    chance = shares.sum(axis=1) @ shares.sum(axis=0)
    return (np.trace(shares) - chance) / (1 - chance)


def delta_method(matrix):
    """The multinomial covariance carried through kappa's gradient, the gradient by central differences."""
    counts = np.array(matrix, dtype=float)
    n = counts.sum()
    shares = counts / n
    gradient = np.zeros_like(shares)
    for place in np.ndindex(shares.shape):
        step = np.zeros_like(shares)
        step[place] = 1e-6
        gradient[place] = (kappa_of(shares + step) - kappa_of(shares - step)) / 2e-6
    mean = (shares * gradient).sum()
    return kappa_of(shares), sqrt(max(0.0, ((shares * gradient**2).sum() - mean**2) / n))


@given(matrices)
def test_value_and_error_are_those_of_the_definition(matrix):
    found = cohen_kappa(pairs(matrix))
    if isinstance(found, Refused):
        counts = np.array(matrix)
        assert counts.sum() == counts.max()
        return
    value, error = delta_method(matrix)
    assert found.estimate.value == pytest.approx(value, abs=1e-9)
    assert found.se == pytest.approx(error, abs=1e-6)
    assert -1 - 1e-12 <= found.estimate.value <= found.largest + 1e-12


def test_a_common_label_makes_kappa_small_although_readers_agree_as_often():
    balanced, prevalent = [[40, 9], [6, 45]], [[85, 5], [7, 3]]
    assert cohen_kappa(pairs(balanced)).estimate.value == pytest.approx(0.6995192307692307)
    assert cohen_kappa(pairs(balanced)).se == pytest.approx(0.0713936027)
    found = cohen_kappa(pairs(prevalent))
    assert (found.observed, found.estimate.value) == (0.88, pytest.approx(0.2682926829))
    assert found.largest == pytest.approx(0.8780487805)
    assert indices(85, 5, 7, 3) == pytest.approx((0.82, -0.02))


def test_complete_agreement_has_no_interval():
    found = cohen_kappa({("pass", "pass"): 60, ("fail", "fail"): 20})
    assert (found.estimate.value, found.estimate.interval, found.se, found.largest) == (1, None, 0, 1)
    assert found.estimate.insufficient is None


def test_one_class_only_is_undefined_neither_1_nor_0():
    found = cohen_kappa({("pass", "pass"): 60, ("fail", "fail"): 0})
    assert found == Refused("undefined: one class only (all labels pass)")


def test_readers_who_use_one_label_each_but_not_the_same_agree_on_nothing():
    assert cohen_kappa({("pass", "fail"): 60}).estimate.value == 0


def test_fewer_than_fifty_items_are_shown_and_decide_nothing():
    assert cohen_kappa(pairs([[20, 4], [5, 20]])).estimate.insufficient == "49 items, 50 needed"


def test_no_items_are_refused_and_negative_counts_are_no_table():
    assert isinstance(cohen_kappa({}), Refused)
    assert isinstance(indices(0, 0, 0, 0), Refused)
    with pytest.raises(ValueError, match="not negative"):
        cohen_kappa({("pass", "pass"): -1})
    with pytest.raises(ValueError, match="not negative"):
        indices(1, -1, 0, 0)
