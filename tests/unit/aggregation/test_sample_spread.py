"""Counts over repeated readings: what the spread says, and that one reading says nothing."""

from __future__ import annotations

import pytest

from evalkit.aggregation.rows import RowFold, RowKey
from evalkit.aggregation.sample_spread import ONE_SAMPLE, SpreadFold, with_spread
from evalkit.records.reports import Row, SampleSpread
from evalkit.records.scores import Score


def spread_of(*items: tuple[float, ...]) -> SampleSpread:
    fold = SpreadFold()
    for place, counts in enumerate(items):
        fold.add((place, 0), counts)
    found = fold.spread()
    assert found is not None
    return found


def row_of(count: int) -> Row:
    key = RowKey(
        capability="honesty",
        scorer="grounded",
        criterion="violations",
        mode="triage",
        kind="judge",
        estimate="mean",
        signature={},
    )
    fold = RowFold(key)
    for value in range(count):
        fold.add(Score(float(value), passed=None))
    return fold.row()


def test_reruns_that_agree_leave_all_variance_to_the_answers() -> None:
    found = spread_of((0.0, 0.0), (2.0, 2.0), (4.0, 4.0))
    assert (found.samples, found.per_sample, found.rerun_variance) == (2, (2.0, 2.0), 0.0)
    assert found.item_variance == pytest.approx(4.0)
    assert found.standard_error == pytest.approx((4.0 / 3) ** 0.5)


def test_answers_that_are_alike_leave_all_variance_to_reruns() -> None:
    found = spread_of((0.0, 2.0), (2.0, 0.0), (0.0, 2.0))
    assert (found.item_variance, found.rerun_variance) == (0.0, 2.0)


def test_few_answers_are_said_to_be_few() -> None:
    assert "20 needed" in spread_of((0.0, 1.0), (1.0, 1.0)).note
    assert spread_of(*[(float(place % 3), 1.0) for place in range(20)]).note == ""


def test_what_arrives_late_changes_no_sum() -> None:
    items = [(place, (0.1 * place, 0.3, 1.7 / (place + 1))) for place in range(25)]
    forward, backward = SpreadFold(), SpreadFold()
    for place, counts in items:
        forward.add((place, 0), counts)
    for place, counts in reversed(items):
        backward.add((place, 0), counts)
    assert forward.spread() == backward.spread()


def test_one_sample_is_noise_whatever_n_is() -> None:
    plain = row_of(40)
    assert not plain.insufficient
    row = with_spread(plain, spread_of(*[(float(value),) for value in range(40)]), rules=False)
    assert row.insufficient
    assert ONE_SAMPLE in row.reading
    assert row.spread is not None
    assert row.spread.rerun_variance is None


def test_rules_need_no_second_reading() -> None:
    row = row_of(40)
    assert with_spread(row, spread_of(*[(float(value),) for value in range(40)]), rules=True) == row


def test_one_answer_has_no_split() -> None:
    found = spread_of((1.0, 3.0))
    assert (found.item_variance, found.standard_error) == (None, None)
    assert "cannot be told apart" in found.note
    assert "readings of each answer" in with_spread(row_of(1), found, rules=False).reading


def test_without_answers_there_is_no_spread() -> None:
    assert SpreadFold().spread() is None
    assert with_spread(row_of(3), None, rules=False) == row_of(3)


def test_rows_without_a_spread_do_not_mention_it() -> None:
    assert "spread" not in row_of(3).model_dump()
