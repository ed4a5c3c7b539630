from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalkit.scoring.json_values import same_json

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=10,
)


@pytest.mark.parametrize(
    ("one", "two", "same"),
    [
        (1, 1.0, True), (1, True, False), (0, False, False), (0, None, False), ("1", 1, False), (None, None, True),
        (9007199254740993, 9007199254740992, False), (9007199254740993, 9007199254740992.0, False),
        (0.3, 0.30000000000000004, False), ({"a": 1, "b": 2}, {"b": 2, "a": 1}, True), ([1, 2], [2, 1], False),
        ([1], {"0": 1}, False), ({"a": [True]}, {"a": [1]}, False), ([], (), True), ({}, [], False), ("", None, False),
    ],
)  # fmt: skip
def test_values_compare_as_json_has_them(one: object, two: object, same: bool) -> None:
    assert same_json(one, two) is same
    assert same_json(two, one) is same


def test_nesting_without_bounds_is_no_crash() -> None:
    one: list[object] = []
    two: list[object] = []
    for _ in range(50_000):
        one, two = [one], [two]
    assert same_json(one, two)


@given(JSON)
def test_every_value_equals_itself(value: object) -> None:
    assert same_json(value, value)
