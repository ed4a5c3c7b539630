"""Checked against scipy, over the range that reports reach and beyond."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats as reference

from evalkit.stats.distributions import beta_quantile, incomplete_beta, normal_quantile, t_quantile, t_two_sided

shapes = st.floats(0.05, 5000)
shares = st.floats(0.001, 0.999)


@given(shares, shapes, shapes)
def test_the_incomplete_beta_agrees_with_scipy(x, a, b):
    assert incomplete_beta(x, a, b) == pytest.approx(reference.beta.cdf(x, a, b), rel=1e-8, abs=1e-11)


@given(shares, shapes, shapes)
def test_the_two_tails_of_the_incomplete_beta_add_up_to_one(x, a, b):
    assert incomplete_beta(x, a, b) + incomplete_beta(1 - x, b, a) == pytest.approx(1, abs=1e-9)


def test_the_incomplete_beta_of_a_uniform_is_x_itself():
    assert [incomplete_beta(x, 1, 1) for x in (0, 0.25, 1)] == pytest.approx([0, 0.25, 1], abs=1e-15)


@pytest.mark.parametrize("a", [0.5, 1, 7, 120, 50_000])
@pytest.mark.parametrize("b", [0.5, 3, 900, 100_000])
@pytest.mark.parametrize("q", [0.025, 0.5, 0.95])
def test_beta_quantiles_agree_with_scipy(q, a, b):
    assert beta_quantile(q, a, b) == pytest.approx(reference.beta.ppf(q, a, b), abs=1e-11)


def test_a_beta_quantile_ends_where_the_distribution_ends():
    assert (beta_quantile(0, 2, 3), beta_quantile(1, 2, 3)) == (0, 1)


@pytest.mark.parametrize("df", [1, 2, 9, 29, 999, 99_999])
@pytest.mark.parametrize("q", [0.025, 0.4, 0.95, 0.975, 0.9995])
def test_t_quantiles_agree_with_scipy(q, df):
    assert t_quantile(q, df) == pytest.approx(reference.t.ppf(q, df), rel=1e-8)


def test_the_median_of_t_is_zero_and_a_huge_df_is_normal():
    assert t_quantile(0.5, 4) == 0
    assert t_quantile(0.975, 10_000_000) == pytest.approx(normal_quantile(0.975), rel=1e-6)


@pytest.mark.parametrize(
    "call",
    [
        lambda: incomplete_beta(-0.1, 1, 1),
        lambda: incomplete_beta(0.5, 0, 1),
        lambda: incomplete_beta(float("nan"), 1, 1),
        lambda: beta_quantile(1.1, 1, 1),
        lambda: t_quantile(0, 3),
        lambda: t_quantile(0.9, 0),
        lambda: normal_quantile(1),
    ],
)
def test_what_lies_outside_a_range_is_refused(call):
    with pytest.raises(ValueError, match="needs"):
        call()


@pytest.mark.parametrize(("t", "df"), [(0.0, 5), (2.0, 1), (-2.0, 10), (0.3, 400), (12.0, 26)])
def test_two_sided_t_agrees_with_scipy(t, df):
    assert t_two_sided(t, df) == pytest.approx(2 * reference.t.sf(abs(t), df), rel=1e-9)
