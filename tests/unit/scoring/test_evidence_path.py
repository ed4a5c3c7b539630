from __future__ import annotations

from typing import Any

import pytest
from fakes.scorer_inputs import build, case, outcome, output

EVIDENCE = {"certificate": {"clarity": "SI1", "a/b": None}, "photos": [1]}


def score(items: Any, *, evidence: Any = EVIDENCE, **settings: Any) -> Any:
    return build("evidence_path", **settings).score(case(evidence=evidence), output(items=items))[0]


@pytest.mark.parametrize("path", ["/certificate/clarity", "/certificate/a~1b", "/photos/0", "/certificate"])
def test_a_path_that_exists_passes(path: str) -> None:
    assert outcome(score([{"text": "a question", "evidence_path": path}])) is True


@pytest.mark.parametrize(
    "path", ["/certificate/cut", "/photos/1", "certificate", "$.certificate", "", None, "/certificate/a/b"]
)
def test_a_path_that_names_nothing_fails(path: str | None) -> None:
    assert outcome(score([{"text": "a question", "evidence_path": path}])) is False


def test_one_bad_item_fails_the_output_and_is_named() -> None:
    result = score([{"text": "one", "evidence_path": "/photos"}, {"text": "two", "evidence_path": "/nope"}])
    assert result.passed is False
    assert result.metadata["faults"] == [
        {"item": 2, "text": "two", "evidence_path": "/nope", "problem": "'/nope': no key 'nope'"}
    ]


def test_missing_items_are_not_applicable_or_fail_by_setting() -> None:
    assert outcome(score(None)) == "not_applicable"
    assert outcome(score([], without_items="fail")) is False


def test_a_case_without_evidence_has_no_expectation_of_items_that_name_none() -> None:
    assert outcome(score([{"text": "x"}], evidence=None)) == "no_expectation"
    assert outcome(score(None, evidence=None, without_items="fail")) == "no_expectation"


def test_a_path_into_evidence_that_the_case_does_not_have_fails() -> None:
    result = score([{"text": "x"}, {"text": "y", "evidence_path": "/a"}], evidence=None)
    assert result.passed is False
    assert result.reason == "1 of 2 items: item 2: no such evidence: '/a', the case has none"


def test_the_whole_of_the_evidence_is_accepted_by_setting_only() -> None:
    assert outcome(score([{"text": "x", "evidence_path": ""}], whole_document=True)) is True
