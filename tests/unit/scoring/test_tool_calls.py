from __future__ import annotations

from typing import Any

import pytest
from fakes.scorer_inputs import build, case, outcome, output, scores

REFUND = {
    "name": "refund",
    "parameters": {
        "type": "object",
        "properties": {"id": {"type": "integer"}, "note": {"type": "string"}},
        "required": ["id"],
        "additionalProperties": False,
    },
}


def results(calls: Any, *, expected: Any = None, offered: Any = (REFUND, "ping"), **settings: Any) -> dict[str, Any]:
    the_case = case(expected={} if expected is None else {"tool_calls": expected})
    return scores(build("tool_calls", **settings), the_case, output("", tool_calls=calls, tools_offered=list(offered)))


def outcomes(calls: Any, **rest: Any) -> tuple[Any, Any]:
    found = results(calls, **rest)
    return outcome(found["valid"]), outcome(found["match"])


def call(name: str, **arguments: Any) -> dict[str, Any]:
    return {"name": name, "arguments": arguments}


def test_the_expected_call_passes_both() -> None:
    assert outcomes([{"function": {"name": "refund", "arguments": '{"id": 4}'}}], expected=[call("refund", id=4)]) == (
        True,
        True,
    )


@pytest.mark.parametrize("calls", [None, []])
def test_a_text_answer_where_a_call_was_expected_fails_and_is_no_error(calls: Any) -> None:
    found = results(calls, expected=[call("refund", id=4)])
    assert [(r.passed, r.reason) for r in found.values()] == [(False, "no tool call"), (False, "no tool call")]


def test_no_call_where_none_was_expected_passes_the_match() -> None:
    assert outcomes([], expected=[]) == ("not_applicable", True)
    assert outcomes([call("ping")], expected=[]) == (True, False)


@pytest.mark.parametrize(
    ("made", "problem"),
    [
        (call("refund"), "required"),
        (call("refund", id="4"), "integer"),
        (call("refund", id=True), "integer"),
        (call("refund", id=4, extra=1), "extra"),
        (call("refnd", id=4), "no tool 'refnd' was offered (there are: ping, refund)"),
        ({"name": "refund", "arguments": '{"id": 4'}, "no JSON"),
        ({"name": "refund", "arguments": "null"}, "null"),
        ("refund(id=4)", "call text"),
        ({}, "no tool name"),
    ],
)
def test_a_call_that_does_not_fit_its_tool_is_invalid_with_the_reason(made: Any, problem: str) -> None:
    result = results([made])["valid"]
    assert result.passed is False
    assert problem in result.reason


def test_a_tool_without_required_parameters_takes_no_arguments_in_any_form() -> None:
    assert [outcomes([{"name": "ping", "arguments": given}])[0] for given in ("", None, "{}", {"q": "x"})] == [True] * 4


def test_one_bad_call_among_good_ones_is_named() -> None:
    result = results([call("ping"), call("refund")])["valid"]
    assert result.reason.startswith("call 2: ")
    assert [fault["call"] for fault in result.metadata["faults"]] == [2]


def test_a_tool_that_is_expected_counts_as_known() -> None:
    assert outcomes([call("lookup", q="x")], expected=[call("lookup", q="x")], offered=()) == (True, True)


def test_without_any_word_on_tools_only_malformed_calls_are_decided() -> None:
    assert outcomes([call("f")], offered=()) == ("not_applicable", "no_expectation")
    assert outcomes([{"name": "f", "arguments": "5"}], offered=())[0] is False


@pytest.mark.parametrize("schema", [{"type": "objekt"}, {"$ref": "https://example.org/s"}, "object", 5])
def test_a_tool_whose_schema_is_unusable_leaves_its_calls_unscored(schema: Any) -> None:
    assert outcomes([call("f")], offered=[{"name": "f", "parameters": schema}])[0] == "scorer_error"


def test_a_fault_is_found_even_beside_a_call_that_cannot_be_decided() -> None:
    offered = [{"name": "f", "parameters": {"type": "objekt"}}]
    assert outcomes([call("f"), call("g")], offered=offered)[0] is False


def test_an_unreadable_offer_leaves_unknown_names_open() -> None:
    assert outcomes([call("f")], offered=[{}])[0] == "scorer_error"


def test_a_pattern_of_a_tools_schema_cannot_hang_a_run() -> None:
    parameters = {"properties": {"q": {"pattern": r"^(?!x)((a+)+)+c(?<=c)$"}}}
    assert (
        outcomes([call("f", q="a" * 60 + "!")], offered=[{"name": "f", "parameters": parameters}])[0] == "scorer_error"
    )


TWO = [call("a", x=1), call("b")]


@pytest.mark.parametrize(
    ("order", "calls", "passed"),
    [
        ("in_order", [call("a", x=1), call("b")], True),
        ("in_order", [call("b"), call("a", x=1)], False),
        ("in_order", [call("a", x=1), call("b"), call("c")], False),
        ("any_order", [call("b"), call("a", x=1)], True),
        ("any_order", [call("b"), call("b"), call("a", x=1)], False),
        ("any_order", [call("a", x=1)], False),
        ("subset", [call("c"), call("b"), call("a", x=1)], True),
        ("subset", [call("a", x=1)], False),
        ("subset", [call("a", x=1), "b()"], False),
    ],
)
def test_the_order_rule_is_a_setting(order: str, calls: Any, passed: bool) -> None:
    assert outcomes(calls, expected=TWO, offered=(), order=order)[1] is passed


@pytest.mark.parametrize(
    ("rule", "made", "passed"),
    [
        ("exact", call("a", x=1), True),
        ("exact", call("a", x=1.0), True),
        ("exact", call("a", x=True), False),
        ("exact", call("a", x=1, y=2), False),
        ("listed", call("a", x=1, y=2), True),
        ("listed", call("a", y=2), False),
        ("names", call("a", z=9), True),
        ("names", call("b"), False),
    ],
)
def test_how_arguments_compare_is_a_setting(rule: str, made: Any, passed: bool) -> None:
    assert outcomes([made], expected=[call("a", x=1)], arguments=rule)[1] is passed


def test_long_ids_are_compared_to_the_last_digit() -> None:
    made = [{"name": "a", "arguments": '{"id": 9007199254740993}'}]
    assert outcomes(made, expected=[call("a", id=9007199254740993)])[1] is True
    assert outcomes(made, expected=[call("a", id=9007199254740992)])[1] is False


def test_a_call_that_fits_two_expectations_does_not_take_the_wrong_one() -> None:
    expected = [call("a"), call("a", x=1)]
    assert (
        outcomes([call("a", x=1), call("a", y=2)], expected=expected, order="any_order", arguments="listed")[1] is True
    )


def test_a_mismatch_says_which_arguments_differ() -> None:
    result = results([call("a", x=2, z=0)], expected=[call("a", x=1, y=1)])["match"]
    assert result.reason == "a: missing argument y; other value of x; unexpected argument z"
    assert results([call("c")], expected=[call("a")])["match"].reason == "not called: a; called, but not expected: c"
    nameless = results([{}], expected=[call("a")])["match"].reason
    assert nameless == "not called: a; called, but not expected: a call without a name"


def test_every_setting_stands_in_the_signature() -> None:
    assert build("tool_calls").signature.settings == {"order": "in_order", "arguments": "exact"}


def test_calls_inside_a_parcel_of_parallel_calls_are_compared_and_validated() -> None:
    uses = [{"recipient_name": f"functions.{name}", "parameters": {}} for name in ("a", "b")]
    parcel = {"name": "multi_tool_use.parallel", "arguments": {"tool_uses": uses}}
    wanted = [{"name": "a", "arguments": {}}, {"name": "b", "arguments": {}}]
    scorer = build("tool_calls")
    the_case = case(expected={"tool_calls": wanted})
    assert [result[1] for result in scorer.score(the_case, output(None, tool_calls=[parcel]))] == [True, True]
    uses.reverse()
    assert [result[1] for result in scorer.score(the_case, output(None, tool_calls=[parcel]))] == [True, False]
