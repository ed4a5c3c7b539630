from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from evalkit.reporting.html.word_diff import MOST_WORDS, word_diff


def changed(pieces):
    return [text for kind, text in pieces if kind == "changed"]


def test_words_that_differ_are_marked_in_both_texts():
    found = word_diff("It costs $10 a month.", "It costs $12 per month.")
    assert changed(found.first) == ["10", "a"]
    assert changed(found.second) == ["12", "per"]
    assert found.compared


def test_equal_texts_have_nothing_marked():
    assert word_diff("same", "same") == ([("same", "same")], [("same", "same")], True)


def test_texts_that_are_too_long_stand_unmarked_and_it_is_said():
    found = word_diff("a " * MOST_WORDS, "b")
    assert not changed(found.first)
    assert not found.compared


@given(st.text(max_size=60), st.text(max_size=60))
def test_the_pieces_of_a_text_are_that_text(first, second):
    found = word_diff(first, second)
    assert "".join(text for _, text in found.first) == first
    assert "".join(text for _, text in found.second) == second
