import pytest
from fakes.chat_server import completion
from hypothesis import given
from hypothesis import strategies as st

from evalkit.errors import ProviderError, UsageError
from evalkit.providers.chat_wire import RESERVED, body_of, refuse_reserved, reply_of
from evalkit.records.chat import ChatCall
from evalkit.records.verdicts import Reply

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["choices", "message", "content", "usage", "prompt_tokens", "error", "model"]),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


def call(**fields):
    given_fields = {"params": {"temperature": 0.0}, "schema": None} | fields
    return ChatCall(
        key="k", label="case-1", model="m", messages=({"role": "user", "content": "hi {x}"},), **given_fields
    )


def test_a_body_holds_the_call_and_nothing_else():
    assert body_of(call()) == {"model": "m", "messages": [{"role": "user", "content": "hi {x}"}], "temperature": 0.0}


def test_a_schema_becomes_a_strict_response_format():
    wanted = body_of(call(schema={"type": "object"}))["response_format"]
    assert wanted["type"] == "json_schema"
    assert wanted["json_schema"] == {"name": "verdict", "strict": True, "schema": {"type": "object"}}


@pytest.mark.parametrize("name", sorted(RESERVED))
def test_parameters_cannot_take_over_the_call(name):
    with pytest.raises(UsageError, match=name):
        refuse_reserved({name: "x"})


def test_a_providers_own_parameters_pass():
    own = {"top_p": 1, "reasoning_effort": "low"}
    refuse_reserved(own)
    assert own.items() <= body_of(call(params=own)).items()


def test_a_completion_is_read_in_full():
    usage = {"prompt_tokens": 7, "completion_tokens": 3, "prompt_tokens_details": {"cached_tokens": 5}}
    reply = reply_of(completion("yes", finish_reason="length", usage=usage, model="snap"))
    assert (reply.text, reply.finish_reason, reply.model) == ("yes", "length", "snap")
    assert (reply.input_tokens, reply.output_tokens, reply.cached_tokens) == (7, 3, 5)


def test_null_content_and_a_refusal_are_kept_apart():
    reply = reply_of(completion(None, refusal="I cannot judge this"))
    assert (reply.text, reply.refusal) == (None, "I cannot judge this")


def test_content_parts_are_joined():
    assert reply_of(completion([{"type": "text", "text": "a"}, {"type": "text", "text": "b"}])).text == "ab"


@pytest.mark.parametrize(
    "usage",
    [
        {},
        {"prompt_tokens": 0, "completion_tokens": 0},
        {"prompt_tokens": "7", "completion_tokens": True},
        {"prompt_tokens": -1, "completion_tokens": None},
        {"prompt_tokens": 1.5, "completion_tokens": []},
    ],
)
def test_usage_that_says_nothing_is_unknown(usage):
    reply = reply_of(completion("x", usage=usage))
    assert (reply.input_tokens, reply.output_tokens, reply.cached_tokens) == (None, None, None)


@pytest.mark.parametrize(
    "data",
    [
        None,
        [],
        "x",
        1,
        {},
        {"choices": []},
        {"choices": [1]},
        {"choices": [{}]},
        {"choices": [{"message": {"content": 4}}]},
    ],
)
def test_what_is_no_completion_is_a_bad_response(data):
    with pytest.raises(ProviderError) as caught:
        reply_of(data)
    assert caught.value.kind == "bad_response"


@pytest.mark.parametrize(
    ("code", "kind", "permanent"),
    [(429, "rate_limited", False), (502, "server", False), (401, "rejected", True), ("x", "server", False)],
)
def test_an_error_inside_a_good_status_is_an_error(code, kind, permanent):
    with pytest.raises(ProviderError) as caught:
        reply_of({"error": {"message": "upstream", "code": code}, "choices": [{"message": {"content": "x"}}]})
    assert (caught.value.kind, caught.value.permanent) == (kind, permanent)


@given(JSON)
def test_reading_any_json_gives_a_reply_or_a_provider_error(data):
    for value in (data, {"choices": [{"message": data}], "usage": data}, {"choices": data}):
        try:
            found = reply_of(value)
        except ProviderError as error:
            found = error
        assert isinstance(found, Reply) or found.kind in {
            "bad_response",
            "rate_limited",
            "server",
            "rejected",
            "timeout",
        }
