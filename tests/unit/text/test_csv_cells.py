from __future__ import annotations

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalkit.text.csv_cells import from_cell, same_cell, shown_cell, to_cell

FORMULAS = ["=1+1", "+1", "@SUM(A1)", "-A1", "\t=1", "\n=1", "  =1", "=cmd|'/c calc'!A1", "\uff1d1", "-5-cmd"]


@pytest.mark.parametrize("text", FORMULAS)
def test_what_a_spreadsheet_would_run_begins_with_an_apostrophe(text):
    assert to_cell(text).startswith("'")
    assert from_cell(to_cell(text)) == text


@pytest.mark.parametrize("hidden", ["\u200b=1", "\ufeff=1", "\x00=1", "\u202e=1", "\r=1"])
def test_a_formula_behind_hidden_characters_is_none(hidden):
    cell = to_cell(hidden)
    assert cell[0] in "'\\"
    assert cell == to_cell(shown_cell(hidden)) or cell.startswith("\\u")


@pytest.mark.parametrize("number", ["-5", "-0.25", "0", "12", "3.5", "1200"])
def test_plain_numbers_stay_numbers(number):
    assert to_cell(number) == number


@pytest.mark.parametrize(
    "text", ["2024-05-01", "1/2", "12:30", "1e5", "007", "1.0", "TRUE", "12345678901234567890", "3 pm"]
)
def test_what_a_spreadsheet_would_convert_is_kept_as_text(text):
    assert to_cell(text) == f"'{text}"
    assert from_cell(to_cell(text)) == text


@pytest.mark.parametrize("text", ["30 days", "You have 30 days.", "", 'naïve, "quoted"\nsecond line', "a=b"])
def test_ordinary_texts_stay_as_they_are(text):
    assert to_cell(text) == text


@given(st.text())
def test_every_text_comes_back_as_it_is_shown(text):
    rows = io.StringIO()
    csv.writer(rows, lineterminator="\r\n").writerow([to_cell(text), "x"])
    (cells,) = list(csv.reader(io.StringIO(rows.getvalue(), newline="")))
    assert from_cell(cells[0]) == shown_cell(text)
    assert same_cell(cells[0], text)


@given(st.text(min_size=1))
def test_no_cell_begins_like_a_formula_unless_it_is_a_number(text):
    cell = to_cell(text)
    assert cell[0] not in "=+@\t\r\n"
    assert cell[0] != "-" or float(cell) <= 0


def test_a_number_that_a_spreadsheet_wrote_anew_is_the_same():
    assert same_cell("-0.25", "-0.250")
    assert same_cell("5", "5")
    assert not same_cell("5", "6")
    assert not same_cell("5", "5 days")


def test_line_ends_and_a_lost_last_one_make_no_difference_but_words_do():
    assert same_cell("a\r\nb", "a\nb\n")
    assert not same_cell("a b", "a\nb")
