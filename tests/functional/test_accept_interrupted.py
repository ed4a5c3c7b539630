"""Live acceptance that is killed: what was made is on the disk, nothing keeps running, and the same command goes on."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from contextlib import contextmanager

import pytest
from fakes.acceptance import FAITHFUL, SHORT, alive, attempts_in, generator, live, write_spec
from fakes.judged_suites import ids, right
from fakes.small_suites import case, write_suite

posix = pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")
PATIENCE_S = 60
MADE = 6
"""Requests that the generator answers at once; at the others it waits until it may go on."""
GENERATOR = """\
import os, time
name = turn['request']['id']
os.close(os.open(os.path.join({calls!r}, name), os.O_CREAT | os.O_EXCL))
while int(name[1:]) >= {made} and not os.path.exists({go!r}):
    time.sleep(0.02)
print(json.dumps({{'text': 'Ok.'}}))
"""


@contextmanager
def started(cwd, *arguments):
    """Start `evalkit accept` in a process of its own; it is dead at the end."""
    command = [sys.executable, "-m", "evalkit", "accept", *map(str, arguments), "--quiet"]
    process = subprocess.Popen(command, cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
        yield process
    finally:
        if process.poll() is None:
            process.kill()
        process.communicate()


def wait_for_attempts(folder, count, seconds=PATIENCE_S):
    deadline = time.monotonic() + seconds
    path = folder / "attempts.jsonl"
    while not path.exists() or path.read_bytes().count(b"\n") < count:
        assert time.monotonic() < deadline, "it never came to that"
        time.sleep(0.01)


def let_go_on(root):
    """Let the generator go on, and wait until the commands that a killed run left behind have ended."""
    (root / "go").touch()
    while alive(str(root / "generator.py")):
        time.sleep(0.02)


def allow_what_was_not_kept(root, kept):
    """Let what was under way be made again."""
    let_go_on(root)
    for path in (root / "calls").iterdir():
        if path.name not in {attempt["case_id"] for attempt in kept}:
            path.unlink()


@pytest.fixture
def many(evalkit, tmp_path):
    """Return a suite of 24 requests whose generator takes each of them once and stops at the seventh until it may go on."""
    suite = write_suite(tmp_path / "many", golden=[case(name) for name in ids(24)])
    calls = tmp_path / "calls"
    calls.mkdir()
    body = GENERATOR.format(calls=str(calls), go=str(tmp_path / "go"), made=MADE)
    command = generator(tmp_path, body)
    yield [suite, "--spec", write_spec(tmp_path, SHORT), "--generator", command, "--run-id", "r", "--jobs", 2]
    let_go_on(tmp_path)


@posix
def test_a_run_that_was_killed_goes_on_with_the_attempts_that_were_on_the_disk(evalkit, many, tmp_path):
    folder = tmp_path / "runs" / "acceptance" / "shop" / "r"
    with started(tmp_path, *many) as process:
        wait_for_attempts(folder, MADE)
        process.send_signal(signal.SIGKILL)
        process.communicate()
    kept = attempts_in(folder)
    assert len(kept) == MADE
    allow_what_was_not_kept(tmp_path, kept)
    with (folder / "attempts.jsonl").open("ab") as file:
        file.write(b'{"case_id": "c23", "att')  # what a kill in the middle of a line leaves
    report, lines, _ = live(evalkit, *many, status=0)  # a second call for a kept attempt would fail
    assert report["endings"] == {"complete": 24}
    assert [line["case_id"] for line in lines] == ids(24)
    assert attempts_in(folder)[: len(kept)] == kept


@posix
@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM"])
def test_an_interruption_keeps_what_was_made_kills_what_runs_and_says_how_to_go_on(evalkit, many, tmp_path, name):
    folder = tmp_path / "runs" / "acceptance" / "shop" / "r"
    with started(tmp_path, *many) as process:
        wait_for_attempts(folder, MADE)
        process.send_signal(getattr(signal, name))
        out, err = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 130, err
    assert b"Traceback" not in err
    assert b"INTERRUPTED" in out
    report = json.loads((folder / "acceptance.json").read_bytes())
    assert (report["completeness"], report["exit_status"]) == ("incomplete", 130)
    assert report["unfinished"] + sum(report["endings"].values()) == report["cases"] == 24
    assert len(attempts_in(folder)) == MADE
    assert not alive(str(tmp_path / "generator.py"))
    allow_what_was_not_kept(tmp_path, attempts_in(folder))
    assert live(evalkit, *many, status=0)[0]["endings"] == {"complete": 24}


@posix
def test_an_interruption_while_the_judge_answers_keeps_its_verdicts_and_a_rerun_buys_the_rest(bench, tmp_path):
    names = ids(30)
    outputs = [right(name) for name in names]
    suite = bench.suite(golden=30, outputs={"candidate": outputs}, max_in_flight=2, timeout_s=300.0)
    spec = write_spec(suite, FAITHFUL, judge="judge.yaml")
    bench.server.held_after = 6
    with started(tmp_path, suite, "--spec", spec, "--run-id", "r") as process:
        deadline = time.monotonic() + PATIENCE_S
        while len(bench.server.requests) < 6 + 2:
            assert time.monotonic() < deadline
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 130, err
    assert b"Traceback" not in err
    report = json.loads((tmp_path / "runs" / "acceptance" / "wire" / "r" / "acceptance.json").read_bytes())
    done = report["endings"]["complete"]
    assert done == 6
    assert (report["unfinished"], set(report["endings"])) == (30 - done, {"complete"})
    bench.calls()
    bench.server.held_after = None
    assert live(bench.command, suite, "--spec", spec, "--run-id", "r", status=0)[0]["endings"] == {"complete": 30}
    assert len(bench.calls()) == 30 - done


@posix
def test_two_processes_never_work_on_one_run(evalkit, many, tmp_path):
    with started(tmp_path, *many):
        wait_for_attempts(tmp_path / "runs" / "acceptance" / "shop" / "r", 1)
        ended = evalkit("accept", *many)
    assert ended.status == 2
    assert "another evalkit is at work" in ended.err
