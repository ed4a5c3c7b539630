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
        [{"tool": "pay", "arguments": {"sum": 10.0}}],
    ],
)  # fmt: skip
def test_a_call_with_its_approval_passes(approvals: list[Any]) -> None:
    assert result([PAY], approvals) is True


@pytest.mark.parametrize(
    "approvals",
    [
        [], ["other"], [{"tool": "pay", "approved": False}], [{"tool": "pay", "granted": "no"}], [{"tool": "pay", "status": "rejected"}],
        [{"tool": "pay", "arguments": {"sum": 11}}], [{"name": "pay"}], [5, None, []],
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
