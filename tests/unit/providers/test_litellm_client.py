"""Real litellm over real HTTP, in one subprocess per question that the import decides, otherwise in this process."""

import asyncio
import os
import subprocess
import sys

import pytest
from fakes.chat_server import broken_json, closed_mid_body, closed_port, echo_headers, fail, html, say, silence

from evalkit.errors import ProviderError, UsageError
from evalkit.providers.channel import Channel
from evalkit.providers.clients import make_client, preload
from evalkit.providers.meter import Meter
from evalkit.records.chat import ChatCall
from evalkit.records.judges import Backoff, JudgeConfig, Params

pytestmark = [
    pytest.mark.slow,
    # litellm's own modules warn while they are imported and used; that is not ours to keep clean.
    pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::UserWarning", "ignore::ResourceWarning"),
]
CANARY = "sk-CANARY-0123456789abcdef"


def call(**fields):
    settings = {
        "params": {"temperature": 0.0, "max_tokens": 9, "seed": 1, "my_own": [1]},
        "schema": {"type": "object"},
    } | fields
    return ChatCall(
        key="k",
        label="case-1",
        model="openai/stub",
        messages=({"role": "user", "content": "hi {x} \x00\u202e"},),
        **settings,
    )


def config(url, **fields):
    return JudgeConfig(client="litellm", model="openai/stub", base_url=url, timeout_s=60.0, **fields)


def ask(settings, folder, one=None, times=1):
    async def run():
        client = make_client(settings, folder)
        channel = Channel(client, settings, Meter())
        try:
            return await asyncio.gather(*(channel.ask(one or call()) for _ in range(times)), return_exceptions=True)
        finally:
            await client.aclose()

    return asyncio.run(run())


def test_the_call_is_sent_as_it_stands_to_one_address(chat_server, tmp_path):
    for slash in ("", "/"):
        [(reply, retries)] = ask(config(chat_server.url + slash), tmp_path)
        assert (reply.text, retries, reply.model) == ("ok", 0, "stub-2025-01-01")
        assert (reply.input_tokens, reply.output_tokens) == (100, 20)
    first, second = chat_server.requests
    assert first.path == second.path == "/v1/chat/completions"
    assert first.body["messages"] == [{"role": "user", "content": "hi {x} \x00\u202e"}]
    assert {name: first.body[name] for name in ("temperature", "max_tokens", "seed", "my_own")} == call().params
    assert first.body["response_format"]["json_schema"]["schema"] == {"type": "object"}
    assert first.body["model"] == "stub"


def test_without_a_schema_no_response_format_is_sent(chat_server, tmp_path):
    ask(config(chat_server.url), tmp_path, call(schema=None))
    assert "response_format" not in chat_server.requests[0].body


def test_the_real_key_does_not_go_to_a_server_that_was_named_without_one(chat_server, tmp_path, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-REAL-should-not-appear")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/other")
    monkeypatch.setenv("JUDGE_KEY", CANARY)
    ask(config(chat_server.url), tmp_path)
    ask(config(chat_server.url, api_key_env="JUDGE_KEY"), tmp_path)
    unnamed, named = chat_server.requests
    assert "REAL" not in str(chat_server.requests)
    assert "CANARY" not in str(unnamed)
    assert named.headers["Authorization"] == f"Bearer {CANARY}"


@pytest.mark.parametrize(
    ("behaviour", "kinds", "requests"),
    [
        (fail(429), {"rate_limited"}, 2),
        (fail(429, retry_after="86400"), {"rate_limited"}, 1),
        (fail(500), {"server"}, 2),
        (fail(503), {"server"}, 2),
        (fail(400), {"rejected"}, 1),
        (fail(401), {"rejected"}, 1),
        (fail(403), {"rejected"}, 1),
        (fail(404), {"rejected"}, 1),
        (html(), {"server", "bad_response"}, 2),
        (broken_json(), {"server", "bad_response"}, 2),
        (closed_mid_body(), {"connection"}, 2),
    ],
)
def test_failures_have_a_kind_and_are_sent_exactly_as_often_as_documented(
    chat_server, tmp_path, behaviour, kinds, requests
):
    chat_server.script = [behaviour] * 10
    [error] = ask(config(chat_server.url, backoff=Backoff(tries=2, first_s=0.01, cap_s=1)), tmp_path)
    assert isinstance(error, ProviderError)
    assert error.kind in kinds
    assert error.permanent
    assert len(chat_server.requests) == requests


def test_retry_after_is_waited_for(chat_server, tmp_path):
    chat_server.script = [fail(429, retry_after="1"), say("ok")]
    [(reply, retries)] = ask(config(chat_server.url, backoff=Backoff(first_s=0.01)), tmp_path)
    assert (reply.text, retries) == ("ok", 1)
    assert chat_server.requests[1].at - chat_server.requests[0].at >= 1


def test_silence_ends_with_the_timeout(chat_server, tmp_path):
    ask(config(chat_server.url), tmp_path)  # the first call of a process spends seconds on litellm's imports
    chat_server.reset()
    chat_server.script = [silence()] * 5
    settings = config(chat_server.url, backoff=Backoff(tries=2, first_s=0.01)).model_copy(update={"timeout_s": 1.5})
    [error] = ask(settings, tmp_path)
    assert error.kind == "timeout"
    assert len(chat_server.requests) == 2


def test_a_refused_connection_is_its_own_kind(tmp_path):
    [error] = ask(config(f"http://127.0.0.1:{closed_port()}/v1", backoff=Backoff(tries=1)), tmp_path)
    assert error.kind == "connection"


def test_refusals_truncation_cached_tokens_and_missing_usage_are_read(chat_server, tmp_path):
    cached = {
        "prompt_tokens": 9,
        "completion_tokens": 2,
        "total_tokens": 11,
        "prompt_tokens_details": {"cached_tokens": 7},
    }
    chat_server.script = [
        say(None, refusal="I cannot"),
        say("cut", finish_reason="length"),
        say("x", usage=cached),
        say("x", usage={}),
    ]
    replies = [ask(config(chat_server.url), tmp_path)[0][0] for _ in range(4)]
    assert (replies[0].text, replies[0].refusal) == (None, "I cannot")
    assert replies[1].finish_reason == "length"
    assert replies[2].cached_tokens == 7
    assert (replies[3].input_tokens, replies[3].output_tokens) == (None, None)


def test_the_maximum_is_in_flight(chat_server, tmp_path):
    chat_server.together = 8
    assert all(reply.text == "ok" for reply, _ in ask(config(chat_server.url, max_in_flight=8), tmp_path, times=20))
    assert chat_server.most_in_flight == 8


@pytest.mark.parametrize(
    "behaviour",
    [
        fail(401, f"Incorrect API key provided: {CANARY}. url http://127.0.0.1:8099/v1/x?key=CANARY-0123"),
        fail(404, "Client error for url http://u:CANARY-pw@127.0.0.1:8099/v1?key=CANARY-0123"),
        fail(500, "Incorrect API key provided: sk-CANAR*********cdef"),
    ],
)
def test_no_error_shows_a_key(chat_server, tmp_path, monkeypatch, behaviour):
    monkeypatch.setenv("JUDGE_KEY", CANARY)
    chat_server.script = [behaviour] * 10
    [error] = ask(config(chat_server.url, api_key_env="JUDGE_KEY", backoff=Backoff(tries=1)), tmp_path)
    assert "CANAR" not in str(error)


def test_a_reply_that_echoes_the_request_holds_no_key(chat_server, tmp_path, monkeypatch):
    monkeypatch.setenv("JUDGE_KEY", CANARY)
    chat_server.reply = echo_headers()
    [(reply, _)] = ask(config(chat_server.url, api_key_env="JUDGE_KEY"), tmp_path)
    assert "CANARY" not in reply.text


def test_parameters_and_addresses_that_hide_something_are_refused(tmp_path, monkeypatch):
    with pytest.raises(UsageError, match="api_base"):
        make_client(config("http://h/v1", params=Params(extra={"api_base": "http://elsewhere"})), tmp_path)
    monkeypatch.setenv("OPENAI_API_BASE", "http://127.0.0.1:9/other")
    with pytest.raises(UsageError, match="OPENAI_API_BASE"):
        make_client(JudgeConfig(client="litellm", model="openai/m"), tmp_path)


def test_preload_imports_it():
    preload(JudgeConfig(client="litellm", model="openai/m"))
    assert "litellm" in sys.modules


ONE_CALL = """
import asyncio, json, pathlib, sys
from evalkit.providers.clients import make_client
from evalkit.records.chat import ChatCall
from evalkit.records.judges import JudgeConfig
config = JudgeConfig(client="litellm", model="openai/stub", base_url=sys.argv[1], api_key_env="JUDGE_KEY")
call = ChatCall(key="k", label="c", model="openai/stub", messages=({"role": "user", "content": "hi"},), params={}, schema=None)
async def main():
    client = make_client(config, pathlib.Path())
    for _ in range(2):
        try:
            print((await client.complete(call)).text)
        except Exception as error:
            print(repr(error))
    await client.aclose()
asyncio.run(main())
"""


def test_a_debug_environment_leaks_nothing_and_a_run_ends_cleanly(chat_server):
    chat_server.script = [say("fine"), fail(401, f"bad key {CANARY}")]
    chatty = {"LITELLM_LOG": "DEBUG", "OPENAI_LOG": "debug", "JUDGE_KEY": CANARY}
    command = [sys.executable, "-W", "default", "-c", ONE_CALL, chat_server.url]
    seen = subprocess.run(command, capture_output=True, text=True, check=True, env=os.environ | chatty)
    assert seen.stdout.startswith("fine\n")
    assert "CANARY" not in seen.stdout + seen.stderr
    assert "ResourceWarning" not in seen.stderr
    assert "never awaited" not in seen.stderr
