from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalkit.scoring.tool_call_shapes import read_call, read_calls, read_offered


@pytest.mark.parametrize(
    "made",
    [
        {"id": "call_1", "type": "function", "function": {"name": "f", "arguments": '{"a": 1}'}},
        {"type": "tool_use", "id": "t1", "name": "f", "input": {"a": 1}},
        {"name": "f", "arguments": {"a": 1}},
        {"name": "f", "args": {"a": 1}},
        {"name": "f", "parameters": {"a": 1}},
        {"functionCall": {"name": "f", "args": {"a": 1}}},
        {"toolUse": {"name": "f", "input": {"a": 1}}},
        '{"name": "f", "arguments": {"a": 1}}',
    ],
)
def test_every_providers_shape_is_read_alike(made: Any) -> None:
    assert read_call(made) == ("f", {"a": 1}, "")


@pytest.mark.parametrize("arguments", ["", "  ", "{}", {}, None])
def test_no_arguments_may_be_written_in_many_ways(arguments: Any) -> None:
    assert read_call({"name": "f", "arguments": arguments}) == ("f", {}, "")


def test_arguments_may_be_left_out() -> None:
    assert read_call({"function": {"name": "f"}}) == ("f", {}, "")


@pytest.mark.parametrize(
    "arguments",
    ["null", "5", '"text"', "[]", '{"a": 1', '{"q": "a", "q": "b"}', '{"q": NaN}', '{"q": 1e999}', 5, True, [], "a=1", "1" * 5000,
     '{"a":' * 200 + "1" + "}" * 200],
)  # fmt: skip
def test_arguments_that_are_no_object_are_a_problem_and_the_name_is_kept(arguments: Any) -> None:
    call = read_call({"name": "f", "arguments": arguments})
    assert (call.name, call.arguments) == ("f", None)
    assert call.problem


@pytest.mark.parametrize(
    ("made", "name"),
    [
        ({"type": "custom", "custom": {"name": "x", "input": "y"}}, "x"),
        ({"type": "function", "function": None}, None),
        ({"type": "function", "function": "f"}, None),
        ("...", None),
        ("delete_account(id=4)", "delete_account"),
        ({}, None),
        ({"name": ""}, None),
        ({"name": 5}, None),
        (None, None),
        (["f"], None),
        ("[1]", None),
        ({"name": "f", "arguments": {}, "input": {}}, "f"),
        ({"custom": None}, None),
    ],
)
def test_what_cannot_be_read_is_a_problem_with_what_could_be(made: Any, name: str | None) -> None:
    call = read_call(made)
    assert call.problem
    assert (call.name, call.arguments) == (name, None)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["name", "function", "arguments", "input", "custom", "args", "x"]), inner, max_size=3
        )
    ),
    max_leaves=8,
)


@given(JSON)
def test_any_json_is_either_read_or_explained(made: Any) -> None:
    call = read_call(made)
    assert bool(call.problem) is (call.arguments is None)
    assert call.problem or call.name


def test_tools_offered_are_read_in_every_providers_shape() -> None:
    schema = {"type": "object"}
    offered = read_offered([
        "a", {"name": "b", "parameters": schema}, {"type": "function", "function": {"name": "c", "parameters": schema}},
        {"name": "d", "input_schema": schema}, {"name": "e", "inputSchema": schema}, {"name": "f"}, {}, 5, {"function": None},
    ])  # fmt: skip
    assert offered.schemas == {"a": None, "b": schema, "c": schema, "d": schema, "e": schema, "f": None}
    assert offered.unreadable == (7, 8, 9)


def test_a_parcel_of_parallel_calls_is_opened_in_its_place_and_to_the_bottom() -> None:
    inner = {
        "recipient_name": "multi_tool_use.parallel",
        "parameters": {"tool_uses": [{"recipient_name": "functions.b"}]},
    }
    uses = [
        {"recipient_name": "functions.a", "parameters": {"x": 1}},
        inner,
        {"recipient_name": "c", "parameters": "{}"},
    ]
    made = [{"name": "first"}, {"name": "multi_tool_use.parallel", "arguments": {"tool_uses": uses}}, {"name": "last"}]
    assert [(call.name, call.arguments) for call in read_calls(made)] == [
        ("first", {}),
        ("a", {"x": 1}),
        ("b", {}),
        ("c", {}),
        ("last", {}),
    ]


def test_an_ordinary_tool_with_the_same_argument_stays_a_call() -> None:
    made = {"name": "plan", "arguments": {"tool_uses": [{"recipient_name": "functions.a"}]}}
    assert [call.name for call in read_calls([made])] == ["plan"]


@pytest.mark.parametrize("arguments", [None, "{", {}, {"tool_uses": 5}, {"tool_uses": [None]}])
def test_a_parcel_that_cannot_be_opened_is_a_call_without_a_name(arguments: Any) -> None:
    (call,) = read_calls([{"name": "multi_tool_use.parallel", "arguments": arguments}])
    assert call.name is None
    assert call.problem


def test_parcels_in_parcels_do_not_exhaust_the_stack() -> None:
    arguments: Any = {"tool_uses": []}
    for _ in range(20_000):
        arguments = {"tool_uses": [{"recipient_name": "multi_tool_use.parallel", "parameters": arguments}]}
    assert read_calls([{"name": "multi_tool_use.parallel", "arguments": arguments}]) == []
    while arguments["tool_uses"]:  # taken apart by hand: freeing it at once would recurse
        arguments = arguments["tool_uses"].pop()["parameters"]
