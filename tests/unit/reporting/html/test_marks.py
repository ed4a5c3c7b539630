from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalkit.reporting.html.marks import claim_place, place_of
from evalkit.reporting.html.packing import TEXT_CHARS


@given(st.text(), st.text(min_size=1), st.text())
def test_a_place_cuts_the_same_text_out_of_utf_16(before, marked, after):
    text = before + marked + after
    start, end = place_of(text, len(before), len(before) + len(marked))
    units = text.encode("utf-16-le", "surrogatepass")
    assert units[2 * start : 2 * end] == marked.encode("utf-16-le", "surrogatepass")


@pytest.mark.parametrize(("start", "end"), [(2, 2), (3, 1), (-1, 2), (0, 99), (TEXT_CHARS, TEXT_CHARS + 2)])
def test_what_is_no_place_of_the_shown_text_has_none(start, end):
    assert place_of("short", start, end) is None
    assert place_of("x" * 2 * TEXT_CHARS, TEXT_CHARS - 1, TEXT_CHARS + 1) is None


@pytest.mark.parametrize(
    ("answer", "claim", "found"),
    [
        ("It is 10. It has 5.", "It has 5.", (10, 19)),
        ("It is\n  10.", "It is 10.", (0, 11)),
        ("It costs 10 (a month).", "costs 10 (a", (3, 14)),
        ("It is 10.", "The price is ten.", None),
        ("It is 10.", "  ", None),
    ],
)
def test_a_claim_is_found_word_for_word_whatever_the_white_space(answer, claim, found):
    assert claim_place(answer, claim) == found


def test_equal_claims_mark_their_own_sentences_and_one_out_of_order_is_found_all_the_same():
    assert claim_place("Yes. No. Yes.", "Yes.", after=4) == (9, 13)
    assert claim_place("Yes. No. Yes.", "No.", after=13) == (5, 8)
