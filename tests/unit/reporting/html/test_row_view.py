from __future__ import annotations

import pytest
from fakes.stored_runs import judge_row, report, row

from evalkit.reporting.html.row_view import (
    EDGE,
    WIDTH,
    at,
    cases_address,
    groups,
    policy_lines,
    readings,
    without_data,
)


def only(made, kind="deterministic"):
    (group,) = groups(report(rows=(made,)), kind=kind)
    return group.rows[0]


def test_intervals_are_drawn_to_one_scale():
    assert (at(0.0), at(1.0)) == (EDGE, WIDTH - EDGE)
    drawing = only(row(value=0.5, interval=(0.25, 0.75), interval_clustered=(0.0, 1.0), clusters=4)).drawing
    assert drawing.value == 120
    assert drawing.interval == (62.5, 177.5)
    assert drawing.clustered == (EDGE, WIDTH - EDGE)
    assert drawing.hollow
    assert drawing.label == "50.0 %, 95 % interval 25.0 to 75.0 %"


def test_bounds_are_drawn_where_something_was_excluded_that_could_change_the_value():
    assert only(row()).drawing.bounds is not None
    assert only(row(bounds=(0.5, 0.5))).drawing.bounds is None


def test_a_row_without_an_interval_says_why():
    found = only(row(interval=None, note="SD = 0"))
    assert (found.interval, found.drawing.interval) == ("SD = 0", None)
    assert found.drawing.label == "50.0 %, no interval"


@pytest.mark.parametrize(
    "changes", [{"value": 812.0, "interval": (700.0, 900.0)}, {"value": 0.2, "interval": (-0.1, 0.5)}]
)
def test_what_does_not_lie_between_0_and_1_is_not_drawn_on_that_scale(changes):
    found = only(row(estimate="mean", passed=None, bounds=None, **changes))
    assert found.drawing is None
    assert found.undrawn == "not between 0 and 1: not drawn"
    assert found.filter == "#capability=short_answer&criterion=exact_match%2Fexact_match"


def test_a_row_leads_to_its_failures_or_to_all_its_cases():
    assert only(row()).filter == "#outcome=failure&capability=short_answer&criterion=exact_match%2Fexact_match"
    assert only(row(kind="judge", estimate="mean", passed=None), kind="judge").filter == ""
    assert only(row(passed=2)).filter == "#capability=short_answer&criterion=exact_match%2Fexact_match"


def test_remarks_say_what_is_left_out_and_how_much_it_could_change():
    remarks = only(row(interval_clustered=(0.1, 0.9), clusters=1)).remarks
    assert remarks == (
        "small n",
        "excluded of 3: missing_output 1",
        "worst case 33.3 to 66.7 %",
        "1 cluster: 10.0 to 90.0 %",
    )


def test_code_and_judge_stand_apart_and_rows_without_data_are_named():
    rows = (row(), judge_row(), judge_row(criterion="F2", n=0, value=None, passed=0, interval=None))
    made = report(rows=rows)
    assert [group.capability for group in groups(made, kind="deterministic")] == ["short_answer"]
    assert [one.name for one in groups(made, kind="judge")[0].rows] == ["F1"]
    assert without_data(made) == ["faithfulness: F2 (judge_error:schema 1)"]


def test_a_reading_that_several_rows_share_stands_once():
    made = report(rows=(row(note="SD = 0; few"), judge_row(note="few")))
    assert readings(made) == [
        ("SD = 0", ("short_answer/exact_match",)),
        ("few", ("short_answer/exact_match", "faithfulness/F1")),
    ]


def test_an_address_escapes_what_a_url_must():
    assert cases_address(case="a b&c=#\ud835", outcome="") == "#case=a%20b%26c%3D%23%3F"


def test_conditions_that_block_have_a_word_each():
    assert policy_lines(report()) == [
        ("fails", "forbidden_tools", "in 1 case (c2)"),
        ("care", "latency_limit", "could not be decided in 2 cases"),
    ]
