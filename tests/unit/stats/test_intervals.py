"""Rates: scipy's own intervals, the edges by arithmetic, and the coverage that the docstrings promise."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import beta, binom, binomtest

from evalkit.stats.intervals import (
    Z95,
    clopper_pearson,
    clopper_pearson_lower,
    clopper_pearson_upper,
    jeffreys,
    manski_bounds,
    wilson,
)

REPLICATES = 4000
rates = st.integers(1, 400).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))


@given(rates)
def test_wilson_agrees_with_scipy(rate):
    passed, n = rate
    expected = binomtest(passed, n).proportion_ci(0.95, method="wilson")
    assert wilson(passed, n) == pytest.approx((expected.low, expected.high), abs=1e-12)


@given(rates)
def test_clopper_pearson_agrees_with_scipy(rate):
    passed, n = rate
    expected = binomtest(passed, n).proportion_ci(0.95, method="exact")
    assert clopper_pearson(passed, n) == pytest.approx((expected.low, expected.high), abs=1e-10)


@given(rates)
def test_the_one_sided_bounds_agree_with_scipy(rate):
    passed, n = rate
    low = binomtest(passed, n, alternative="greater").proportion_ci(0.95).low
    high = binomtest(passed, n, alternative="less").proportion_ci(0.95).high
    assert clopper_pearson_lower(passed, n) == pytest.approx(low, abs=1e-10)
    assert clopper_pearson_upper(passed, n) == pytest.approx(high, abs=1e-10)


@given(rates)
def test_jeffreys_is_a_beta_interval_opened_at_the_ends(rate):
    passed, n = rate
    low, high = jeffreys(passed, n)
    expected = beta.ppf([0.025, 0.975], passed + 0.5, n - passed + 0.5)
    assert low == pytest.approx(expected[0] if passed else 0, abs=1e-10)
    assert high == pytest.approx(expected[1] if passed < n else 1, abs=1e-10)
    assert low <= passed / n <= high


@given(st.integers(1, 10**7).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_wilson_contains_the_rate_stays_in_range_and_is_never_a_point(rate):
    passed, n = rate
    low, high = wilson(passed, n)
    assert 0 <= low <= passed / n <= high <= 1
    assert low < high


def test_no_passes_leave_an_upper_bound_and_no_fails_its_mirror():
    assert wilson(0, 20) == (0, pytest.approx(Z95**2 / (20 + Z95**2)))
    assert wilson(20, 20) == (pytest.approx(20 / (20 + Z95**2)), 1)
    assert clopper_pearson_upper(0, 20) == pytest.approx(1 - 0.05 ** (1 / 20))
    assert clopper_pearson_lower(20, 20) == pytest.approx(0.05 ** (1 / 20))
    assert (clopper_pearson_lower(0, 20), clopper_pearson_upper(20, 20)) == (0, 1)


def test_unknown_cases_bound_the_rate_from_both_sides():
    assert manski_bounds(212, 240, 6) == (212 / 246, 218 / 246)
    assert manski_bounds(3, 4, 0) == (0.75, 0.75)
    assert manski_bounds(0, 0, 5) == (0, 1)


@pytest.mark.parametrize(
    "call",
    [
        lambda: wilson(0, 0),
        lambda: wilson(3, 2),
        lambda: wilson(-1, 2),
        lambda: wilson(float("nan"), 2),
        lambda: clopper_pearson(5, 4),
        lambda: clopper_pearson_lower(1, 4, 1.0),
        lambda: manski_bounds(0, 0, 0),
        lambda: manski_bounds(2, 1, 0),
        lambda: manski_bounds(1, 1, -1),
    ],
)
def test_what_is_no_rate_is_refused(call):
    with pytest.raises(ValueError, match=r"need|level"):
        call()


@pytest.mark.parametrize("n", [30, 100, 300])
@pytest.mark.parametrize("p", [0.5, 0.8, 0.9, 0.95])
def test_wilson_covers_the_truth_in_a_simulation(p, n):
    table = [wilson(k, n) for k in range(n + 1)]
    weights = binom.pmf(range(n + 1), n, p).tolist()
    draws = Random(f"wilson {p} {n}").choices(range(n + 1), weights, k=REPLICATES)
    assert sum(table[k][0] <= p <= table[k][1] for k in draws) / REPLICATES >= 0.92


@pytest.mark.parametrize("n", [5, 30, 200])
@pytest.mark.parametrize("p", [0.02, 0.5, 0.97])
def test_a_one_sided_exact_bound_never_covers_less_than_it_says(p, n):
    chances = binom.pmf(range(n + 1), n, p)
    assert sum(chances[k] for k in range(n + 1) if clopper_pearson_lower(k, n) <= p) >= 0.95 - 1e-9
