from __future__ import annotations

from typing import Any

import pytest
from fakes.scorer_inputs import build, case, outcome, output

PAY = {"name": "pay", "arguments": {"sum": 10}}


def result(calls: list[Any], approvals: list[Any], **settings: Any) -> Any:
    scorer = build("approval", **{"names": ["pay"], **settings})
    return outcome(scorer.score(case(), output(tool_calls=calls, approvals=approvals))[0])


@pytest.mark.parametrize(
    "approvals",
    [
        ["pay"], ["PAY"], [{"tool": "pay"}], [{"tool": "pay", "approved": True, "by": "ana"}], [{"tool": "pay", "decision": "Approved"}],
        [{"tool": "pay", "arguments": {"sum": 10.0}}], [{"tool": "functions.pay"}], [{"tool": "pay", "result": "ok", "note": "small sum"}],
    ],
)  # fmt: skip
def test_a_call_with_its_approval_passes(approvals: list[Any]) -> None:
    assert result([PAY], approvals) is True


@pytest.mark.parametrize(
    "approvals",
    [
        [], ["other"], [{"tool": "pay", "approved": False}], [{"tool": "pay", "granted": "no"}], [{"tool": "pay", "status": "rejected"}],
        [{"tool": "pay", "arguments": {"sum": 11}}], [{"name": "pay"}], [5, None, []], [{"tool": "pay", "denied": True}],
        [{"tool": "pay", "result": "rejected"}], [{"tool": "prepay"}],
    ],
)  # fmt: skip
def test_a_call_without_one_fails(approvals: list[Any]) -> None:
    assert result([PAY], approvals) is False


def test_each_approval_covers_one_call_or_by_setting_every_call_of_its_tool() -> None:
    assert result([PAY, PAY], ["pay"]) is False
    assert result([PAY, PAY], ["pay", "pay"]) is True
    assert result([PAY, PAY], ["pay"], per="tool") is True


def test_an_approval_of_particular_arguments_is_spent_before_a_general_one() -> None:
    other = {"name": "pay", "arguments": {"sum": 99}}
    assert result([PAY, other], ["pay", {"tool": "pay", "arguments": {"sum": 10}}]) is True


def test_calls_that_need_none_are_not_applicable() -> None:
    assert result([{"name": "lookup"}], []) == "not_applicable"
    assert result([], ["pay"]) == "not_applicable"


def test_a_call_that_cannot_be_read_fails_unless_the_suite_says_otherwise() -> None:
    assert result([{}], ["pay"]) is False
    assert result([{}], ["pay"], unreadable="ignore") == "not_applicable"
    assert result(["pay(10)"], []) is False


def test_approvals_that_do_not_count_are_named() -> None:
    approvals = [{"tool": "pay", "denied": True}, {"tool": "other", "denied": True}, 5]
    scorer = build("approval", names=["pay"])
    reason = scorer.score(case(), output(tool_calls=[PAY], approvals=approvals))[0][2]
    assert reason == (
        "call 1 calls 'pay' without an approval; approval 1 says 'denied: true'; approval 3 is neither a tool's name nor an object"
    )


def test_each_call_inside_a_parcel_of_parallel_calls_needs_its_approval() -> None:
    use = {"recipient_name": "functions.pay", "parameters": {"sum": 10}}
    parcel = {"name": "multi_tool_use.parallel", "arguments": {"tool_uses": [use, use]}}
    assert result([parcel], []) is False
    assert result([parcel], ["pay"]) is False
    assert result([parcel], ["pay", {"tool": "pay", "arguments": {"sum": 10}}]) is True
    assert result([{"name": "multi_tool_use.parallel", "arguments": "{"}], ["pay"]) is False


def test_an_approval_of_true_is_not_spent_for_one_of_1() -> None:
    approvals = [{"tool": "pay", "arguments": {"sum": 1}}, {"tool": "pay", "arguments": {"sum": True}}]
    calls = [{"name": "pay", "arguments": {"sum": True}}, {"name": "pay", "arguments": {"sum": 1}}]
    assert result(calls, approvals) is True
