from __future__ import annotations

import pytest

from evalkit.scoring.tool_names import ToolNames, same_tool


@pytest.mark.parametrize(
    "name", ["delete_account", "Delete_Account", " delete_account ", "functions.delete_account", "\uff44elete_account"]
)
def test_spelling_does_not_dodge_a_policy(name: str) -> None:
    assert name in ToolNames(["delete_account"])


@pytest.mark.parametrize("name", ["delete_accounts", "undelete_account", "delete-account", "", "delete_account.undo"])
def test_other_names_are_not_meant(name: str) -> None:
    assert name not in ToolNames(["delete_account"])


def test_a_star_stands_for_any_characters_and_nothing_else_is_special() -> None:
    assert "delete_workspace" in ToolNames(["delete_*"])
    assert "admin.delete" in ToolNames(["admin.*"])
    assert "ab" not in ToolNames(["a?"])
    assert "a" not in ToolNames(["[ab]"])
    assert "[ab]" in ToolNames(["[ab]"])


def test_two_names_are_one_tool_whatever_their_case_and_the_namespace_of_one() -> None:
    assert same_tool("Pay", "functions.pay")
    assert same_tool("functions.pay", "pay")
    assert not same_tool("billing.pay", "test.pay")
    assert not same_tool("pay", "prepay")
