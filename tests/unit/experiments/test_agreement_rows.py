"""A row of agreement: what is counted, what is left out, what is said where there is no number."""

from __future__ import annotations

import pytest

from evalkit.experiments.agreement_rows import Repeated, agreement_row


def row_of(*runs, floor=None, **without):
    repeated = Repeated("j", "F1", runs=list(runs))
    repeated.without_label.update(without)
    return agreement_row(repeated, 3, seed=1, floor=floor)


STEADY, FLIPPED, TORN = ("pass",) * 3, ("pass", "fail", "pass"), ("pass", None, "pass")


def test_scored_and_excluded_are_all_items():
    row = row_of(STEADY, FLIPPED, TORN, ("pass",), not_applicable=2)
    assert row.excluded == {"no_verdict_in_a_run": 1, "not_applicable": 2, "one_run_only": 1}
    assert row.n + sum(row.excluded.values()) == row.items == 6


def test_a_missing_verdict_is_a_flip_in_the_worst_case_and_a_label_of_its_own_beside_it():
    row = row_of(STEADY, STEADY, TORN, (None, None, None))
    assert (row.all_equal, row.worst_case) == (1.0, 0.5)
    assert (row.unreadable_equal, row.unreadable_items) == (3, 4)


def test_few_items_are_said_to_be_insufficient_and_fifty_are_not():
    assert "insufficient: 2 of the 50" in row_of(STEADY, FLIPPED).reading
    assert row_of(*[STEADY] * 49, FLIPPED).reading == ""


def test_without_items_there_is_no_number():
    row = row_of(not_applicable=3)
    assert (row.n, row.all_equal, row.pairwise, row.alpha, row.reading) == (0, None, None, None, "no data")
    assert row.alpha_reading == "undefined (no verdicts)"


@pytest.mark.parametrize(
    ("runs", "floor", "state"),
    [
        ([STEADY] * 100, None, "no floor"),
        ([STEADY] * 100, 0.95, "stable"),
        ([STEADY] * 10, 0.95, "unstable"),
        ([FLIPPED], 0.1, "unstable"),
    ],
)
def test_the_floor_is_compared_with_the_lower_bound_and_none_is_unstable(runs, floor, state):
    assert row_of(*runs, floor=floor).state == state


def test_one_label_leaves_alpha_undefined_and_says_which():
    assert row_of(STEADY, STEADY).alpha_reading == "undefined (all verdicts pass)"
