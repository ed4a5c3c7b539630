import asyncio
import threading
import time
from collections import defaultdict

import pytest
from fakes.chat_server import (
    broken_json,
    closed_mid_body,
    closed_port,
    drip,
    fail,
    html,
    say,
    silence,
)
from fakes.own_clock import run_timed, seconds_of

from evalkit.errors import ProviderError
from evalkit.providers.channel import Channel
from evalkit.providers.clients import make_client
from evalkit.providers.meter import Meter
from evalkit.records.chat import ChatCall
from evalkit.records.judges import Backoff, JudgeConfig
from evalkit.records.verdicts import Reply


def call(label="case-1"):
    return ChatCall(
        key=label, label=label, model="m", messages=({"role": "user", "content": label},), params={}, schema=None
    )


def config(url, **fields):
    backoff = Backoff(**({"tries": 3, "first_s": 0.01, "cap_s": 0.5} | fields.pop("backoff", {})))
    return JudgeConfig(client="openai", model="m", base_url=url, backoff=backoff, **({"timeout_s": 5.0} | fields))


class Scripted:
    """A client on a clock of the test's own: what each next call comes to, and when each was made."""

    def __init__(self, *script, takes_s=0.0):
        self.script = list(script)
        self.takes_s = takes_s
        self.made_at = defaultdict(list)
        self.in_flight = self.most_in_flight = 0

    async def complete(self, call: ChatCall) -> Reply:
        self.made_at[call.label].append(asyncio.get_running_loop().time())
        self.in_flight += 1
        self.most_in_flight = max(self.most_in_flight, self.in_flight)
        try:
            await asyncio.sleep(self.takes_s)
        finally:
            self.in_flight -= 1
        step = self.script.pop(0) if self.script else "ok"
        if isinstance(step, ProviderError):
            raise step
        return Reply(text=step)

    async def aclose(self) -> None: ...


def limited(seconds):
    return ProviderError("rate_limited", "slow down", retry_after=seconds)


def ask(settings, calls, folder, meter=None):
    """Ask all calls at once and return replies or errors in order."""

    async def run():
        client = make_client(settings, folder)
        channel = Channel(client, settings, meter or Meter())
        try:
            return await asyncio.gather(*(channel.ask(one) for one in calls), return_exceptions=True)
        finally:
            await client.aclose()

    return asyncio.run(run())


def test_a_reply_comes_with_the_number_of_transport_retries(chat_server, tmp_path):
    chat_server.script = [fail(500), fail(429), say("fine")]
    meter = Meter()
    [(reply, retries)] = ask(config(chat_server.url), [call()], tmp_path, meter)
    assert (reply.text, retries) == ("fine", 2)
    assert len(chat_server.requests) == 3
    assert meter.retries == {"server": 1, "rate_limited": 1}
    assert [retry.label for retry in meter.retry_log] == ["case-1", "case-1"]
    assert meter.calls == 1


@pytest.mark.parametrize(
    ("behaviour", "kind"),
    [
        (fail(500), "server"),
        (fail(429), "rate_limited"),
        (fail(429, retry_after="soon"), "rate_limited"),
        (fail(429, retry_after="-5"), "rate_limited"),
        (fail(429, retry_after="0"), "rate_limited"),
        (html(), "bad_response"),
        (broken_json(), "bad_response"),
        (closed_mid_body(), "connection"),
    ],
)
def test_a_call_that_keeps_failing_fails_for_good_after_exactly_the_documented_requests(
    chat_server, tmp_path, behaviour, kind
):
    chat_server.script = [behaviour] * 10
    meter = Meter()
    [error] = ask(config(chat_server.url), [call()], tmp_path, meter)
    assert isinstance(error, ProviderError)
    assert (error.kind, error.permanent) == (kind, True)
    assert "3 requests sent" in str(error)
    assert len(chat_server.requests) == 3
    assert meter.failures == {kind: 1}
    assert meter.calls == 0


@pytest.mark.parametrize("status", [400, 401, 403, 404])
def test_what_can_only_fail_again_is_sent_once(chat_server, tmp_path, status):
    chat_server.script = [fail(status)] * 10
    [error] = ask(config(chat_server.url), [call()], tmp_path)
    assert (error.kind, error.permanent) == ("rejected", True)
    assert len(chat_server.requests) == 1


@pytest.mark.parametrize("behaviour", [silence(), drip(0.3)])
def test_an_answer_that_does_not_come_in_time_is_a_timeout_and_tried_again(chat_server, tmp_path, behaviour):
    chat_server.script = [behaviour] * 10
    [error] = ask(config(chat_server.url, timeout_s=1.0, backoff={"tries": 2}), [call()], tmp_path)
    assert error.kind == "timeout"
    assert "timeout_s = 1 s" in str(error)
    assert len(chat_server.requests) == 2


def test_time_is_bounded_by_tries_times_timeout_and_wait():
    channel = Channel(Scripted(takes_s=3600), config("http://h/v1", timeout_s=0.3, backoff={"tries": 3}), Meter())

    async def work():
        with pytest.raises(ProviderError, match=r"timeout_s = 0\.3 s"):
            await channel.ask(call())

    waits = 0.01 + 0.02  # each with up to 0.01 of chance on top
    assert 3 * 0.3 + waits <= seconds_of(work) <= 3 * 0.3 + waits + 2 * 0.01


def test_a_refused_connection_is_its_own_kind(tmp_path):
    [error] = ask(config(f"http://127.0.0.1:{closed_port()}/v1"), [call()], tmp_path)
    assert error.kind == "connection"


def test_retry_after_is_read_from_each_answer(chat_server, tmp_path):
    chat_server.script = [fail(429, retry_after="0.2"), fail(503, retry_after="0.3"), say("ok")]
    meter = Meter()
    [(reply, retries)] = ask(config(chat_server.url), [call()], tmp_path, meter)
    assert (reply.text, retries) == ("ok", 2)
    assert [retry.wait_s for retry in meter.retry_log] == [0.2, 0.3]
    first, second, third = (received.at for received in chat_server.requests)
    assert second - first >= 0.2
    assert third - second >= 0.3


def test_each_wait_is_as_long_as_it_was_asked_for_and_no_longer():
    client = Scripted(limited(0.2), limited(0.3))
    channel = Channel(client, config("http://h/v1"), Meter())
    assert seconds_of(lambda: channel.ask(call())) == pytest.approx(0.5)
    assert client.made_at["case-1"] == pytest.approx([0.0, 0.2, 0.5])


@pytest.mark.parametrize("header", ["0", "soon", "-5"])
def test_a_header_that_asks_for_nothing_leaves_the_backoff(chat_server, tmp_path, header):
    chat_server.script = [fail(429, retry_after=header)]
    meter = Meter()
    ask(config(chat_server.url), [call()], tmp_path, meter)
    (retry,) = meter.retry_log
    assert 0.01 <= retry.wait_s <= 0.02


@pytest.mark.parametrize("asked", ["86400", "Wed, 21 Oct 2099 07:28:00 GMT"])
def test_a_wait_longer_than_the_cap_gives_up_at_once_as_rate_limited(chat_server, tmp_path, asked):
    chat_server.script = [fail(503, retry_after=asked)] * 10
    meter = Meter()
    [error] = ask(config(chat_server.url), [call()], tmp_path, meter)
    assert (error.kind, error.permanent) == ("rate_limited", True)
    assert "longer than backoff.cap_s" in str(error)
    assert len(chat_server.requests) == 1
    assert meter.retry_log == []


def test_what_a_rate_limited_server_asks_of_one_call_holds_for_all():
    client = Scripted(limited(0.3))

    async def work():
        channel = Channel(client, config("http://h/v1"), Meter())
        first = asyncio.create_task(channel.ask(call("a")))
        await asyncio.sleep(0.1)
        return await asyncio.gather(first, channel.ask(call("b")))

    results, _ = run_timed(work)
    assert [reply.text for reply, _ in results] == ["ok", "ok"]
    assert client.made_at["a"] == pytest.approx([0.0, 0.3])
    assert client.made_at["b"] == pytest.approx([0.3])


def test_never_more_than_the_maximum_is_in_flight_and_the_maximum_is_reached():
    client = Scripted(takes_s=0.05)

    async def work():
        channel = Channel(client, config("http://h/v1", max_in_flight=7), Meter())
        return await asyncio.gather(*(channel.ask(call(str(n))) for n in range(40)))

    results, seconds = run_timed(work)
    assert all(reply.text == "ok" for reply, _ in results)
    assert client.most_in_flight == 7
    assert seconds == pytest.approx(6 * 0.05)  # 40 calls in rounds of seven


def test_each_call_gets_its_own_reply_whatever_the_order_of_arrival(chat_server, tmp_path):
    def reply(body):
        text = body["messages"][-1]["content"]
        return say(f"re {text}", latency=(int(text) * 7919 % 13) / 200)

    chat_server.reply = reply
    results = ask(config(chat_server.url, max_in_flight=20), [call(str(n)) for n in range(60)], tmp_path)
    assert [reply.text for reply, _ in results] == [f"re {n}" for n in range(60)]


def test_a_fault_of_ours_is_not_retried_and_not_hidden():
    class Broken:
        calls = 0

        async def complete(self, _: ChatCall) -> Reply:
            self.calls += 1
            raise RuntimeError("boom")

        async def aclose(self) -> None: ...

    client = Broken()
    with pytest.raises(RuntimeError, match="boom"):
        asyncio.run(Channel(client, config("http://h/v1"), Meter()).ask(call()))
    assert client.calls == 1


def test_an_interrupted_call_stops_at_once(chat_server, tmp_path):
    settings = config(chat_server.url, timeout_s=300.0)
    arrived = threading.Event()

    async def never(request, body):
        arrived.set()
        return await silence()(request, body)

    chat_server.script = [never]

    async def run():
        client = make_client(settings, tmp_path)
        task = asyncio.create_task(Channel(client, settings, Meter()).ask(call()))
        assert await asyncio.to_thread(arrived.wait, 60)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await client.aclose()

    started = time.monotonic()
    asyncio.run(run())
    assert time.monotonic() - started < 30  # the time-out is at 300
    assert len(chat_server.requests) == 1
