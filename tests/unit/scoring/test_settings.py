from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

import pytest
from pydantic import Field

from evalkit.errors import InputError
from evalkit.records.base import Record
from evalkit.scoring.settings import Resources, read_settings


class Knobs(Record):
    least: float = 0.0
    rule: Literal["all", "any"] = "all"
    names: tuple[str, ...] = ()


RESOURCES = Resources(folder=Path(), file="shop/suite.yaml")


def test_defaults_and_lists_are_read_as_yaml_gives_them() -> None:
    read = read_settings(Knobs, "knobs", {"names": ["a", "b"], "least": 0}, RESOURCES)
    assert read.model_dump() == {"least": 0.0, "rule": "all", "names": ("a", "b")}


def test_every_wrong_setting_is_named_at_once_with_its_place() -> None:
    with pytest.raises(InputError) as caught:
        read_settings(Knobs, "knobs", {"least": "high", "rule": "most", "name": ["a"]}, RESOURCES)
    assert [fault.field for fault in caught.value.faults] == [
        "scorer knobs, least",
        "scorer knobs, rule",
        "scorer knobs, name",
    ]
    assert {fault.file for fault in caught.value.faults} == {"shop/suite.yaml"}
    assert "did you mean 'names'?" in str(caught.value)


def test_a_number_that_is_none_is_refused() -> None:
    with pytest.raises(InputError, match="knobs"):
        read_settings(Knobs, "knobs", {"least": float("nan")}, RESOURCES)


def test_a_text_is_no_number_and_true_is_not_1() -> None:
    for value in ("1", True):
        with pytest.raises(InputError, match="least"):
            read_settings(Knobs, "knobs", {"least": value}, RESOURCES)


class Doors(Record):
    many: Annotated[tuple[str | int, ...], Field(min_length=1)] = ("x",)
    share: Annotated[float, Field(ge=0, le=1)] = 0.5
    on: bool = False
    word: Annotated[str, Field(min_length=3)] = "abc"
    rule: Literal["all", "any"] = "all"
    shares: dict[str, float] = Field(default_factory=dict)
    must: int


@pytest.mark.parametrize(
    ("settings", "fault"),
    [
        ({"onn": True}, "scorer doors, onn: unknown setting 'onn' (did you mean 'on'?)"),
        ({"zzzz": 1}, "scorer doors, zzzz: unknown setting 'zzzz' (known settings: many, share, on, word, rule, shares, must)"),
        ({"share": "x"}, "scorer doors, share: expected a number, got text ('x')"),
        ({"share": "y" * 100}, f"scorer doors, share: expected a number, got text ('{'y' * 60}...')"),
        ({"share": "\u202e"}, "scorer doors, share: expected a number, got text ('\\u202e')"),
        ({"share": 2}, "scorer doors, share: expected at most 1, got a number (2)"),
        ({"share": None}, "scorer doors, share: expected a number, got null"),
        ({"share": float("nan")}, "scorer doors, share: holds a number that JSON cannot hold (NaN, infinity, or more than 4,300 digits)"),
        ({"on": 1}, "scorer doors, on: expected true or false, got a number (1)"),
        ({"word": ""}, "scorer doors, word: must have at least 3 characters"),
        ({"word": "\ud800bc"}, "scorer doors: a text holds half of a surrogate pair, which is no Unicode"),
        ({"rule": True}, "scorer doors, rule: expected 'all' or 'any', got true"),
        ({"many": "x"}, "scorer doors, many: expected a list, got text ('x')"),
        ({"many": []}, "scorer doors, many: must not be empty"),
        ({"many": [{}]}, "scorer doors, many.0: expected text or a number, got an object"),
        ({"shares": {"int": []}}, "scorer doors, shares.int: expected a number, got a list"),
        ({"must": 10**100}, None),
        ({"must": 1.5}, "scorer doors, must: expected a whole number, got a number (1.5)"),
        ({"must": None, "on": False}, "scorer doors, must: expected a whole number, got null"),
    ],
)  # fmt: skip
def test_faults_say_what_was_expected_and_what_was_given(settings: dict[str, Any], fault: str | None) -> None:
    given = {"must": 1, **settings}
    if fault is None:
        assert read_settings(Doors, "doors", given, RESOURCES).must == given["must"]
        return
    with pytest.raises(InputError) as caught:
        read_settings(Doors, "doors", given, RESOURCES)
    assert [str(one) for one in caught.value.faults] == [f"shop/suite.yaml: {fault}"]


def test_a_setting_that_is_left_out_is_missing() -> None:
    with pytest.raises(InputError, match="scorer doors, must: is missing"):
        read_settings(Doors, "doors", {}, RESOURCES)
