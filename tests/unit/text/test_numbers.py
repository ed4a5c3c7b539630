from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalkit.text.numbers import figures, numbers, with_slashes


def read(text: str) -> list[tuple[str, str]]:
    """Value (first reading, without an exponent) and unit of each number."""
    return [(f"{number.values[0]:f}", number.unit) for number in numbers(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The answer is 72, in total, so good.", [("72", "")]),
        ("the cost is $29.00.", [("29.00", "USD")]),
        ("Total: 1,200,", [("1200", "")]),
        ("1e3", [("1000", "")]),
        ("1.200,50 \u20ac", [("1200.50", "EUR")]),
        ("US$ 5 million", [("5000000", "USD")]),
        ("5M users", [("5000000", "")]),
        ("5m", [("5", "")]),
        ("5MB", [("5", "MB")]),
        ("\u00a33.5k", [("3500", "GBP")]),
        ("EUR 12 and 12 EUR", [("12", "EUR"), ("12", "EUR")]),
        ("30-day window", [("30", "day")]),
        ("5 business days", [("5", "day")]),
        ("20 %, 20 percent", [("20", "percent"), ("20", "percent")]),
        ("-5, -$5, $-5", [("-5", ""), ("-5", "USD"), ("-5", "USD")]),
        ("10-20 and 10\u201320 days", [("10", ""), ("20", ""), ("10", ""), ("20", "day")]),
        ("3,5", [("3.5", "")]),
        ("1,2,3", [("1", ""), ("2", ""), ("3", "")]),
        (".5", [("0.5", "")]),
        ("the 1990s", [("1990", "")]),
        ("\u517130\u5929", [("30", "")]),
        ("top-10", [("10", "")]),
        ("x=50", [("50", "")]),
        ("2nd", [("2", "")]),
    ],
)
def test_figures_are_read(text: str, expected: list[tuple[str, str]]) -> None:
    assert read(text) == expected


@pytest.mark.parametrize(
    "text", ["GPT-4", "INV-2024-01", "H2O", "2FA", "case_7", "a,b", "no number here, sorry", ",", ""]
)
def test_figures_in_names_and_signs_alone_are_no_numbers(text: str) -> None:
    assert numbers(text) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("thirty days", [("30", "day")]),
        ("twenty-one", [("21", "")]),
        ("one hundred and twenty days", [("120", "day")]),
        ("two thousand twenty four", [("2024", "")]),
        ("two hundred thousand five", [("200005", "")]),
        ("ten million", [("10000000", "")]),
        ("five dozen, a dozen", [("60", ""), ("12", "")]),
        ("one two three", [("1", ""), ("2", ""), ("3", "")]),
        ("twenty twenty", [("20", ""), ("20", "")]),
        ("Someone, often, is at none", []),
        ("1.5 million", [("1500000", "")]),
    ],
)
def test_numbers_in_words_are_read(text: str, expected: list[tuple[str, str]]) -> None:
    assert read(text) == expected


def test_a_point_before_three_digits_has_both_readings() -> None:
    assert figures("1.200")[0].values == (Decimal("1.200"), Decimal(1200))
    assert figures("0.125")[0].values == (Decimal("0.125"),)


def test_the_counted_word_is_known_without_its_plural() -> None:
    assert [number.counted for number in numbers("25 seats per team, 3 of us, 5 gross")] == ["seat", "", "gross"]


@given(st.integers(min_value=0))
def test_integers_are_exact_at_any_size(value: int) -> None:
    assert [number.values[0] for number in figures(str(value))] == [value]
    assert [number.values[0] for number in figures(f"{value:,} ")] == [value]


@given(st.text(alphabet="0123456789.,-$ aM%\u00a0eE+'\n"))
def test_every_number_is_a_place_with_a_digit_and_places_do_not_overlap(text: str) -> None:
    end = 0
    for number in figures(text):
        assert end <= number.start < number.end
        assert any(character.isdigit() for character in text[number.start : number.end])
        end = number.end


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("minus 5", ["-5"]),
        ("It is minus five.", ["-5"]),
        ("Balance: minus $1,200", ["-1200"]),
        ("negative 3%", ["-3"]),
        ("10 minus 5", ["10", "5"]),
        ("the price minus 5 euros", ["5"]),
        ("a terminus 5", ["5"]),
        ("minus -5", ["-5"]),
    ],
)
def test_a_sign_in_words_counts_where_nothing_is_subtracted(text: str, expected: list[str]) -> None:
    assert [f"{number.values[0]:f}" for number in numbers(text)] == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("three quarters", ["0.75"]),
        ("one-half, 2\u00bd, \u00bc", ["0.5", "2.5", "0.25"]),
        ("two and a half days", ["2.5"]),
        ("two and one half", ["2.5"]),
        ("2 and a quarter million", ["2250000"]),
        ("-1\u00bd", ["-1.5"]),
        ("three-tenths", ["0.3"]),
        ("twenty-first", ["21"]),
        ("two quarters", ["2"]),
        ("two halves", ["2"]),
        ("five thirds", ["5"]),
        ("thirty-second delay", ["30"]),
        ("the fifth and the tenth", []),
        ("1e9999\u00bd", []),
    ],
)
def test_fractions_and_ordinals_in_words_are_read(text: str, expected: list[str]) -> None:
    assert [f"{number.values[0].normalize():f}" for number in numbers(text)] == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1/4", ["0.25"]),
        ("1 1/4 cups", ["1.25"]),
        ("-1 1/2", ["-1.5"]),
        ("3/5/2024", ["3", "5", "2024"]),
        ("5/0", ["5", "0"]),
        ("3%/4", ["3", "4"]),
        ("9" * 5000 + "/0.5", ["9" * 5000, "0.5"]),
        ("1e9999/4", ["2.5E+9998"]),
    ],
)
def test_a_slash_makes_a_fraction_of_two_whole_numbers(text: str, expected: list[str]) -> None:
    assert [number.values[0] for number in with_slashes(text, numbers(text))] == [Decimal(value) for value in expected]
