"""The published JSON Schemas: valid, described, and of one mind with the loader."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml
from jsonschema import Draft202012Validator

from evalkit.errors import UsageError
from evalkit.loading.schemas import SCHEMAS, format_schema
from evalkit.loading.starter import TEMPLATE

FILES = {"suite": "suite.yaml", "judge": "judge.yaml", "candidate": "outputs/candidate/candidate.yaml"}


@pytest.mark.parametrize("name", SCHEMAS)
def test_each_schema_is_a_valid_schema_of_draft_2020_12_and_is_json(name):
    schema = format_schema(name)
    Draft202012Validator.check_schema(schema)
    assert json.loads(json.dumps(schema, allow_nan=False)) == schema
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert (schema["title"], schema["additionalProperties"]) == (name, False)


def test_the_docstrings_under_fields_are_the_descriptions():
    assert (
        format_schema("outputs")["properties"]["latency_ms"]["description"]
        == "Milliseconds from request to full answer."
    )
    assert format_schema("golden")["$defs"]["Document"]["properties"]["id"]["description"].startswith("The id by which")


@pytest.mark.parametrize("name", FILES)
def test_the_starters_files_fit_their_schemas(name):
    value = yaml.safe_load((TEMPLATE / FILES[name]).read_text(encoding="utf-8"))
    assert list(Draft202012Validator(format_schema(name)).iter_errors(value)) == []


@pytest.mark.parametrize(("name", "file"), [("golden", "golden.jsonl"), ("outputs", "outputs/candidate/outputs.jsonl")])
def test_the_starters_lines_fit_their_schemas(name, file):
    validator = Draft202012Validator(format_schema(name))
    for line in (Path(TEMPLATE) / file).read_text(encoding="utf-8").splitlines():
        assert list(validator.iter_errors(json.loads(line))) == []


def test_a_scorers_entry_takes_its_settings_beside_its_name():
    validator = Draft202012Validator(format_schema("suite"))
    suite = {"name": "s", "capabilities": [{"name": "c", "scorers": [{"scorer": "token_f1", "min": 0.5}]}]}
    assert validator.is_valid(suite)
    assert not validator.is_valid({**suite, "nmae": "s"})


def test_an_unknown_format_suggests_the_nearest():
    with pytest.raises(UsageError, match="did you mean 'golden'"):
        format_schema("golen")
