"""Differences: Tango against its published example and its own likelihood, McNemar against scipy, coverage by simulation."""

from __future__ import annotations

from math import sqrt
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar
from scipy.stats import binom, binomtest

from evalkit.stats.differences import mcnemar_midp, newcombe, tango, unpaired
from evalkit.stats.intervals import Z95
from evalkit.stats.results import Refused

REPLICATES = 4000
tables = st.tuples(st.integers(0, 12), st.integers(0, 12), st.integers(0, 30)).filter(lambda t: sum(t) > 0)


@given(st.integers(0, 60), st.integers(0, 60))
def test_mid_p_is_the_exact_p_less_the_chance_of_the_table_itself(b, c):
    expected = 1.0 if b == c else binomtest(b, b + c).pvalue - binom.pmf(min(b, c), b + c, 0.5)
    assert mcnemar_midp(b, c) == pytest.approx(expected, abs=1e-12)


def test_mid_p_cannot_reach_the_level_below_five_discordant_pairs():
    assert mcnemar_midp(4, 0) == 1 / 16
    assert mcnemar_midp(5, 0) == 1 / 32


def test_mid_p_stays_a_number_for_many_pairs():
    assert mcnemar_midp(3000, 0) == pytest.approx(0)
    assert 0 < mcnemar_midp(5100, 4900) < 0.05


def test_tango_gives_the_published_interval_of_the_airway_study():
    """Fagerland, Lydersen & Laake 2014: b = 1, c = 7, n = 21."""
    assert tango(1, 7, 21) == pytest.approx((-0.517, -0.026), abs=5e-4)


def test_without_discordant_pairs_the_interval_keeps_its_width():
    half = Z95**2 / (50 + Z95**2)
    assert tango(0, 0, 50) == pytest.approx((-half, half), abs=1e-12)


def test_when_every_pair_is_won_the_upper_end_is_one():
    low, high = tango(9, 0, 9)
    assert high == 1
    assert 0.4 < low < 1


@given(tables)
@settings(max_examples=60)
def test_the_ends_are_where_the_score_test_just_rejects(table):
    b, c, both = table
    n = b + c + both
    for end in tango(b, c, n):
        if abs(end) < 1 - 1e-6:
            assert abs(score(b, c, n, end)) == pytest.approx(Z95, rel=1e-3)


def score(b, c, n, delta):
    """The score statistic with the constrained likelihood maximised numerically, not by the closed form."""

    def surprise(q):
        from math import log

        shares = ((b, q + delta), (c, q), (n - b - c, 1 - 2 * q - delta))
        return -sum(count * log(max(share, 1e-300)) for count, share in shares if count)

    low, high = max(0.0, -delta), (1 - delta) / 2
    q = minimize_scalar(surprise, bounds=(low, high), method="bounded", options={"xatol": 1e-12}).x
    return (b - c - n * delta) / sqrt(n * (2 * q + delta * (1 - delta)))


@given(tables)
def test_tango_contains_the_difference_and_mirrors(table):
    b, c, both = table
    n = b + c + both
    low, high = tango(b, c, n)
    assert -1 <= low <= (b - c) / n <= high <= 1
    assert low < high
    assert tango(c, b, n) == pytest.approx((-high, -low))


@given(tables)
def test_tango_excludes_zero_exactly_where_uncorrected_mcnemar_rejects(table):
    b, c, both = table
    low, high = tango(b, c, b + c + both)
    rejects = b + c > 0 and (b - c) ** 2 / (b + c) > Z95**2
    assert (low > 0 or high < 0) == rejects


@pytest.mark.parametrize(("p_b", "p_c"), [(0.12, 0.04), (0.05, 0.05), (0.3, 0.2)])
@pytest.mark.parametrize("n", [30, 50, 200])
def test_tango_covers_the_truth_in_a_simulation(n, p_b, p_c):
    rng = Random(f"tango {n} {p_b} {p_c}")
    discordant = rng.choices(range(n + 1), binom.pmf(range(n + 1), n, p_b + p_c).tolist(), k=REPLICATES)
    table = {}
    covered = 0
    for m in discordant:
        b = sum(rng.random() < p_b / (p_b + p_c) for _ in range(m))
        if (b, m) not in table:
            low, high = tango(b, m - b, n)
            table[b, m] = low <= p_b - p_c <= high
        covered += table[b, m]
    assert covered / REPLICATES >= 0.92


def test_newcombe_is_put_together_from_wilsons_limits():
    """484/500 against 220/240, different cases: 5.1 points."""
    assert newcombe(484, 500, 220, 240) == pytest.approx((0.0167, 0.0949), abs=1e-4)


@given(st.integers(1, 200), st.integers(1, 200), st.floats(0, 1), st.floats(0, 1))
def test_newcombe_contains_the_difference_and_mirrors(n_1, n_2, share_1, share_2):
    k_1, k_2 = round(n_1 * share_1), round(n_2 * share_2)
    low, high = newcombe(k_1, n_1, k_2, n_2)
    assert -1 <= low <= k_1 / n_1 - k_2 / n_2 <= high <= 1
    assert low < high
    assert newcombe(k_2, n_2, k_1, n_1) == pytest.approx((-high, -low))


def test_a_difference_over_different_cases_says_when_it_rests_on_too_few():
    found = unpaired(484, 500, 220, 240)
    assert found.value == pytest.approx(484 / 500 - 220 / 240)
    assert (found.interval, found.insufficient) == (newcombe(484, 500, 220, 240), None)
    assert unpaired(20, 25, 30, 40).insufficient == "25 cases on the smaller side, 30 needed"
    assert unpaired(0, 0, 30, 40) == Refused("a side has no cases")


@pytest.mark.parametrize(
    "call",
    [lambda: mcnemar_midp(-1, 2), lambda: tango(3, 3, 5), lambda: tango(0, 0, 0), lambda: newcombe(1, 0, 1, 1)],
)
def test_what_is_no_table_is_refused(call):
    with pytest.raises(ValueError, match=r"counts|table|rate"):
        call()


def test_the_one_sided_bound_of_a_non_inferiority_test_is_tango_at_the_95_percent_quantile():
    assert tango(9, 7, 300, 1.6448536269514722)[0] == pytest.approx(-0.016419, abs=1e-6)
