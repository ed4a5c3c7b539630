from __future__ import annotations

import json

import pytest
from fakes.chat_server import completion
from hypothesis import given
from hypothesis import strategies as st

from evalkit.errors import ProviderError
from evalkit.providers.batch_wire import line_of, read_results, sized, state_of, states_of
from evalkit.records.chat import ChatCall
from evalkit.records.judges import BatchConfig

KEY = "sk-batch-0123456789"


def call(name, text="x"):
    return ChatCall(
        key=name,
        label=name,
        model="m",
        messages=({"role": "user", "content": text},),
        params={"temperature": 0.0},
        schema={"type": "object"},
    )


def result(name, text="fine", **changes):
    response = {"status_code": 200, "request_id": "q", "body": completion(text)}
    return json.dumps({"id": "r", "custom_id": name, "response": response, "error": None} | changes).encode() + b"\n"


def test_a_line_is_the_request_that_would_be_sent_by_itself_under_its_own_key():
    line = json.loads(line_of(call("k1", "über\u2028all")))
    assert (line["custom_id"], line["method"], line["url"]) == ("k1", "POST", "/v1/chat/completions")
    assert line["body"]["messages"] == [{"role": "user", "content": "über\u2028all"}]
    assert line["body"]["response_format"]["json_schema"]["schema"] == {"type": "object"}
    assert line_of(call("k1", "a\nb")).count(b"\n") == 1


@given(st.lists(st.integers(0, 400), max_size=30), st.integers(1, 7), st.integers(200, 1500))
def test_no_batch_is_larger_than_its_limits_and_only_what_fits_none_is_left_out(lengths, most, longest):
    calls = [call(f"k{number}", "x" * length) for number, length in enumerate(lengths)]
    config = BatchConfig(max_requests=most, max_bytes=longest)
    batches = list(sized(calls, config))
    assert [one for batch in batches for one in batch] == [one for one in calls if len(line_of(one)) <= longest]
    for batch in batches:
        assert 1 <= len(batch) <= most
        assert sum(len(line_of(one)) for one in batch) <= longest


def test_results_are_joined_by_key_whatever_their_order():
    results = read_results([result("b", "B") + result("a", "A")], None)
    assert {key: reply.text for key, reply in results.replies.items()} == {"a": "A", "b": "B"}
    assert results.replies["a"].model == "stub-2025-01-01"


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"error": {"code": "batch_expired", "message": "too late"}, "response": None}, "batch_expired too late"),
        ({"error": "odd", "response": None}, "odd"),
        ({"response": None}, "no response"),
        ({"response": {"status_code": 429, "body": {"error": {"message": "slow down"}}}}, "HTTP 429 slow down"),
        ({"response": {"status_code": 500, "body": None}}, "HTTP 500"),
        ({"response": {"status_code": "200", "body": completion("x")}}, "HTTP 200"),
        (
            {"response": {"status_code": 200, "body": {}}},
            "the server's JSON has no `choices`, so it is no chat completion",
        ),
    ],
)
def test_a_failed_request_is_counted_by_its_reason_and_has_no_reply(changes, reason):
    results = read_results([result("a", **changes)], None)
    assert (results.replies, dict(results.failed)) == ({}, {reason: 1})


def test_two_answers_to_one_request_count_as_none_and_the_same_answer_twice_as_one():
    results = read_results([result("a", "A") + result("b", "B"), result("a", "other") + result("b", "B")], None)
    assert list(results.replies) == ["b"]
    assert results.doubled == {"a"}


def test_a_key_that_a_gateway_echoes_is_taken_out():
    results = read_results(
        [result("a", f"your key is {KEY}") + result("b", response=None, error={"message": KEY})], KEY
    )
    assert KEY not in str(results)


@given(
    st.lists(st.one_of(st.binary(max_size=40), st.sampled_from([result("a"), b"{}", b"null", b'{"custom_id":"a"}'])))
)
def test_whatever_a_file_holds_it_is_read_without_a_crash(lines):
    results = read_results([b"\n".join(lines)], None)
    assert set(results.replies) <= {"a"}


def test_a_state_is_read_with_its_files_and_counts():
    state = state_of(
        {
            "id": "batch_1", "status": "completed", "input_file_id": "f0", "output_file_id": "f1", "error_file_id": None,
            "request_counts": {"total": 3, "completed": 2, "failed": 1},
        },
        None,
    )  # fmt: skip
    assert (state.ended, state.output_file, state.error_file, state.done) == (True, "f1", None, 3)


@pytest.mark.parametrize(
    "data",
    [
        None,
        [],
        {},
        {"id": "b"},
        *({"id": odd, "status": "failed"} for odd in ("", 7, "..", "a b", "b\n", "é", "x" * 201)),
    ],
)
def test_what_is_no_batch_is_a_bad_response(data):
    with pytest.raises(ProviderError, match="it is no batch"):
        state_of(data, None)


def test_a_state_that_is_not_known_counts_as_running_and_odd_counts_as_nothing():
    state = state_of({"id": "b", "status": "\x1b[31mmoon", "request_counts": {"completed": -1, "failed": "3"}}, None)
    assert (state.status, state.ended, state.done) == ("unknown", False, 0)


def test_why_a_batch_failed_is_said_without_keys():
    errors = {"data": [{"code": "invalid", "message": f"line 3 {KEY}"}, "odd"]}
    assert state_of({"id": "b", "status": "failed", "errors": errors}, KEY).problem == "invalid line 3 [removed]"
    assert state_of({"id": "b", "status": "failed", "errors": {"data": None}}, KEY).problem == ""


def test_a_list_of_batches_keeps_what_is_one():
    assert [one.id for one in states_of({"data": [{"id": "b", "status": "failed"}, {}, 3]}, None)] == ["b"]
    assert states_of([], None) == states_of({"data": {}}, None) == []
