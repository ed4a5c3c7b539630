from __future__ import annotations

from pathlib import Path
from typing import Literal

import pytest

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
