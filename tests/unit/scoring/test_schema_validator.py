from __future__ import annotations

import time

import pytest

from evalkit.scoring.schema_validator import MAX_DEPTH, UndecidedError, validator_for

SCHEMA = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "required": ["n"],
    "properties": {"n": {"type": "integer"}, "day": {"type": "string", "format": "date"}},
    "additionalProperties": False,
}
# Matches only after trying every way of splitting the run of a's; look-around keeps it from the linear engine.
EXPONENTIAL = r"^(?!x)((a+)+)+c(?<=c)$"
NEAR_MATCH = "a" * 60 + "!"


@pytest.mark.parametrize(
    ("value", "valid"),
    [
        ({"n": 1}, True), ({"n": 1.0}, True), ({"n": True}, False), ({"n": "1"}, False), ({"n": 1, "x": 2}, False), ({}, False),
        ({"n": 1, "day": "2020-12-31"}, True), ({"n": 1, "day": "31/12/2020"}, False), ([], False), (None, False),
    ],
)  # fmt: skip
def test_draft_2020_12_is_applied_with_formats(value: object, valid: bool) -> None:
    assert validator_for(SCHEMA).is_valid(value) is valid
    assert bool(validator_for(SCHEMA).faults(value)) is not valid


def test_faults_name_their_place_as_a_pointer_and_are_limited() -> None:
    schema = {"properties": {"a/b": {"items": {"type": "integer"}}}}
    assert validator_for(schema).faults({"a/b": [1, "x"]}) == ['/a~1b/1: "x" is not of type "integer"']
    assert len(validator_for(schema).faults({"a/b": ["x"] * 50}, limit=3)) == 3


@pytest.mark.parametrize(("schema", "valid"), [(False, False), (True, True), ({}, True)])
def test_boolean_and_empty_schemas_are_schemas(schema: bool | dict[str, object], valid: bool) -> None:
    assert validator_for(schema).is_valid({"anything": 1}) is valid


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "objekt"},
        {"properties": []},
        {"pattern": "("},
        {"patternProperties": {"(": {}}},
        {"pattern": "a{100000000}"},
        {"$ref": "https://example.org/schema.json"},
        {"$ref": "file:///etc/hostname"},
        {"$ref": "#/nowhere"},
    ],
)
def test_an_unusable_schema_is_refused_when_it_is_built(schema: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="JSON Schema"):
        validator_for(schema)


def test_numbers_are_exact_at_any_size() -> None:
    assert not validator_for({"const": 9007199254740993}).is_valid(9007199254740992)
    assert validator_for({"const": 10**40}).is_valid(10**40)
    assert not validator_for({"maximum": 9007199254740992}).is_valid(9007199254740993)


@pytest.mark.parametrize(
    "schema",
    [
        {"pattern": EXPONENTIAL},
        {"not": {"pattern": EXPONENTIAL}},
        {"anyOf": [{"pattern": EXPONENTIAL}, {"type": "integer"}]},
        {"oneOf": [{"pattern": EXPONENTIAL}, {"type": "integer"}]},
    ],
)
def test_a_pattern_that_cannot_be_decided_in_time_is_neither_valid_nor_invalid(schema: dict[str, object]) -> None:
    start = time.process_time()
    with pytest.raises(UndecidedError):
        validator_for(schema).faults(NEAR_MATCH)
    assert time.process_time() - start < 20  # undone it does not end


def test_a_hopeless_pattern_of_property_names_does_not_hang() -> None:
    with pytest.raises(UndecidedError):
        validator_for({"patternProperties": {EXPONENTIAL: {}}, "additionalProperties": False}).faults({NEAR_MATCH: 1})


def test_nested_quantifiers_alone_are_decided_in_linear_time() -> None:
    assert not validator_for({"pattern": "^(a+)+$"}).is_valid("a" * 100_000 + "!")


def test_a_value_or_schema_nested_too_deeply_is_refused_before_the_engine_sees_it() -> None:
    value: object = 1
    for _ in range(20_000):
        value = [value]
    recursive = {"$defs": {"n": {"items": {"$ref": "#/$defs/n"}}}, "$ref": "#/$defs/n"}
    assert validator_for(recursive).faults(value) == [f"(root): nested deeper than {MAX_DEPTH} levels"]
    with pytest.raises(ValueError, match="nested deeper"):
        validator_for({"const": value})


def test_lone_surrogates_are_validated_as_one_character() -> None:
    assert validator_for({"type": "object", "additionalProperties": {"maxLength": 1}}).is_valid({"\udcb2": "\ud835"})
    assert validator_for({"const": "\ud835"}).is_valid("\ud835")


def test_a_schema_that_refers_to_itself_ends() -> None:
    assert validator_for({"$ref": "#"}).is_valid(1)
    assert validator_for({"anyOf": [{"$ref": "#"}, {"$ref": "#"}]}).is_valid(1)


def test_equal_schemas_share_one_validator_whatever_the_order_of_their_keys() -> None:
    assert validator_for({"type": "object", "minProperties": 1}) is validator_for(
        {"minProperties": 1, "type": "object"}
    )
