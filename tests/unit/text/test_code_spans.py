from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalkit.text.code_spans import without_code


@pytest.mark.parametrize(
    ("text", "prose"),
    [
        ("a `b` c", "a     c"),
        ("a ``b ` c`` d", "a           d"),
        ("```\nb\n```\nc", "   \n \n   \nc"),
        ("```py\nb\n``` c", "     \n \n    c"),
        ("~~~~\n~~~\nb\n~~~~", "    \n   \n \n    "),
        ("```\nnever closed", "```\nnever closed"),
        ("one ` alone", "one ` alone"),
        ("a `b\n\nc` d", "a `b\n\nc` d"),
    ],
)
def test_code_becomes_spaces(text: str, prose: str) -> None:
    assert without_code(text) == prose


@given(st.text(alphabet="`~ ab\n", max_size=60))
def test_every_other_character_keeps_its_offset(text: str) -> None:
    prose = without_code(text)
    assert len(prose) == len(text)
    assert all(after in {before, " "} for before, after in zip(text, prose, strict=True))
