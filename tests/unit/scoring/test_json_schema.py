from __future__ import annotations

import json
from typing import Any

import pytest
from fakes.scorer_inputs import build, case, outcome, output

from evalkit.errors import InputError

ORDER = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "required": ["n"],
    "properties": {"n": {"type": "integer"}, "d": {"type": "string", "format": "date"}},
    "additionalProperties": False,
}


def result(text: str, schema: Any = None, **settings: Any) -> Any:
    expected = {} if schema is None else {"json_schema": schema}
    return build("json_schema", **settings).score(case(expected=expected), output(text))[0]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"n": 1}', True),
        ('{"n": 1.0}', True),
        ('{"n": true}', False),
        ('{"n": "1"}', False),
        ('{"n": 1, "x": 2}', False),
        ('{"n": 1, "d": "31/12/2020"}', False),
        ('{"n": 1, "d": "2020-12-31"}', True),
        ('{"n": 1} trailing', False),
        ('Here it is: {"n": 1}', False),
        ('```json\n{"n": 1}\n```', True),
        ('~~~\n{"n": 1}\n~~~\n', True),
        ('```json\n{"n": 1}\n```\nDone.', False),
        ('{"n": NaN}', False),
        ('{"n": 1, "n": 1}', False),
        ("", False),
    ],
)
def test_the_answer_is_strict_json_that_fits_the_cases_schema(text: str, expected: bool) -> None:
    assert outcome(result(text, ORDER)) is expected


def test_a_fence_can_be_refused() -> None:
    assert outcome(result('```json\n{"n": 1}\n```', ORDER, fenced=False)) is False


@pytest.mark.parametrize(("schema", "expected"), [(False, False), (True, True), ({}, True)])
def test_boolean_and_empty_schemas_mean_what_they_say(schema: Any, expected: bool) -> None:
    assert outcome(result('{"any": 1}', schema)) is expected
    assert outcome(build("json_schema", schema=schema).score(case(), output('{"any": 1}'))[0]) is expected


def test_the_cases_schema_beats_the_setting_and_without_either_nothing_is_expected() -> None:
    scorer = build("json_schema", schema=False)
    assert outcome(scorer.score(case(expected={"json_schema": {}}), output("1"))[0]) is True
    assert outcome(scorer.score(case(), output("1"))[0]) is False
    assert outcome(result("1")) == "no_expectation"


def test_integers_beyond_a_float_are_told_apart() -> None:
    assert outcome(result("9007199254740992", {"const": 9007199254740993})) is False
    assert outcome(result("9007199254740993", {"const": 9007199254740993})) is True


@pytest.mark.parametrize("text", ["1" * 5000, "1e999", "[" * 50_000, '{"a": "\\ud800"'])
def test_hostile_answers_fail_with_a_reason(text: str) -> None:
    score = result(text, True)
    assert score[1] is False
    assert score[2]


@pytest.mark.parametrize(
    "schema", [{"type": "objekt"}, {"properties": []}, {"pattern": "["}, {"$ref": "https://example.org/x.json"}]
)
def test_a_bad_schema_is_an_input_error_as_a_setting_and_a_scorer_error_in_a_case(schema: dict[str, Any]) -> None:
    with pytest.raises(InputError, match=r"suite\.yaml: scorer json_schema, schema: .*not a usable JSON Schema"):
        build("json_schema", schema=schema)
    bad = result("{}", schema)
    assert bad[0] == "scorer_error"
    assert "expected.json_schema" in bad[1]


@pytest.mark.parametrize("schema", [None, 0, "", []])
def test_what_is_no_schema_at_all_is_an_input_error(schema: Any) -> None:
    with pytest.raises(InputError, match=r"scorer json_schema, schema: (null is no|a JSON) ") as raised:
        build("json_schema", schema=schema)
    assert len(raised.value.faults) == 1


def test_a_pattern_cannot_hang_the_run() -> None:
    assert outcome(result(json.dumps("x" * 5000), {"pattern": "^(x+x+)+y$"})) is False
    assert outcome(result(json.dumps("a" * 5000), {"pattern": r"^(a|aa)+(?=b)c\1$"})) in (False, "scorer_error")


def test_a_failure_names_the_place() -> None:
    assert result('{"n": "1"}', ORDER)[2].startswith("/n: ")


def test_an_unknown_setting_suggests_the_nearest() -> None:
    with pytest.raises(InputError, match="did you mean 'schema'"):
        build("json_schema", schma={})


def test_the_signature_echoes_the_schema() -> None:
    assert build("json_schema", schema=False).signature.settings == {"schema": False, "fenced": True}
