from __future__ import annotations

import pytest
from fakes.stored_runs import row

from evalkit.rundiff.pairs import Pairs
from evalkit.rundiff.rows import row_diff
from evalkit.stats.differences import mcnemar_midp, tango


def rate_pairs(fixed: int, broken: int, same: int, clusters: list[str | None] | None = None) -> Pairs:
    """Return pairs of a rate: so many fixed, broken, and passed in both."""
    pairs = Pairs(deltas=[1.0] * fixed + [-1.0] * broken + [0.0] * same)
    pairs.clusters = clusters or [None] * pairs.n
    pairs.fixed = [f"f{i}" for i in range(fixed)]
    pairs.broken = [f"b{i}" for i in range(broken)]
    pairs.total_a, pairs.total_b = float(broken + same), float(fixed + same)
    return pairs


def mean_pairs(deltas: list[float]) -> Pairs:
    """Return pairs of a mean."""
    return Pairs(deltas=deltas, clusters=[None] * len(deltas), total_b=sum(deltas))


def test_a_rate_gets_tango_and_mid_p_of_fixed_and_broken():
    found = row_diff(row(), rate_pairs(12, 4, 84))
    assert found.difference == pytest.approx(0.08)
    assert found.interval == tango(12, 4, 100)
    assert found.p == mcnemar_midp(12, 4)
    assert not found.insufficient


def test_without_discordant_pairs_the_interval_stays_open_and_is_said():
    found = row_diff(row(), rate_pairs(0, 0, 50))
    assert found.interval == pytest.approx((-0.0713, 0.0713), abs=1e-4)
    assert found.p == 1.0
    assert "no discordant pairs" in found.note
    assert found.insufficient


def test_one_fixed_and_one_broken_are_both_named_though_the_rate_stands_still():
    found = row_diff(row(), rate_pairs(1, 1, 48))
    assert (found.value_a, found.value_b) == (0.98, 0.98)
    assert (found.fixed, found.broken) == (("f0",), ("b0",))


def test_cases_of_one_document_do_not_count_as_independent():
    alone = row_diff(row(), rate_pairs(20, 0, 180))
    together = row_diff(row(), rate_pairs(20, 0, 180, [f"d{i // 10}" for i in range(200)]))
    assert alone.p < 1e-4
    assert together.clusters == 20
    assert together.p > 0.1
    assert together.interval_clustered is not None


def test_few_clusters_carry_no_test():
    found = row_diff(row(), rate_pairs(20, 0, 20, [f"d{i // 10}" for i in range(40)]))
    assert found.p is None
    assert found.insufficient
    assert "4 clusters, fewer than 20" in found.note


def test_a_mean_gets_t_over_cases():
    found = row_diff(row(estimate="mean"), mean_pairs([0.1, 0.2, 0.3, 0.0] * 6))
    assert found.difference == pytest.approx(0.15)
    assert found.p < 0.001
    assert not found.insufficient


def test_equal_differences_have_no_spread_and_no_test():
    found = row_diff(row(estimate="mean"), mean_pairs([0.1] * 30))
    assert (found.interval, found.p, found.insufficient) == (None, None, True)
    assert "SD = 0" in found.note


def test_no_pairs_at_all_give_words_and_no_number():
    found = row_diff(row(), Pairs())
    assert (found.difference, found.interval, found.p) == (None, None, None)
    assert found.insufficient
