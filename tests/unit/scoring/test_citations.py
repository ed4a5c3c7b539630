from __future__ import annotations

from typing import Any

import pytest
from fakes.scorer_inputs import build, case, outcome, output, scores

from evalkit.errors import InputError

EXPECTED = {"sources": ["billing/refunds"]}


def outcomes(
    text: str | None, *, expected: dict[str, Any] | None = None, field: list[str] | None = None, **settings: Any
) -> list[Any]:
    the_case = case("billing/refunds", "plans/team", expected=EXPECTED if expected is None else expected)
    results = scores(build("citations", **settings), the_case, output(text, citations=field))
    return [outcome(results[name]) for name in ("parse", "resolve", "match")]


def test_an_answer_that_cites_the_expected_source_passes_all_three() -> None:
    assert outcomes("Within 30 days [1].") == [True, True, True]
    assert outcomes("Within 30 days.", field=["billing/refunds"]) == [True, True, True]


def test_a_citation_of_nothing_known_fails_to_resolve() -> None:
    assert outcomes("Within 30 days [1][9].") == [True, False, True]


def test_another_source_than_expected_fails_the_match_alone() -> None:
    assert outcomes("Within 30 days [plans/team].") == [True, True, False]


def test_an_answer_whose_only_markers_have_drifted_passes_nothing() -> None:
    assert outcomes("Within 30 days [^1].") == [False, "not_applicable", False]


def test_an_answer_without_citations_fails_where_some_are_required() -> None:
    assert outcomes("Within 30 days.") == [False, "not_applicable", False]
    assert outcomes("Within 30 days.", expected={}) == [False, "not_applicable", "no_expectation"]
    assert outcomes("Within 30 days.", expected={}, required="with_sources") == [
        "not_applicable",
        "not_applicable",
        "no_expectation",
    ]
    assert outcomes("Within 30 days.", required="never") == ["not_applicable", "not_applicable", "not_applicable"]


def test_an_answer_that_should_decline_needs_none_but_those_it_makes_are_checked() -> None:
    declining = {"refusal": True, "sources": ["billing/refunds"]}
    assert outcomes("The documents do not say.", expected=declining) == ["not_applicable"] * 3
    assert outcomes("The documents do not say [9].", expected=declining) == [True, False, False]


@pytest.mark.parametrize(
    ("rule", "text", "passed"),
    [
        ("covers", "[1][2]", True), ("exact", "[1][2]", False), ("exact", "[1]", True), ("any", "[1][2]", True),
        ("any", "[2]", False), ("exact", "[1][9]", False),
    ],
)  # fmt: skip
def test_the_match_rule_is_a_setting(rule: str, text: str, passed: bool) -> None:
    assert outcomes(text, match=rule)[2] is passed


def test_exact_with_no_expected_source_means_that_nothing_may_be_cited() -> None:
    assert outcomes("As said [1].", expected={"sources": []}, match="exact", required="never")[2] is False
    assert outcomes("As said.", expected={"sources": []}, match="exact", required="never")[2] is True
    assert outcomes("As said [1].", expected={"sources": []})[2] == "no_expectation"


def test_a_case_without_documents_can_still_match_by_id() -> None:
    results = scores(build("citations"), case(expected=EXPECTED), output("Within 30 days [billing/refunds]."))
    assert [outcome(result) for result in results.values()] == [True, "not_applicable", True]


def test_an_empty_text_fails_and_a_bare_tool_call_is_not_applicable() -> None:
    assert outcomes("") == [False, False, False]
    results = scores(build("citations"), case("a"), output("", tool_calls=[{"name": "f"}]))
    assert [outcome(result) for result in results.values()] == ["not_applicable"] * 3


def test_a_failure_says_what_was_cited_and_what_was_expected() -> None:
    result = scores(build("citations"), case("a", "b", expected={"sources": ["a"]}), output("So [b]."))["match"]
    assert result.reason == "not cited: a"
    assert result.metadata == {"cited": ["b"], "expected": ["a"], "missing": ["a"], "extra": ["b"]}


def test_every_setting_stands_in_the_signature() -> None:
    assert build("citations").signature.settings == {"match": "covers", "required": "with_documents"}


def test_a_wrong_setting_is_refused_by_name() -> None:
    with pytest.raises(InputError, match="match"):
        build("citations", match="most")
    with pytest.raises(InputError, match="did you mean 'required'"):
        build("citations", require="never")
