from __future__ import annotations

from typing import Any

import pytest
from fakes.scorer_inputs import build, case, output

from evalkit.errors import InputError


def result(text: str, *fields: str) -> Any:
    return build("required_fields", fields=list(fields)).score(case(), output(text))[0]


@pytest.mark.parametrize("text", ['{"a": {"b": [0]}, "c/d": false}', '```json\n{"a": {"b": [0]}, "c/d": ""}\n```'])
def test_fields_that_are_there_pass_whatever_their_value(text: str) -> None:
    assert result(text, "/a/b/0", "/c~1d")[:2] == (1.0, True)


def test_a_failure_names_each_missing_field_and_each_null() -> None:
    score = result('{"a": null, "b": [1]}', "/a", "/b/1", "/c")
    assert score[:3] == (0.0, False, "/a is null; /b/1 is missing; /c is missing")


@pytest.mark.parametrize("text", ["prose", '{"a": 1} and more', '{"a": 1, "a": 2}', ""])
def test_what_is_no_strict_json_fails(text: str) -> None:
    assert result(text, "/a")[1] is False


@pytest.mark.parametrize("fields", [[], ["a"], [""], ["/a~2"], "/a"])
def test_what_is_no_pointer_is_an_input_error(fields: Any) -> None:
    with pytest.raises(InputError, match="scorer required_fields"):
        build("required_fields", fields=fields)
