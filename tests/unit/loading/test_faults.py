"""Validation errors in words: one fault per value, no value where none may be shown, nothing invisible."""

from __future__ import annotations

import json

import pytest
from pydantic import ValidationError

from evalkit.errors import Fault, InputError
from evalkit.loading.faults import FaultList, record_faults
from evalkit.records.cases import Case
from evalkit.records.judges import JudgeConfig
from evalkit.records.locations import locate
from evalkit.records.rubrics import Rubric


def faults(model, value, **options) -> list[Fault]:
    with pytest.raises(ValidationError) as caught:
        model.model_validate_json(json.dumps(value))
    return record_faults(caught.value, model, "file", lambda _: 1, **options)


@pytest.mark.parametrize(
    ("value", "field", "problem"),
    [
        ({"samples": 0}, "samples", "expected at least 1, got a number (0)"),
        ({"samples": 1.5}, "samples", "expected a whole number, got a number (1.5)"),
        ({"timeout_s": 0}, "timeout_s", "expected above 0, got a number (0)"),
        ({"client": "gpt"}, "client", "expected 'litellm', 'openai', 'replay' or 'floor', got text ('gpt')"),
        ({"params": []}, "params", "expected an object, got a list"),
        ({"params": {"temperature": "hot"}}, "params.temperature", "expected a number, got text ('hot')"),
        ({"model": {}}, "model", "expected text, got an object"),
    ],
)
def test_a_wrong_value_is_described_with_what_was_expected(value, field, problem):
    [fault] = faults(JudgeConfig, value)
    assert (fault.field, fault.problem) == (field, problem)


def test_values_are_not_repeated_where_a_secret_may_stand():
    for value in ({"params": "sk-CANARY"}, {"samples": "sk-CANARY"}, {"sk-CANARY": 1, "client": "sk-CANARY"}):
        assert not any(
            "CANARY" in fault.problem + fault.remedy for fault in faults(JudgeConfig, value, show_values=False)
        )


def test_a_bad_key_of_a_mapping_is_named():
    value = {
        "id": "r",
        "version": "1",
        "criteria": [{"id": "F1", "question": "q", "pass_condition": "p"}],
        "channels": {"1x": "q"},
    }
    [fault] = faults(Rubric, value)
    assert fault.field == "channels.1x"
    assert "of the form" in fault.problem


def test_a_list_with_faults_inside_is_not_called_too_short():
    found = faults(Rubric, {"id": "r", "version": "1", "criteria": [{"id": "F1", "question": "q"}]})
    assert [(fault.field, fault.problem) for fault in found] == [("criteria.0.pass_condition", "is missing")]
    assert faults(Rubric, {"id": "r", "version": "1", "criteria": []})[0].problem == "must not be empty"


def test_union_branches_do_not_stand_in_a_location():
    place = locate(Case, ("input", "tuple[Message, ...]", 0, "role"))
    assert place.path == ("input", 0, "role")
    assert place.fields == ("role", "content")
    assert locate(Case, ("expected", "json_schema", "dict[str,any]", "a")).path == ("expected", "json_schema", "a")


def test_long_and_invisible_values_are_shown_short_and_escaped():
    [fault] = faults(Case, {"id": "a", "input": "q", "tags": "\u202e\x1b[2J" + "x" * 10_000})
    assert fault.problem.isprintable()
    assert len(fault.problem) < 200
    [fault] = faults(Case, {"id": "a", "input": "q", "\x1b[2J": 1})
    assert str(fault).isprintable()


def test_a_huge_number_is_described_not_printed():
    [fault] = faults(JudgeConfig, {"model": 10**4000})
    assert fault.problem == "expected text, got a number of more than 60 digits"


def test_a_list_of_faults_keeps_twenty_and_counts_the_rest():
    gathered = FaultList()
    assert not gathered
    for n in range(15):
        gathered.add(Fault(file="f", line=n, problem="p"))
    gathered.absorb(InputError([Fault(file="g", problem="p")] * 20, total=100))
    with pytest.raises(InputError) as caught:
        gathered.raise_if_any()
    assert (len(caught.value.faults), caught.value.total) == (20, 115)
