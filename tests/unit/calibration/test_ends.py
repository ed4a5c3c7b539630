"""What a judge says of an item: samples, orders and repetitions together, found by what the item is."""

from __future__ import annotations

import pytest
from fakes.external_verdicts import both_orders, pair, verdict_of

from evalkit.calibration.ends import external_sources


def said(*lines, case_id="c"):
    (source,) = external_sources(verdict_of(line) for line in lines)
    return source.end((case_id, None, None, "overall"))


@pytest.mark.parametrize(
    ("red_first", "blue_first", "label"),
    [
        ("A", "A", "A"),
        ("B", "B", "B"),
        ("tie", "tie", "tie"),
        ("A", "B", "tie"),
        ("A", "tie", "tie"),
        ("tie", "B", "tie"),
    ],
)
def test_a_win_counts_only_where_it_survives_the_swap(red_first, blue_first, label):
    assert said(*both_orders("c", red_first, blue_first)).label == label


def test_one_order_is_taken_as_it_is():
    assert said(pair("c", "red", "B")).label == "B"


def test_repetitions_of_one_order_must_agree():
    assert said(pair("c", "red", "A"), pair("c", "red", "B", 1)).reason == "unstable"


def test_one_order_without_a_verdict_leaves_none():
    end = said(*both_orders("c", "A", None))
    assert (end.label, end.unreadable) == (None, True)


def test_a_verdict_that_was_never_there_is_not_unreadable():
    end = said(pair("c", "red", None, unreadable=False))
    assert (end.reason, end.unreadable) == ("no_verdict", False)


def test_another_item_criterion_or_rubric_is_not_found():
    (source,) = external_sources([verdict_of(pair("c", "red", "A"))])
    assert source.end(("d", None, None, "overall")) is None
    assert source.end(("c", "a" * 64, None, "overall")) is None
    assert source.end(("c", None, "rubric", "overall")) is None
    assert source.end(("c", None, None, "F1")) is None


def test_judges_modes_and_criteria_are_kept_apart():
    lines = [pair("c", "red", "A"), pair("c", "red", "A", criterion="tone"), pair("c", "red", "A", judge="k")]
    found = external_sources(verdict_of(line) for line in lines)
    assert [(source.judge, source.criteria) for source in found] == [
        ("j", ("overall",)),
        ("j", ("tone",)),
        ("k", ("overall",)),
    ]
