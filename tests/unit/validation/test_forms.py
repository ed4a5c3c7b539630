"""One description per rubric gives the schema, the sentence in the prompt and the reader."""

from __future__ import annotations

import jsonschema
from fakes.verdicts import FORM, faithfulness, helpfulness, verdict

from evalkit.validation.pointwise_form import PointwiseForm, grades_of


def test_the_schema_is_a_valid_draft_2020_12_schema():
    for rubric in (faithfulness(), helpfulness(), helpfulness(channels={"tone": "Which tone?"})):
        of_schemas = jsonschema.Draft202012Validator(jsonschema.Draft202012Validator.META_SCHEMA)
        assert list(of_schemas.iter_errors(PointwiseForm(rubric).schema)) == []


def test_both_validators_agree_on_a_sound_verdict():
    jsonschema.Draft202012Validator(FORM.schema).validate(verdict())
    assert FORM.fits(verdict())


def test_claims_come_before_criteria_and_the_overall_verdict_last():
    assert list(FORM.schema["properties"]) == ["claims", "evidence", "findings", "criteria", "overall_pass"]
    claim = FORM.schema["properties"]["claims"]["items"]["properties"]
    assert list(claim).index("evidence") < list(claim).index("status")
    entry = FORM.schema["properties"]["criteria"]["properties"]["F1"]["properties"]
    assert list(entry)[-1] == "grade"


def test_everything_is_required_and_nothing_extra_is_allowed():
    def walk(schema):
        if schema.get("type") == "object":
            assert schema["required"] == list(schema["properties"])
            assert schema["additionalProperties"] is False
            for inner in schema["properties"].values():
                walk(inner)
        elif schema.get("type") == "array":
            walk(schema["items"])

    walk(FORM.schema)
    walk(PointwiseForm(helpfulness(channels={"tone": "Which tone?"})).schema)


def test_partial_is_a_grade_only_where_the_rubric_defines_it():
    first, second = helpfulness().criteria
    assert grades_of(first) == ("pass", "fail", "not_applicable")
    assert grades_of(second) == ("pass", "partial", "fail", "not_applicable")


def test_a_rubric_without_claims_asks_for_none():
    assert "claims" not in PointwiseForm(helpfulness()).schema["properties"]


def test_channels_are_asked_for_by_name():
    schema = PointwiseForm(helpfulness(channels={"tone": "Which tone?"})).schema
    assert list(schema["properties"]["channels"]["properties"]) == ["tone"]


def test_the_schema_hash_changes_with_the_schema_alone():
    form = PointwiseForm(faithfulness())
    reworded = PointwiseForm(faithfulness().model_copy(update={"version": "2"}))
    assert form.schema_hash == reworded.schema_hash
    assert form.schema_hash != PointwiseForm(helpfulness()).schema_hash


def test_shape_errors_are_few_and_short():
    errors = FORM.shape_errors({"overall_pass": "x" * 5000, "findings": [1] * 50})
    assert len(errors) == 5
    assert all(len(error) < 400 for error in errors)
