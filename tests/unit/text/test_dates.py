from __future__ import annotations

import datetime as dt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalkit.text.dates import Day, dates, times

FIFTH_OF_MARCH = Day(2024, 3, 5)


@pytest.mark.parametrize(
    "text",
    [
        "2024-03-05", "2024/03/05", "2024.3.5", "05.03.2024", "5 March 2024", "5th of March, 2024", "March 5, 2024", "March 5,2024",
        "March 5th 2024", "Mar. 5, 2024", "05-Mar-2024", "on 2024-03-05T10:00:00Z.", "MARCH 5 2024",
    ],
)  # fmt: skip
def test_notations_of_one_date_are_equal(text: str) -> None:
    assert [date.readings for date in dates(text)] == [(FIFTH_OF_MARCH,)]


def test_an_open_order_has_both_readings() -> None:
    assert set(dates("3/5/2024")[0].readings) == {Day(2024, 3, 5), Day(2024, 5, 3)}
    assert dates("25/12/24")[0].readings == (Day(2024, 12, 25),)


def test_parts_may_be_missing() -> None:
    assert dates("the 5th of March")[0].readings == (Day(None, 3, 5),)
    assert dates("in March 2024")[0].readings == (Day(2024, 3, None),)


@pytest.mark.parametrize(
    "text",
    ["31/31/2024", "30 February", "1.2.3.4", "up to 5 may be added", "May 5.5 million", "March 5,000 users", "30 days", "1/2/3", "2024-1-2-3"],
)  # fmt: skip
def test_what_no_calendar_has_is_no_date(text: str) -> None:
    assert dates(text) == []


@given(
    st.dates(min_value=dt.date(1000, 1, 1)),
    st.sampled_from(["%Y-%m-%d", "%d.%m.%Y", "%d %B %Y", "%B %d, %Y", "%b %d %Y"]),
)
def test_a_formatted_date_is_read_back(day: dt.date, form: str) -> None:
    text = f"On {day.strftime(form)} it began."
    assert [date.readings for date in dates(text)] == [(Day(day.year, day.month, day.day),)]


@pytest.mark.parametrize(
    ("text", "minutes"),
    [
        ("17:00", [(1020,)]), ("5 pm", [(1020,)]), ("5:30 p.m.", [(1050,)]), ("9:30", [(570, 1290)]), ("09:30", [(570,)]),
        ("12 am", [(0,)]), ("12:30 PM", [(750,)]), ("from 9:00 to 17:30", [(540, 1260), (1050,)]), ("16:9", []), ("5", []), ("13 pm", []),
        ("99:30", []),
    ],
)  # fmt: skip
def test_times_of_day_are_minutes_since_midnight(text: str, minutes: list[tuple[int, ...]]) -> None:
    assert [time.minutes for time in times(text)] == minutes


@given(st.text(alphabet="0123456789:/.- apmMarch,"))
def test_any_text_is_read_without_overlaps(text: str) -> None:
    for found in (dates(text), times(text)):
        end = 0
        for one in found:
            assert end <= one.start < one.end
            end = one.end
