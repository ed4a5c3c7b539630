"""What a validation error comes to: one entry per wrong value, and what was expected in words."""

from __future__ import annotations

import json
from typing import Annotated, Literal

import pytest
from pydantic import Field, ValidationError

from evalkit.records.base import Record
from evalkit.records.mismatches import expected, got, mismatches


class Box(Record):
    """Holds one of each."""

    size: Annotated[float, Field(gt=0, le=1)] = 1.0
    kind: Literal["round", "square"] = "round"
    name: Annotated[str, Field(pattern=r"\S")] = "box"
    mark: str | int | float | tuple[str, ...] | None = None
    pair: Annotated[tuple[str, ...], Field(min_length=2)] = ("a", "b")


def found(**fields):
    with pytest.raises(ValidationError) as raised:
        Box.model_validate_json(json.dumps(fields))
    return [(place.path, expected(entry), got(entry)) for place, entry in mismatches(raised.value, Box)]


@pytest.mark.parametrize(
    ("field", "value", "wanted"),
    [
        ("size", "x", "a number"),
        ("size", 0, "above 0"),
        ("size", 2, "at most 1"),
        ("kind", "flat", "'round' or 'square'"),
        ("name", " ", "text that is not blank"),
        ("name", 3, "text"),
        ("pair", "ab", "a list"),
    ],
)
def test_a_wrong_value_is_said_with_what_was_expected(field, value, wanted):
    assert found(**{field: value}) == [((field,), wanted, value)]


def test_a_wrong_value_of_a_union_is_one_entry_that_names_what_its_branches_take():
    assert found(mark={}) == [(("mark",), "text, a number or a list", {})]


def test_a_wrong_part_of_the_branch_that_was_meant_is_named_itself():
    assert found(mark=["a", 1]) == [(("mark", 1), "text", 1)]


def test_a_list_is_not_called_too_short_for_entries_that_are_at_fault():
    assert found(pair=["a", 1]) == [(("pair", 1), "text", 1)]


def test_a_list_that_is_too_short_is_left_to_the_words_of_the_room():
    assert found(pair=["a"]) == [(("pair",), None, ["a"])]
