"""The golden set: order, doubles, twins, ids, documents, and what a walk leaves behind."""

from __future__ import annotations

import hashlib
import json

import pytest

from evalkit.errors import InputError
from evalkit.loading.golden import GoldenSet


@pytest.fixture
def golden(tmp_path):
    def write(*cases, raw: bytes | None = None) -> GoldenSet:
        path = tmp_path / "golden.jsonl"
        lines = [json.dumps({"input": "q", **case}, ensure_ascii=False).encode() + b"\n" for case in cases]
        path.write_bytes(b"".join(lines) if raw is None else raw)
        return GoldenSet(path)

    return write


def faults(golden: GoldenSet) -> list:
    with pytest.raises(InputError) as caught:
        list(golden)
    return list(caught.value.faults)


def test_cases_come_in_file_order_with_count_and_hash(golden):
    cases = golden({"id": "b"}, {"id": "a"}, {"id": "c"})
    assert [case.id for case in cases] == ["b", "a", "c"]
    assert cases.count == 3
    assert cases.sha256 == hashlib.sha256(cases.path.read_bytes()).hexdigest()


def test_the_hash_needs_no_walk(golden):
    cases = golden({"id": "a"})
    assert cases.sha256 == hashlib.sha256(cases.path.read_bytes()).hexdigest()
    assert cases.count == 0


def test_a_golden_set_can_be_walked_twice(golden):
    cases = golden({"id": "a"}, {"id": "b"})
    assert list(cases) == list(cases)


@pytest.mark.parametrize("raw", [b"", b"\n\n   \t\r\n\n", b"\xef\xbb\xbf", b"\xef\xbb\xbf\n"])
def test_a_golden_set_without_a_case_is_a_fault(golden, raw):
    assert "holds no case" in faults(golden(raw=raw))[0].problem


def test_a_double_names_both_lines_even_where_the_lines_are_identical(golden):
    [found] = faults(golden({"id": "c1"}, {"id": "c2"}, {"id": "c1"}))
    assert (found.line, found.field) == (3, "id")
    assert "'c1' stands twice, on lines 1 and 3" in found.problem


def test_ids_that_differ_only_by_unicode_form_are_twins(golden):
    [found] = faults(golden({"id": "caf\u00e9"}, {"id": "cafe\u0301"}))
    assert found.line == 2
    assert "(line 1) only by its Unicode form" in found.problem


@pytest.mark.parametrize("identifier", ["c1 ", " c1", "c1\n", "\u00a0c1", "c1\u3000"])
def test_ids_with_white_space_around_them_are_refused(golden, identifier):
    assert "white space" in faults(golden({"id": identifier}))[0].problem


@pytest.mark.parametrize("identifier", [1, 1.0, True, None, "", ["a"], {"a": 1}])
def test_ids_are_text(golden, identifier):
    [found] = faults(golden({"id": identifier}))
    assert found.field == "id"


def test_an_id_that_is_half_a_surrogate_pair_is_refused(golden):
    assert "not valid Unicode" in faults(golden(raw=rb'{"id": "a\ud835", "input": "q"}'))[0].problem


@pytest.mark.parametrize("identifier", ["../../x", "con", "a/b", "x" * 300, "nul\0", "{id}", "\u202ea", "no", "1.0"])
def test_ids_are_data_of_any_kind(golden, identifier):
    assert [case.id for case in golden({"id": identifier})] == [identifier]


def test_document_ids_are_unique_within_a_case_and_never_reserved(golden):
    def documents(*ids):
        return {"id": "-".join(ids), "context": [{"id": identifier, "text": "t"} for identifier in ids]}

    found = faults(golden(documents("a", "b"), documents("a", "a"), documents("candidate"), documents("x", "evidence")))
    assert [(fault.line, fault.field) for fault in found] == [
        (2, "context.1.id"),
        (3, "context.0.id"),
        (4, "context.1.id"),
    ]


def test_cases_before_a_fault_are_yielded_and_later_faults_are_still_found(golden):
    walked = []
    with pytest.raises(InputError) as caught:
        walked.extend(golden({"id": "a"}, {"id": 1}, {"id": "b"}, {"id": "a"}))
    assert [case.id for case in walked] == ["a"]
    assert [fault.line for fault in caught.value.faults] == [2, 4]


def test_twenty_faults_are_listed_and_the_rest_counted(golden):
    with pytest.raises(InputError) as caught:
        list(golden(*({"id": n} for n in range(57))))
    assert (len(caught.value.faults), caught.value.total) == (20, 57)
    assert str(caught.value).endswith("... and 37 more")


def test_a_wrong_input_is_one_fault_not_one_per_form(golden):
    [found] = faults(golden({"id": "a", "input": 5}))
    assert (found.field, found.problem) == ("input", "expected text, a list or an object, got a number (5)")


def test_a_fault_inside_a_chat_message_names_its_field(golden):
    found = faults(golden({"id": "a", "input": [{"role": "robot", "content": "x", "contents": "y"}]}))
    assert [fault.field for fault in found] == ["input.0.role", "input.0.contents"]
    assert found[1].remedy == "did you mean 'content'?"


@pytest.mark.parametrize("schema", [False, True, {}, {"type": "object"}])
def test_a_schema_that_is_falsy_stays_a_schema(golden, schema):
    [case] = golden({"id": "a", "expected": {"json_schema": schema}})
    assert case.expected.json_schema == schema


@pytest.mark.parametrize("schema", [0, "", []])
def test_a_schema_of_another_kind_is_refused(golden, schema):
    [found] = faults(golden({"id": "a", "expected": {"json_schema": schema}}))
    assert found.field == "expected.json_schema"
    assert "expected an object or true or false" in found.problem
