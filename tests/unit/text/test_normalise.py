from __future__ import annotations

import re
import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalkit.text.normalise import REMEMBERED_CHARS, comparable_words, fold, is_blank, plain, words

ASCII_WITHOUT_DIGITS = "".join(
    c for c in map(chr, range(9, 127)) if not c.isdigit() and (c.isprintable() or c in "\t\n\r")
)


def squad(text: str) -> list[str]:
    """SQuAD's normalize_answer, as evaluate-v1.1.py has it."""
    text = "".join(character for character in text.lower() if character not in set(string.punctuation))
    return re.sub(r"\b(a|an|the)\b", " ", text).split()


@given(st.text(alphabet=ASCII_WITHOUT_DIGITS))
def test_without_digits_it_is_squads_normal_form(text: str) -> None:
    assert list(words(text)) == squad(text)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The Eiffel Tower!", "eiffel  tower"),
        ("1,200", "1200"),
        ("$1,200", "1200"),
        ("(3.14).", "3.14"),
        ("-5 degrees", "\u22125 degrees"),
        ("0.5", ".5"),
        ("caf\u00e9", "cafe\u0301"),
        ("can\u2019t", "can't"),
        ("STRASSE", "stra\u00dfe"),
        ("\u0130stanbul", "i\u0307stanbul"),
        ("x\u200b", "x"),
        ("a\r\nb", "a\nb"),
        ("\ufb01le", "file"),
        ("H\u2082O", "h2o"),
        ("\u20ac8.54", "$8.54"),
        ("\u4f60\u597d\u3002", "\u4f60\u597d"),
    ],
)
def test_these_are_equal(one: str, other: str) -> None:
    assert words(one) == words(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("3.14", "314"),
        ("1.0", "10"),
        ("1,5", "15"),
        ("1/2", "12"),
        ("10-20", "1020"),
        ("10\u201320", "1020"),
        ("-5", "5"),
        (".5", "5"),
        ("-.5", "0.5"),
        ("1e-5", "1e5"),
        ("10\u00b2", "102"),
        ("1\u00bd", "11/2"),
        ("\u2460\u2461", "12"),
        ("$8.54", "$9.54"),
        ("2024-03-05", "20240305"),
    ],
)
def test_these_are_different(one: str, other: str) -> None:
    assert words(one) != words(other)


@pytest.mark.parametrize("text", ["a-5", "GPT-4", "- 5"])
def test_a_hyphen_that_is_no_minus_goes(text: str) -> None:
    assert not any(word.startswith("-") for word in words(text))


def test_nfc_leaves_compatibility_characters_apart() -> None:
    assert words("\uff46ile", "NFC") != words("file", "NFC")
    assert words("\uff46ile", "NFKC") == words("file", "NFKC")
    assert words("cafe\u0301", "NFC") == words("caf\u00e9", "NFC")


@pytest.mark.parametrize(
    ("one", "other", "equal"),
    [
        ("A", "a", True),
        ("A", "B", False),
        ("the", "The.", True),
        ("a", "the", False),
        ("!!!", "???", False),
        ("!!!", "!!!", True),
        ("The", "zebra", False),
        ("...", "the", False),
    ],
)
def test_what_the_rules_would_empty_is_compared_more_gently(one: str, other: str, equal: bool) -> None:
    mine, theirs = comparable_words(one, other)
    assert (mine == theirs) is equal


@given(st.text(), st.text())
def test_the_comparison_is_symmetric_and_never_fails(one: str, other: str) -> None:
    mine, theirs = comparable_words(one, other)
    assert comparable_words(other, one) == (theirs, mine)


@given(st.text())
def test_a_text_equals_itself_in_capitals_and_with_white_space_around(text: str) -> None:
    if text.lower().upper() == text.upper() and text.upper().lower() == text.lower():
        assert words(text) == words(f" {text}\n")


def test_a_lone_surrogate_and_a_nul_are_text_like_any_other() -> None:
    assert words("x\ud800 y\x00") == ("x\ud800", "y\x00")


def test_a_text_too_long_to_be_remembered_has_the_same_words() -> None:
    long = "The answer, " * (REMEMBERED_CHARS // 10)
    assert words(long) == ("answer",) * (REMEMBERED_CHARS // 10)


def test_plain_keeps_case_and_punctuation_and_fold_drops_case() -> None:
    assert plain("\u201cIt\u2019s\u201d a co\u2011op\u200b, \u00c9.") == '"It\'s" a co-op, \u00c9.'
    assert fold("STRASSE \u2013 \u00c9") == "strasse - \u00e9"


INVISIBLE = (
    "\u200b\u200c\u200d\u2060\ufeff\u00ad\ufe0f\U000e0101\u034f\u3164\u2800\u202e\U000e0041 \t\n\u00a0\u2028\x00"
)


@pytest.mark.parametrize("text", ["", *INVISIBLE, INVISIBLE])
def test_invisible_characters_alone_are_blank(text: str) -> None:
    assert is_blank(text)


@pytest.mark.parametrize(
    "text", ["a", ".", "\u200b.", "\n\n\u00ad\u4f60", "\u2764\ufe0f", "\u0301", "\ud800", "\U0001f642"]
)
def test_anything_visible_is_not(text: str) -> None:
    assert not is_blank(text)


@given(st.text())
def test_a_text_with_a_letter_in_it_is_never_blank_and_white_space_always_is(text: str) -> None:
    assert not is_blank(f"{text}x{text}")
    assert is_blank(text) or text.strip()
