from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from evalkit.scoring.excerpt import LONGEST, around, clipped


def test_short_texts_stay_whole_on_one_line() -> None:
    assert clipped("a\n b") == "a b"
    assert around("a big dog", 2, 5) == "a big dog"


def test_long_texts_are_cut_at_words() -> None:
    text = "word " * 30 + "HERE" + " word" * 30
    assert around(text, 150, 154, margin=12) == "\u2026word word HERE word word\u2026"


@given(st.text())
def test_a_clipped_text_is_never_longer_than_allowed(text: str) -> None:
    assert len(clipped(text)) <= LONGEST
