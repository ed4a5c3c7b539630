"""Sentences are exact substrings; what looks like an end but is none does not cut them."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalkit.text.sentences import MAX_LENGTH, sentence_spans, sentences


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One. Two! Three?", ["One.", "Two!", "Three?"]),
        ("It costs $9.50 at shop.example.com. Ok.", ["It costs $9.50 at shop.example.com.", "Ok."]),
        ("Mr. Smith paid approx. 5 dollars, e.g. in cash.", ["Mr. Smith paid approx. 5 dollars, e.g. in cash."]),
        ("Ask J. R. Smith. He knows.", ["Ask J. R. Smith.", "He knows."]),
        ("We sell pens, paper, etc. Call us.", ["We sell pens, paper, etc.", "Call us."]),
        ("It ended at 5 p.m. on Monday.", ["It ended at 5 p.m. on Monday."]),
        ('He said "Stop." Then he left.', ['He said "Stop."', "Then he left."]),
        ("Wait... what? Yes.", ["Wait... what?", "Yes."]),
        ("Refunds take 30 days. [1] Then it is over. [2][3]", ["Refunds take 30 days. [1]", "Then it is over. [2][3]"]),
        ("Refunds take 30 days [1]. It is over.", ["Refunds take 30 days [1].", "It is over."]),
        ("割引があります。[1]申請してください。", ["割引があります。[1]", "申請してください。"]),
        ("「はい。」と答えた。次。", ["「はい。」", "と答えた。", "次。"]),
        ("यह एक है। दूसरा।", ["यह एक है।", "दूसरा।"]),
        ("1. Open Settings.\n2. Upload it.", ["1. Open Settings.", "2. Upload it."]),
        ("- first\n- second\n* third", ["- first", "- second", "* third"]),
        ("# Refunds\nthirty days.", ["# Refunds", "thirty days."]),
        ("Soft wrapped\nline goes on. Next.", ["Soft wrapped\nline goes on.", "Next."]),
        ("First paragraph\n\nsecond paragraph", ["First paragraph", "second paragraph"]),
        ("One.\r\nTwo.\r\n", ["One.", "Two."]),
        ("", []),
        (" \n\t ", []),
        ("no stop at all", ["no stop at all"]),
    ],
)
def test_sentences(text, expected):
    assert sentences(text) == expected


def test_a_run_without_a_stop_is_cut_at_white_space():
    cut = sentences("word " * 1000)
    assert max(map(len, cut)) <= MAX_LENGTH
    assert " ".join(cut) == ("word " * 1000).strip()


TEXTS = st.text(st.sampled_from(".!?。 \n\r\t[]\"'1aA#-*・字") | st.characters(), max_size=2000)


@given(TEXTS)
def test_offsets_are_exact_and_in_order(text):
    end = 0
    for sentence in sentence_spans(text):
        assert text[sentence.start : sentence.end] == sentence.text
        assert sentence.text == sentence.text.strip()
        assert end <= sentence.start < sentence.end <= sentence.start + MAX_LENGTH
        end = sentence.end


@given(TEXTS)
def test_nothing_but_white_space_is_left_out(text):
    assert "".join("".join(sentences(text)).split()) == "".join(text.split())


@pytest.mark.parametrize("unit", [".", " ", "\n", "[", ". [", "![a]", '."', "\n ", "- a\n", "。", "a. "])
def test_a_quarter_megabyte_of_anything_takes_linear_time(unit):
    text = unit * (250_000 // len(unit))
    start = time.process_time()
    sentences(text)
    assert time.process_time() - start < 20  # some tens of times what it takes; what is not linear takes minutes
