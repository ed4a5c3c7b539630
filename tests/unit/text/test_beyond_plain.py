"""What is deleted is plain ASCII and nothing else."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from evalkit.text.beyond_plain import beyond_plain

MIXED = st.text(st.characters() | st.sampled_from("\x00\x7f\t\n\r ~é\u200b\ud835\udc00\U000e0041"), max_size=40)


def test_letters_signs_and_line_ends_are_plain():
    assert beyond_plain("Plain text: 1 + 1 = 2.\r\n\t~") == ""


def test_controls_accents_and_lone_surrogates_are_not():
    assert beyond_plain("a\x00b\x7fc\x0bé\ud835 日本") == "\x00\x7f\x0bé\ud835日本"


@given(MIXED)
def test_what_is_left_is_in_order_and_complete(text):
    assert beyond_plain(text) == "".join(c for c in text if not (" " <= c <= "~" or c in "\t\n\r"))
