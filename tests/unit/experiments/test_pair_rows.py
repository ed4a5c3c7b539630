"""Counts first; every figure of a row follows from them."""

from __future__ import annotations

import pytest

from evalkit.experiments.pair_outcomes import outcome_of
from evalkit.experiments.pair_rows import PairFold
from evalkit.stats.differences import mcnemar_midp, tango

KEY = {"first": "new", "second": "old", "judge": "j", "criterion": "overall"}
WIN, LOSS, TIE, TURN = (
    outcome_of("first", "first"),
    outcome_of("second", "second"),
    outcome_of("tie", "tie"),
    outcome_of("first", "second"),
)


def fold(*outcomes, words=(10, 10), cluster=None):
    made = PairFold(KEY)
    for outcome in outcomes:
        made.add(outcome, words, cluster)
    return made


def test_the_four_way_split_adds_up():
    row = fold(*[WIN] * 5, *[LOSS] * 2, TIE, *[TURN] * 4).row()
    assert (row.first_both, row.second_both, row.tie_both, row.towards_first_shown, row.towards_second_shown) == (
        5, 2, 1, 4, 0,
    )  # fmt: skip
    assert (row.wins, row.ties, row.losses, row.n) == (5, 5, 2, 12)
    assert row.win_rate == pytest.approx(7.5 / 12)
    assert row.net == pytest.approx(0.25)
    assert row.net_interval == pytest.approx(tango(5, 2, 12))
    assert row.p == pytest.approx(mcnemar_midp(5, 2))
    assert row.reading == "insufficient: 12 pairs, 50 needed"


def test_the_average_of_both_orders_differs_only_in_win_and_tie_cells():
    assert fold(WIN, TURN, TIE).row().average_net == pytest.approx(1 / 3)
    assert fold(WIN, outcome_of("first", "tie")).row().average_net == pytest.approx(0.75)


def test_the_bounds_let_every_lost_verdict_go_either_way():
    made = fold(WIN, WIN)
    made.exclude("judge_error:parse")
    made.exclude("unstable")
    made.exclude("missing_output")
    row = made.row()
    assert (row.pairs, row.n) == (5, 2)
    assert row.net_bounds == (-0.2, 1.0)  # a missing output hides an outcome, too


def test_an_interval_of_the_average_never_leaves_what_a_net_win_can_be():
    row = fold(WIN, LOSS).row()
    assert row.average_net_interval == (-1.0, 1.0)


def test_no_pair_gives_no_number():
    row = PairFold(KEY).row()
    assert (row.n, row.win_rate, row.net, row.p, row.net_bounds, row.longer_share) == (0, None, None, None, None, None)
    assert row.reading == "no pairs"


def test_clusters_are_respected_where_they_are_given():
    made = PairFold(KEY)
    for outcome, cluster in ((WIN, "a"), (WIN, "a"), (LOSS, "b"), (TIE, None)):
        made.add(outcome, (1, 1), cluster)
    row = made.row()
    assert row.clusters == 3
    assert row.net_clustered is not None
    assert -1.0 <= row.net_clustered[0] <= row.net_clustered[1] <= 1.0
    assert fold(WIN, LOSS).row().clusters is None


def test_the_longer_answer_is_counted_over_decided_pairs_of_unequal_length():
    made = PairFold(KEY)
    made.add(WIN, (20, 10), None)
    made.add(LOSS, (20, 10), None)
    made.add(TIE, (20, 10), None)
    made.add(WIN, (10, 10), None)
    row = made.row()
    assert (row.decided, row.longer_won, row.longer_share) == (2, 1, 0.5)
    assert row.raw_rate == pytest.approx(2 / 3)


def test_unknown_lengths_give_no_figure_of_length():
    row = fold(WIN, LOSS, words=None).row()
    assert (row.decided, row.length_controlled, row.length_reading) == (0, None, "no decided pairs")
