"""A choice becomes a label: of a pair the words for places become the candidates'."""

from __future__ import annotations

import pytest
from fakes.label_sheets import sheet_row

from evalkit.labelling.given import choice_of, label_of
from evalkit.records.identity import text_sha256
from evalkit.records.sheets import PREFERENCES

ONE, OTHER = text_sha256("one"), text_sha256("other")
PAIR = sheet_row(
    answer="one", second_answer="other", output_sha256=[ONE, OTHER], choices=list(PREFERENCES), rubric="preference"
)


def given(row, choice, named):
    return label_of(row, choice, named, labeller="ada", blind=True, labelled_at="2026-01-02", note="so")


@pytest.mark.parametrize(
    ("named", "said"),
    [((ONE, OTHER), {"first": "A", "second": "B"}), ((OTHER, ONE), {"first": "B", "second": "A"})],
)
@pytest.mark.parametrize("choice", ["first", "second", "tie", "skip"])
def test_a_place_becomes_whose_answer_stood_there_and_comes_back_as_the_place(named, said, choice):
    label = given(PAIR, choice, {("c1", frozenset(named)): named})
    assert label.output_sha256 == named
    assert label.label == {**said, "tie": "tie", "skip": None}[choice]
    assert (label.labeller, label.note, label.split) == ("ada", "so", "test")
    assert choice_of(label, PAIR) == choice


def test_a_pair_that_nobody_compared_makes_no_label():
    with pytest.raises(KeyError):
        given(PAIR, "first", {})


def test_a_label_of_one_answer_is_the_choice_itself():
    label = given(sheet_row(), "not_applicable", {})
    assert (label.label, label.output_sha256) == ("not_applicable", sheet_row().output_sha256)
    assert choice_of(label, sheet_row()) == "not_applicable"
