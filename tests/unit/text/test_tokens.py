from __future__ import annotations

import pytest

from evalkit.text.tokens import is_unspaced, tokens


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["plain", "words"], ["plain", "words"]),
        (
            ["\u0434\u043e\u043c", "caf\u00e9", "\ud55c\uad6d\uc5b4"],
            ["\u0434\u043e\u043c", "caf\u00e9", "\ud55c\uad6d\uc5b4"],
        ),
        (["\u6771\u4eac\u306f"], ["\u6771", "\u4eac", "\u306f"]),
        (["gpt4\u306f\u901f\u3044"], ["gpt4", "\u306f", "\u901f", "\u3044"]),
        (["\u0e17\u0e35\u0e48\u0e19\u0e35\u0e48"], ["\u0e17\u0e35\u0e48", "\u0e19\u0e35\u0e48"]),
        (["\u1780\u17b6\u179a"], ["\u1780\u17b6", "\u179a"]),
        (["\u1019\u103c\u1014\u103a"], ["\u1019\u103c", "\u1014\u103a"]),
        (["\u0ea5\u0eb2\u0ea7"], ["\u0ea5", "\u0eb2", "\u0ea7"]),
        (["\U00020000\U00020001"], ["\U00020000", "\U00020001"]),
        ([], []),
    ],
)
def test_words_of_unspaced_scripts_are_cut_into_characters(words: list[str], expected: list[str]) -> None:
    assert list(tokens(words)) == expected


@pytest.mark.parametrize(
    ("character", "unspaced"), [("\u6771", True), ("\u0e01", True), ("a", False), ("\uac00", False), ("1", False)]
)
def test_scripts_without_spaces_are_known(character: str, unspaced: bool) -> None:
    assert is_unspaced(character) is unspaced
