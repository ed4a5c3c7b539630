"""Servers that limit, fail, stall and lie below the reply: how often they are asked, how long they are waited for, what the rest of the run does."""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest
from fakes.chat_server import (
    ChatServer,
    broken_json,
    closed_mid_body,
    closed_port,
    drip,
    fail,
    html,
    send_json,
    silence,
)
from fakes.command_line import Ended, spawn
from fakes.judged_suites import RunFolder, ids, in_turn, judged_suite, plan_case, right
from fakes.reading_judge import by_case, case_of, is_retry, judge

TRIES = 2
TWICE = {"tries": TRIES, "first_s": 0.02, "cap_s": 2.0}
NO_KEY = {"error": {"message": "no such key", "type": "error"}}
BROKEN = {
    "error-always": (lambda _: fail(500), "server", TRIES),
    "silent": (lambda _: silence(), "timeout", TRIES),
    "drip": (lambda _: drip(0.2), "timeout", TRIES),
    "closed-mid-body": (lambda _: closed_mid_body(), "connection", TRIES),
    "web-page": (lambda _: html(), "bad_response", TRIES),
    "broken-json": (lambda _: broken_json(), "bad_response", TRIES),
    "no-choices": (lambda _: send_json({"choices": []}), "bad_response", TRIES),
    "error-within-200": (lambda _: send_json({"error": {"message": "upstream is down"}}), "server", TRIES),
    "no-such-key": (lambda _: send_json(NO_KEY, status=401), "rejected", 1),
    "bad-request": (lambda _: fail(400, "no such parameter"), "rejected", 1),
    "moved": (lambda _: send_json({}, status=307, headers={"Location": "http://127.0.0.1:9/"}), "rejected", 1),
    "quota-used-up": (lambda _: fail(429, "you are out of quota", code="insufficient_quota"), "rejected", 1),
}
"""Case -> what the server does to it always, the kind of the error, the requests that may be sent for it."""
RECOVERING = {
    "error-then-fine": (fail(500), "server"),
    "gateway-then-fine": (html(), "bad_response"),
    "closed-then-fine": (closed_mid_body(), "connection"),
    "silent-then-fine": (silence(), "timeout"),
}
"""Case -> what the server does to its first request, the kind of the error."""


@dataclass(frozen=True)
class Seen:
    """A run, and what the server counted."""

    ended: Ended
    run: RunFolder
    asked: Counter[str]


def run_through(root, only: tuple[str, ...] = (), **judge_settings) -> Seen:
    """Run a suite in which every case but four meets trouble of its own."""
    table = {name: make for name, (make, *_) in BROKEN.items()}
    table |= {name: in_turn(trouble, judge) for name, (trouble, _) in RECOVERING.items()}
    table = {name: make for name, make in table.items() if not only or name in only}
    names = [*table, *ids(4)]
    with ChatServer(by_case(table)) as server:
        suite = judged_suite(
            root / "wire",
            server.url,
            golden=[plan_case(name) for name in names],
            outputs={"candidate": [right(name) for name in names]},
            max_in_flight=32,
            backoff=TWICE,
            **judge_settings,
        )
        ended = spawn("run", suite, "--run-id", "r", cwd=root)
        asked = Counter(case_of(received.body) for received in server.requests)
    return Seen(ended, RunFolder(root / "runs" / "r"), asked)


@pytest.fixture(scope="module")
def seen(tmp_path_factory):
    # Long enough for a busy machine to answer what is answered, short enough to wait for twice.
    return run_through(tmp_path_factory.mktemp("transport"), timeout_s=4.0)


@pytest.mark.parametrize("name", BROKEN)
def test_a_call_that_fails_for_good_costs_its_case_and_the_documented_requests(seen, name):
    _, kind, requests = BROKEN[name]
    assert seen.asked[name] == requests
    line = seen.run.errors()[name]
    (rejected,) = line["rejected"]
    assert rejected["kind"] == "transport"
    assert rejected["message"].startswith(f"{kind}: ")
    assert f"{requests} request{'s' if requests > 1 else ''} sent" in rejected["message"]
    assert rejected["raw_reply"] is None


@pytest.mark.parametrize("name", RECOVERING)
def test_a_call_that_works_again_is_a_verdict(seen, name):
    judgement = seen.run.verdict_of(name)
    assert seen.asked[name] == 2
    assert judgement["verdict"]["overall_pass"] is True
    assert (judgement["purchase"]["tries"], judgement["purchase"]["transport_retries"]) == (1, 1)


def test_the_rest_of_the_run_goes_on_and_the_errors_are_counted(seen):
    assert all(seen.run.verdict_of(name)["verdict"] for name in ids(4))
    assert seen.run.report["health"]["judge_errors"] == {"transport": len(BROKEN)}
    assert seen.run.row("F1")["excluded"] == {"judge_error:transport": len(BROKEN)}
    assert (seen.ended.status, seen.run.report["gating"]["valid"]) == (3, False)
    assert seen.run.report["completeness"] == "complete"
    expected = Counter[str]()
    for _, kind, requests in BROKEN.values():
        expected[kind] += requests - 1
    for _, kind in RECOVERING.values():
        expected[kind] += 1
    assert seen.run.bought["transport_retries"] == {kind: count for kind, count in sorted(expected.items()) if count}


@pytest.mark.slow
@pytest.mark.unmeasured
def test_litellm_adds_no_retries_of_its_own(tmp_path):
    # Without the silent server: litellm's first call takes seconds before anything is sent, so no short time-out is sound.
    chosen = ("error-always", "no-such-key", "web-page", "error-then-fine")
    seen = run_through(tmp_path, chosen, client="litellm", model="openai/test-judge", timeout_s=120.0)
    assert {name: seen.asked[name] for name in chosen} == {
        "error-always": 2,
        "no-such-key": 1,
        "web-page": 2,
        "error-then-fine": 2,
    }
    assert set(seen.run.errors()) == set(chosen) - {"error-then-fine"}
    assert all(line["rejected"][0]["kind"] == "transport" for line in seen.run.errors().values())
    assert seen.run.verdict_of("error-then-fine")["verdict"]["overall_pass"] is True


@pytest.mark.parametrize(
    ("header", "shortest"),
    [("1", 1.0), ("0", 0.0), ("soon", 0.0), ("-5", 0.0)],
    ids=["seconds", "zero", "garbage", "negative"],
)
def test_retry_after_is_honoured(bench, header, shortest):
    sent = []

    def busy(_):
        sent.append(time.monotonic())
        return fail(429, "slow down", retry_after=header)

    bench.server.reply = by_case({"c00": in_turn(busy, judge)})
    _, run = bench.run(bench.suite(golden=1))
    assert bench.server.requests[1].at - sent[0] >= shortest
    assert run.bought["transport_retries"] == {"rate_limited": 1}
    assert run.verdict_of("c00")["verdict"]


def test_retry_after_may_be_a_date(bench):
    due, arrived = [], []

    def busy(_):
        due.append((datetime.now(UTC) + timedelta(seconds=2)).replace(microsecond=0))  # a date has whole seconds
        return fail(429, "slow down", retry_after=format_datetime(due[0], usegmt=True))

    def later(body):
        arrived.append(datetime.now(UTC))
        return judge(body)

    bench.server.reply = by_case({"c00": in_turn(busy, later)})
    _, run = bench.run(bench.suite(golden=1))
    assert arrived[0] >= due[0]
    assert run.bought["transport_retries"] == {"rate_limited": 1}


def test_waits_add_up_over_several_answers(bench):
    limits = (fail(429, retry_after="1"), fail(429, retry_after="2"), judge)
    bench.server.reply = by_case({"c00": in_turn(*limits)})
    bench.run(bench.suite(golden=1))
    first, second, third = (received.at for received in bench.server.requests)
    assert second - first >= 1.0
    assert third - second >= 2.0


def test_a_server_that_asks_for_a_day_is_given_up_at_once(bench):
    bench.server.reply = by_case({"c00": lambda _: fail(429, "come back tomorrow", retry_after="86400")})
    _, run = bench.run(bench.suite(golden=2), status=3)
    assert sorted(bench.calls()) == ["c00", "c01"]
    message = run.errors()["c00"]["rejected"][0]["message"]
    assert message.startswith("rate_limited: ")
    assert "86400 s" in message
    assert "backoff.cap_s" in message


def test_what_a_server_asks_of_one_call_holds_for_the_others(bench):
    bench.server.reply = by_case({"c00": in_turn(fail(429, retry_after="1"), judge)})
    bench.run(bench.suite(golden=3, max_in_flight=1))
    stamps = {case_of(received.body): received.at for received in reversed(bench.server.requests)}
    assert min(at for name, at in stamps.items() if name != "c00") - stamps["c00"] >= 1.0


def test_transport_retries_do_not_use_up_the_verdict_retry_nor_the_other_way_round(bench):
    trouble = in_turn(fail(429, retry_after="0"), "no verdict", fail(500), html(), judge)
    bench.server.reply = by_case({"c00": trouble})
    _, run = bench.run(bench.suite(golden=1))
    purchase = run.verdict_of("c00")["purchase"]
    assert (purchase["tries"], purchase["transport_retries"]) == (2, 3)
    assert [is_retry(received.body) for received in bench.server.requests] == [False, False, True, True, True]


def test_failed_calls_are_not_cached_and_a_rerun_asks_for_exactly_those(bench):
    bench.server.reply = by_case(dict.fromkeys(["c01", "c03"], lambda _: fail(500)))
    suite = bench.suite()
    bench.run(suite, status=3)
    bench.calls()
    bench.server.reply = judge
    _, run = bench.run(suite)
    assert sorted(bench.calls()) == ["c01", "c03"]
    assert (run.bought["cache_hits"], run.bought["bought"], run.failures[0]["kind"]) == (2, 2, "failed")


def test_a_refused_connection_is_named_and_no_crash(bench):
    ended, run = bench.run(
        bench.suite(golden=2, base_url=f"http://127.0.0.1:{closed_port()}/v1"),
        status=3,
    )
    assert {line["rejected"][0]["message"].split(":")[0] for line in run.errors().values()} == {"connection"}
    assert "Traceback" not in ended.err
    assert run.row("F1")["n"] == 0
    assert "nothing was scored" in ended.out


def test_a_judge_that_answers_nothing_is_left_alone_after_the_documented_number_of_failures(bench):
    bench.server.reply = by_case({}, otherwise=lambda _: send_json(NO_KEY, status=401))
    suite = bench.suite(golden=30, max_in_flight=1, stop_after_failures=5)
    ended, run = bench.run(suite, status=3)
    assert bench.calls() == ids(5)
    assert run.bought["stopped"] == "judge_answers_nothing"
    assert (run.report["completeness"], run.report["health"]["not_bought"]) == ("incomplete", 25)
    assert run.row("F1")["excluded"] == {"judge_error:transport": 5, "not_bought": 25}
    assert "the judge stopped answering, so asking stopped early" in ended.out
    assert "asking stopped after 5 calls in a row failed for good" in ended.out
    assert "no such key" in ended.out
    bench.server.reply = judge
    bench.run(suite)
    assert len(bench.calls()) == 30


def test_a_judge_that_answers_now_and_then_is_not_given_up(bench):
    table = dict.fromkeys([name for index, name in enumerate(ids(12)) if index % 4], lambda _: fail(400))
    bench.server.reply = by_case(table)
    _, run = bench.run(bench.suite(golden=12, max_in_flight=1, stop_after_failures=4), status=3)
    assert bench.calls() == ids(12)
    assert run.bought["stopped"] is None


@pytest.mark.parametrize("ending", ["", "/", "/chat/completions", "//"])
def test_every_spelling_of_a_base_url_reaches_the_one_path(bench, ending):
    suite = bench.suite(golden=1, base_url=bench.server.url + ending)
    bench.run(suite)
    assert {received.path for received in bench.server.requests} == {"/v1/chat/completions"}


def test_the_address_comes_from_the_file_and_never_from_the_environment(bench, monkeypatch):
    monkeypatch.setenv("OPENAI_BASE_URL", f"http://127.0.0.1:{closed_port()}/v1")
    monkeypatch.setenv("OPENAI_API_BASE", f"http://127.0.0.1:{closed_port()}/v1")
    bench.run(bench.suite(golden=1))
    assert bench.calls() == ["c00"]


def test_a_base_url_in_two_spellings_is_one_endpoint(bench):
    suite = bench.suite(golden=1)
    bench.run(suite)
    bench.calls()
    bench.suite(golden=1, base_url=bench.server.url + "/")
    bench.run(suite)
    assert bench.calls() == []
