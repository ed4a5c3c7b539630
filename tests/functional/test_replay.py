"""Recorded replies instead of a server: `--record`, then `client: replay`, for CI without keys and network."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from fakes.chat_server import ChatServer, fail
from fakes.command_line import modules_of
from fakes.judged_suites import alternating, ids, plan_case, right, write_judge
from fakes.reading_judge import by_case, is_retry, judge


@pytest.fixture
def recorded(bench):
    """Return the suite of a run that was recorded; its server is silent from here on, and the cache is another one."""
    bench.server.reply = by_case({"c01": lambda body: judge if is_retry(body) else "let me think", "c03": "no verdict"})
    suite = bench.suite(golden=5, api_key_env=None)
    _, run = bench.run(suite, "--record", suite / "replies.jsonl", run_id="recorded", status=3)
    address = bench.server.url
    bench.server.reply = by_case({}, otherwise=lambda _: fail(400, "nobody may ask"))
    bench.calls()
    write_judge(suite / "judge.yaml", address, client="replay", replay="replies.jsonl")
    return suite, run


def test_a_replay_gives_the_same_bytes_without_a_server(bench, recorded):
    suite, run = recorded
    _, replayed = bench.run(suite, "--cache", "fresh", run_id="replayed", status=3)
    assert bench.calls() == []
    assert replayed.stable_bytes == run.stable_bytes
    assert replayed.errors().keys() == {"c03"}


def test_a_replay_imports_no_client_of_a_server(bench, recorded):
    suite, _ = recorded
    loaded, ended = modules_of("run", suite, "--cache", "fresh", "--run-id", "replayed", cwd=bench.root)
    assert ended.status == 3, ended.err
    assert loaded & {"aiohttp", "litellm", "openai", "httpx"} == set()


def test_a_replay_needs_no_key(bench, recorded, monkeypatch):
    suite, run = recorded
    monkeypatch.delenv("NO_SUCH_KEY", raising=False)
    write_judge(
        suite / "judge.yaml", bench.server.url, client="replay", replay="replies.jsonl", api_key_env="NO_SUCH_KEY"
    )
    _, replayed = bench.run(suite, "--cache", "fresh", status=3)
    assert bench.calls() == []
    assert replayed.report["rows"] == run.report["rows"]


def test_what_is_not_in_the_recording_is_an_error_that_names_the_case(bench, recorded):
    suite, _ = recorded
    outputs = suite / "outputs" / "candidate" / "outputs.jsonl"
    lines = alternating(ids(5))
    lines[2] = right("c02", text="Plan c02 has 5 seats.")
    outputs.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    ended, _ = bench.run(suite, "--cache", "fresh", run_id="changed", status=None)
    assert ended.status == 2
    assert "'c02'" in ended.err
    assert "--record" in ended.err


def test_a_recording_of_a_warm_run_holds_every_reply_too(bench):
    suite = bench.suite(golden=4)
    bench.run(suite)
    bench.calls()
    _, warm = bench.run(suite, "--record", "warm.jsonl", run_id="warm")
    assert bench.calls() == []
    write_judge(suite / "judge.yaml", bench.server.url, client="replay", replay="../warm.jsonl")
    lines = [json.loads(line) for line in (bench.root / "warm.jsonl").read_text(encoding="utf-8").splitlines()]
    assert sorted(line["label"] for line in lines) == ids(4)
    assert all(set(line) == {"key", "label", "reply"} for line in lines)
    _, replayed = bench.run(suite, "--cache", "fresh", run_id="replayed")
    assert replayed.report["rows"] == warm.report["rows"]
    assert bench.calls() == []


def test_a_torn_recording_names_its_line(bench, recorded):
    suite, _ = recorded
    file = suite / "replies.jsonl"
    content = file.read_bytes()
    file.write_bytes(content[: len(content) - 30])
    ended, _ = bench.run(suite, "--cache", "fresh", status=2)
    assert f"replies.jsonl:{len(content.splitlines())}:" in ended.err


def test_a_missing_recording_says_how_to_make_one(bench):
    suite = bench.suite(client="replay", replay="none.jsonl")
    ended, _ = bench.run(suite, status=2)
    assert "none.jsonl" in ended.err
    assert "--record" in ended.err


def test_a_recording_that_cannot_be_written_is_said_before_anything_is_bought(bench):
    (bench.root / "folder").mkdir()
    ended, _ = bench.run(bench.suite(), "--record", "folder", status=2)
    assert "folder" in ended.err
    assert bench.calls() == []


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_a_recording_on_a_full_disk_loses_no_verdict_that_was_bought(bench):
    suite = bench.suite()
    (bench.root / "full.jsonl").symlink_to("/dev/full")
    ended, _ = bench.run(suite, "--record", "full.jsonl", status=None)
    assert "full.jsonl" in ended.err
    bought = len(bench.calls())
    bench.run(suite)
    assert len(bench.calls()) == 4 - bought


def test_a_recording_is_continued_and_its_last_reply_counts(bench):
    suite = bench.suite(golden=[plan_case("c00")])
    bench.run(suite, "--record", "replies.jsonl", "--cache", "one")
    bench.run(suite, "--record", "replies.jsonl", "--cache", "two")
    assert len((bench.root / "replies.jsonl").read_text(encoding="utf-8").splitlines()) == 2
    with ChatServer() as unused:
        write_judge(suite / "judge.yaml", bench.server.url, client="replay", replay=str(bench.root / "replies.jsonl"))
        _, run = bench.run(suite, "--cache", "three")
        assert unused.requests == []
    assert run.row("F1")["n"] == 1
