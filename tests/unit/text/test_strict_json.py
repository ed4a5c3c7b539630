from __future__ import annotations

import json
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalkit.text.strict_json import MAX_DEPTH, strict_json

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


@given(JSON)
def test_what_json_writes_is_read_back(value: object) -> None:
    assert strict_json(json.dumps(value)) == value


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("NaN", "NaN is not JSON"),
        ("[-Infinity]", "-Infinity is not JSON"),
        ("1e999", "beyond the range"),
        ('{"a": 1, "b": 2, "a": 1}', "key 'a' is given twice"),
        ("1" * 5000, "a number of 5000 digits"),
        ("[" * 100_000, "nested deeper"),
        ("[" * (MAX_DEPTH + 2) + "]" * (MAX_DEPTH + 2), "nested deeper"),
        ('{"a": 1} and more', "not JSON: Extra data at line 1 column 10"),
        ("", "not JSON"),
        ("{'a': 1}", "not JSON"),
    ],
)
def test_what_two_readers_could_read_differently_is_refused(text: str, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        strict_json(text)


def test_integers_are_exact_and_a_byte_order_mark_is_no_fault() -> None:
    assert strict_json("\ufeff9007199254740993") == 9007199254740993
    assert strict_json("9" * 4300) == 10**4300 - 1 if sys.get_int_max_str_digits() >= 4300 else True
    assert strict_json("[" * MAX_DEPTH + "]" * MAX_DEPTH) is not None


@given(st.text(alphabet='[]{}":,0123456789eE+-.truefalsn\\ '))
def test_any_other_text_is_a_value_error(text: str) -> None:
    try:
        value = strict_json(text)
    except ValueError:
        return
    assert value == json.loads(text)
