import asyncio

import pytest
from fakes.chat_server import fail, say

from evalkit.errors import ProviderError
from evalkit.providers.ping import ping
from evalkit.records.judges import JudgeConfig, Prices


def config(url, **fields):
    return JudgeConfig(client="openai", model="asked", base_url=url, prices=Prices(input=1, output=1), **fields)


def test_ping_says_who_answered_and_what_it_took(chat_server, tmp_path):
    chat_server.script = [say('{"ok": true}', model="snap-1", latency=0.05)]
    seen = asyncio.run(ping(config(chat_server.url), tmp_path))
    assert (seen.model, seen.response_format, seen.input_tokens) == ("snap-1", "followed", 100)
    assert seen.latency_ms >= 50
    assert seen.cost_usd == pytest.approx(120e-6)
    assert len(chat_server.requests) == 1


@pytest.mark.parametrize("text", ["Yes, I can.", "true", '{"ok": "true"}', '{"ok": true, "more": 1}', None])
def test_a_response_format_that_is_ignored_is_seen(chat_server, tmp_path, text):
    chat_server.script = [say(text, usage={})]
    seen = asyncio.run(ping(config(chat_server.url), tmp_path))
    assert seen.response_format == "not followed"
    assert seen.cost_usd is None


def test_without_structured_output_no_format_is_sent(chat_server, tmp_path):
    seen = asyncio.run(ping(config(chat_server.url, structured_output=False), tmp_path))
    assert seen.response_format == "not sent"
    assert "response_format" not in chat_server.requests[0].body


def test_ping_never_tries_twice(chat_server, tmp_path):
    chat_server.script = [fail(500)] * 3
    with pytest.raises(ProviderError):
        asyncio.run(ping(config(chat_server.url), tmp_path))
    assert len(chat_server.requests) == 1
