from __future__ import annotations

import pytest

from evalkit.scoring.pattern_check import check_pattern


@pytest.mark.parametrize(
    ("pattern", "words"),
    [
        ("\ban|a|the\b", "U+0008"),
        ("a\x00b", "U+0000"),
        (r"\ban|a|the\b", "one branch"),
        ("^a|b", "one branch"),
        ("a|b$", "one branch"),
        ("x*", "matches the empty text"),
        ("a|", "matches the empty text"),
    ],
)
def test_suspicious_patterns_are_named(pattern: str, words: str) -> None:
    assert words in " ".join(check_pattern(pattern))


@pytest.mark.parametrize(
    "pattern",
    [
        r"\b(?:an|a|the)\b",
        r"^a|^b",
        r"[|^]a",
        r"a\|b$",
        "a|b",
        r"^(a|b)$",
        "^$",
        r"\d+",
        "tab\tline\n",
        r"[]|]^?x",
        "(?i)a",
    ],
)
def test_sound_patterns_are_not(pattern: str) -> None:
    assert check_pattern(pattern) == ()
