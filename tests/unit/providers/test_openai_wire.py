import asyncio
import gzip
import json
import traceback

import pytest
from fakes.chat_server import completion, echo, echo_headers, fail, say, send, send_json

from evalkit.errors import ProviderError, UsageError
from evalkit.providers import openai_session
from evalkit.providers.clients import make_client
from evalkit.records.chat import ChatCall
from evalkit.records.judges import JudgeConfig, Params

CANARY = "sk-CANARY-0123456789abcdef"


def call(text="hi", **fields):
    settings = {"params": {"temperature": 0.0, "max_tokens": 9}, "schema": {"type": "object"}} | fields
    return ChatCall(key="k", label="case-1", model="stub", messages=({"role": "user", "content": text},), **settings)


def complete(config, one, folder):
    async def run():
        client = make_client(config, folder)
        try:
            return await client.complete(one)
        finally:
            await client.aclose()

    return asyncio.run(run())


def config(url, **fields):
    return JudgeConfig(client="openai", model="stub", base_url=url, **fields)


@pytest.mark.parametrize("slash", ["", "/"])
def test_the_call_is_sent_once_to_the_chat_path_as_it_stands(chat_server, tmp_path, slash):
    complete(config(chat_server.url + slash), call(), tmp_path)
    [received] = chat_server.requests
    assert received.path == "/v1/chat/completions"
    assert set(received.body) == {"model", "messages", "temperature", "max_tokens", "response_format"}


def test_the_named_key_is_sent_and_no_other(chat_server, tmp_path, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-REAL-should-not-appear")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/other")
    monkeypatch.setenv("JUDGE_KEY", CANARY)
    complete(config(chat_server.url, api_key_env="JUDGE_KEY"), call(), tmp_path)
    complete(config(chat_server.url), call(), tmp_path)
    named, unnamed = chat_server.requests
    assert named.headers["Authorization"] == f"Bearer {CANARY}"
    assert "Authorization" not in unnamed.headers
    assert "REAL" not in str(chat_server.requests)


def test_a_password_in_netrc_is_not_sent(chat_server, tmp_path, monkeypatch):
    netrc = tmp_path / "netrc"
    netrc.write_text("default login me password CANARY\n")
    netrc.chmod(0o600)
    monkeypatch.setenv("NETRC", str(netrc))
    complete(config(chat_server.url), call(), tmp_path)
    assert "Authorization" not in chat_server.requests[0].headers


def test_a_proxy_of_the_environment_is_used_unless_the_host_is_exempt(chat_server, tmp_path, monkeypatch):
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    assert complete(config(chat_server.url), call(), tmp_path).text == "ok"
    monkeypatch.setenv("no_proxy", "")
    with pytest.raises(ProviderError) as caught:
        complete(config(chat_server.url), call(), tmp_path)
    assert caught.value.kind == "connection"


def test_a_redirect_is_not_followed(chat_server, tmp_path):
    chat_server.script = [send(b"", status=307, headers={"Location": "http://127.0.0.1:9/elsewhere"})]
    with pytest.raises(ProviderError, match="HTTP 307") as caught:
        complete(config(chat_server.url), call(), tmp_path)
    assert caught.value.permanent
    assert len(chat_server.requests) == 1


def test_odd_texts_travel_unchanged_both_ways(chat_server, tmp_path):
    chat_server.reply = echo
    text = "{x} {{y}} \x00 \u202e \ud800 \U0001f600 ' \" \\ </end> \r\n"
    assert complete(config(chat_server.url), call(text), tmp_path).text == text


def test_a_megabyte_and_a_compressed_reply_are_read(chat_server, tmp_path):
    packed = gzip.compress(json.dumps(completion("x" * 1_000_000)).encode())
    chat_server.script = [send(packed, headers={"Content-Encoding": "gzip"})]
    assert len(complete(config(chat_server.url), call(), tmp_path).text) == 1_000_000


def test_a_reply_without_end_is_given_up(chat_server, tmp_path, monkeypatch):
    monkeypatch.setattr(openai_session, "MAX_BODY", 1000)
    chat_server.script = [say("x" * 2000)]
    with pytest.raises(ProviderError, match="longer than") as caught:
        complete(config(chat_server.url), call(), tmp_path)
    assert caught.value.kind == "bad_response"


@pytest.mark.parametrize("body", [b"null", b"[]", b'{"choices": 3}', b"\xff\xfe\x00", b"", b"[" * 100_000])
def test_any_other_body_is_a_bad_response(chat_server, tmp_path, body):
    chat_server.script = [send(body)]
    with pytest.raises(ProviderError) as caught:
        complete(config(chat_server.url), call(), tmp_path)
    assert caught.value.kind == "bad_response"


@pytest.mark.parametrize(
    "behaviour",
    [
        fail(401, f"Incorrect API key provided: {CANARY}. url http://127.0.0.1:8099/v1/x?key=CANARY-0123"),
        fail(401, "Incorrect API key provided: sk-CANAR*********cdef."),
        fail(500, "Client error for url http://u:CANARY-pw@127.0.0.1:8099/v1?key=CANARY-0123"),
        send(f"<html>{CANARY}</html>".encode(), content_type="text/html"),
        send_json({"error": {"message": f"bad key {CANARY}", "code": 401}}),
    ],
)
def test_no_error_shows_a_key(chat_server, tmp_path, monkeypatch, behaviour):
    monkeypatch.setenv("JUDGE_KEY", CANARY)
    chat_server.script = [behaviour]
    with pytest.raises(ProviderError) as caught:
        complete(config(chat_server.url, api_key_env="JUDGE_KEY"), call(), tmp_path)
    assert "CANAR" not in str(caught.value)
    assert "CANAR" not in "".join(traceback.format_exception(caught.value))


def test_a_reply_that_echoes_the_request_holds_no_key(chat_server, tmp_path, monkeypatch):
    monkeypatch.setenv("JUDGE_KEY", CANARY)
    chat_server.script = [echo_headers()]
    reply = complete(config(chat_server.url, api_key_env="JUDGE_KEY"), call(), tmp_path)
    assert "CANARY" not in reply.text
    assert "Bearer [removed]" in reply.text


def test_parameters_that_would_take_over_the_call_are_refused(tmp_path):
    with pytest.raises(UsageError, match="api_key"):
        make_client(config("http://h/v1", params=Params(extra={"api_key": "x"})), tmp_path)
