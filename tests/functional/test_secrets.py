"""A key reaches the server that it was named for and nothing else: no file, no log, no error, no report, no screen."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest
from aiohttp import web
from fakes.chat_server import completion, fail, send, send_json
from fakes.reading_judge import by_case, judge, verdict_on

pytestmark = pytest.mark.unmeasured
KEY = "sk-proj-CANARY0123456789abcdefCANARYwxyz"
MARKS = (KEY, "CANARY", KEY[:12], KEY[-8:])
LOUD = {"JUDGE_KEY": KEY, "LITELLM_LOG": "DEBUG", "OPENAI_LOG": "debug", "DEBUG": "1", "PYTHONASYNCIODEBUG": "1"}


def leaks(bench, *outputs: str) -> list[str]:
    """Return where the key, or a recognisable piece of it, stands: files under the bench's folder, printed texts."""
    found = [
        f"printed: {line[:200]}" for text in outputs for line in text.splitlines() if any(m in line for m in MARKS)
    ]
    for path in bench.root.rglob("*"):
        if path.is_file():
            content = path.read_bytes()
            found += [f"{path.relative_to(bench.root)}: {mark}" for mark in MARKS if mark.encode() in content]
    return found


def telling(make):
    """Return a behaviour made from the request's own Authorization header, as a badly made gateway would echo it."""

    async def behave(request: web.Request, body: dict) -> web.StreamResponse:
        response: web.StreamResponse = await make(request.headers.get("Authorization", ""), body)(request, body)
        return response

    return lambda _: behave


def in_the_rationale(header, body):
    value = verdict_on(body)
    value.get("criteria", {}).get("F1", value)["rationale"] = f"You sent {header}."
    return send_json(completion(json.dumps(value)))


PLACES = {
    "an error of status 401": telling(lambda header, _: fail(401, f"Incorrect API key provided: {header}")),
    "a masked key": telling(
        lambda header, _: fail(401, f"Incorrect API key provided: {header[7:15]}****{header[-4:]}")
    ),
    "an error of status 500": telling(lambda header, _: fail(500, f"upstream refused Authorization: {header}")),
    "an error with a URL": telling(lambda header, _: fail(400, f"GET https://x.invalid/v1?key={header[7:]} failed")),
    "an error as plain text": telling(lambda header, _: send(header.encode(), status=403, content_type="text/plain")),
    "a web page": telling(lambda header, _: send(f"<p>{header}</p>".encode(), content_type="text/html")),
    "an error within status 200": telling(lambda header, _: send_json({"error": {"message": header, "code": 400}})),
    "a reply that is no verdict": telling(lambda header, _: send_json(completion(f"You sent {header}"))),
    "a reply that is a verdict": telling(in_the_rationale),
    "a refusal": telling(lambda header, _: send_json(completion(None, refusal=f"Not with {header}"))),
    "a finish reason": telling(lambda header, _: send_json(completion("", finish_reason=header))),
    "the name of the model": telling(lambda header, body: send_json(completion(judge(body), model=header))),
    "a redirect": telling(
        lambda header, _: send_json({}, status=302, headers={"Location": f"http://127.0.0.1:9/{header[7:]}"})
    ),
    "a header": telling(
        lambda header, _: send_json({}, status=500, headers={"X-Echo": header, "Retry-After": header[7:]})
    ),
}


@pytest.mark.parametrize("place", PLACES)
def test_a_key_that_a_server_echoes_is_nowhere(bench, monkeypatch, place):
    for name, value in LOUD.items():
        monkeypatch.setenv(name, value)
    bench.server.reply = by_case(dict.fromkeys(["c01", "ping"], PLACES[place]))
    suite = bench.suite(golden=2, api_key_env="JUDGE_KEY", backoff={"tries": 2, "first_s": 0.01, "cap_s": 0.1})
    ended, _ = bench.run(suite, "--record", "replies.jsonl", status=None)
    assert {received.headers["Authorization"] for received in bench.server.requests} == {f"Bearer {KEY}"}
    shown = bench.command("show", "r", "c01")
    pinged = bench.command("judge", "ping", suite)
    exported = bench.command("cache", "export", "export.jsonl")
    printed = [text for end in (ended, shown, pinged, exported) for text in (end.out, end.err)]
    assert leaks(bench, *printed) == []


@pytest.mark.slow
def test_a_key_that_is_echoed_to_litellm_at_its_loudest_is_nowhere(bench):
    table = {f"c{number:02}": reply for number, reply in enumerate(PLACES.values(), 1)}
    bench.server.reply = by_case(table)
    suite = bench.suite(
        golden=len(table) + 1,
        client="litellm",
        model="openai/test-judge",
        api_key_env="JUDGE_KEY",
        backoff={"tries": 1},
    )
    bench.environment.update(LOUD)
    ended, run = bench.spawn(suite, "--record", "replies.jsonl", status=3)
    assert {received.headers["Authorization"] for received in bench.server.requests} == {f"Bearer {KEY}"}
    assert run.verdict_of("c00")["verdict"]
    assert leaks(bench, ended.out, ended.err) == []


def test_a_key_is_sent_only_where_it_was_named_for(bench, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    bench.run(bench.suite(golden=1))
    assert [received.headers.get("Authorization") for received in bench.server.requests] == [None]


@pytest.mark.slow
def test_litellm_sends_no_key_of_the_environment_to_a_server_that_was_named_without_one(bench):
    bench.environment.update(OPENAI_API_KEY=KEY, LITELLM_API_KEY=KEY, AZURE_API_KEY=KEY)
    bench.spawn(bench.suite(golden=1, client="litellm", model="openai/test-judge"))
    (received,) = bench.server.requests
    assert not any("CANARY" in value for value in received.headers.values())


def test_a_missing_key_is_named_by_its_variable_before_anything_is_asked(bench, monkeypatch):
    monkeypatch.delenv("JUDGE_KEY", raising=False)
    ended, _ = bench.run(bench.suite(api_key_env="JUDGE_KEY"), status=2)
    assert "JUDGE_KEY" in ended.err
    assert bench.calls() == []
    assert not list((bench.root / "runs").glob("*"))


def test_a_warm_run_needs_no_key(bench, monkeypatch):
    monkeypatch.setenv("JUDGE_KEY", KEY)
    suite = bench.suite(api_key_env="JUDGE_KEY")
    bench.run(suite)
    monkeypatch.delenv("JUDGE_KEY")
    bench.calls()
    bench.run(suite)
    assert bench.calls() == []


@pytest.mark.parametrize(
    "settings",
    [
        {"api_key": KEY},
        {"params": {"extra": {"api_key": KEY}}},
        {"params": {"extra": {"headers": {"Authorization": KEY}}}},
        {"api_key_env": KEY},
        {"base_url": f"https://user:{KEY}@127.0.0.1/v1"},
        {"base_url": f"https://127.0.0.1/v1?key={KEY}"},
        {"apikey": KEY},
    ],
    ids=["field", "parameter", "header", "value for the name", "user of the URL", "query of the URL", "misspelt"],
)
def test_a_key_in_a_file_is_refused_and_not_repeated(bench, settings):
    suite = bench.suite(**settings)
    for command in ("run", "check", "plan"):
        ended = bench.command(command, suite)
        assert ended.status == 2
        assert "environment" in ended.out + ended.err
        assert not any(mark in ended.out + ended.err for mark in MARKS)
    assert bench.calls() == []


def test_a_key_pasted_onto_the_command_line_is_not_repeated(bench, monkeypatch):
    monkeypatch.setenv("JUDGE_KEY", KEY)
    ended = bench.command("run", bench.root / KEY)
    assert ended.status == 2
    assert "CANARY" not in ended.err


BUG = """\
import os
import evalkit.pipeline.run
def boom(*_):
    raise RuntimeError("Authorization: Bearer " + os.environ["JUDGE_KEY"])
evalkit.pipeline.run.load_suite = boom
from evalkit.cli import main
main()
"""


def test_a_bug_does_not_tell_the_key_either(tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", BUG, "run", "x"],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
        env={**os.environ, **LOUD, "TMPDIR": str(tmp_path)},
    )
    assert done.returncode == 70
    (file,) = tmp_path.glob("*.txt")
    for text in (done.stdout, done.stderr, file.read_text(encoding="utf-8")):
        assert not any(mark in text for mark in MARKS)
