"""Runs that are stopped: by Ctrl-C, by SIGTERM, by SIGKILL, by their own cost limit. No bought verdict is lost, a rerun buys the rest."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from contextlib import contextmanager

import pytest
from fakes.chat_server import say
from fakes.judged_suites import RunFolder, ids, write_judge
from fakes.reading_judge import by_case, judge

CASES = 40
ANSWERED, AT_ONCE = 10, 4
PATIENCE_S = 60
"""What a process may take to end on a busy machine. One that waited for what it should give up would take five minutes or more."""
posix = pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")


@contextmanager
def started(bench, suite, *arguments):
    """Start `evalkit run` in a process of its own; it is dead at the end."""
    command = [sys.executable, "-m", "evalkit", "run", str(suite), "--run-id", "r", *map(str, arguments)]
    process = subprocess.Popen(command, cwd=bench.root, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
        yield process
    finally:
        if process.poll() is None:
            process.kill()
        process.communicate()


def wait_for(condition, seconds=120.0):
    """Wait until something holds."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it never came to that"
        time.sleep(0.01)


def held_suite(bench):
    """Return a suite whose server answers ten requests; the four after them stay in flight."""
    bench.server.held_after = ANSWERED
    return bench.suite(golden=CASES, max_in_flight=AT_ONCE, timeout_s=300.0)


def held(bench):
    """Tell whether ten requests were answered and four are in flight."""
    return len(bench.server.requests) == ANSWERED + AT_ONCE


def release(bench):
    """Let the server answer everything from here on, and forget what was asked."""
    bench.server.held_after = None
    return bench.calls()


def cached(bench):
    """Return how many replies the cache holds."""
    return bench.command("cache", "info", "--json").json["entries"]


@posix
@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM"])
def test_an_interrupted_run_keeps_what_is_finished_and_a_rerun_asks_only_for_the_rest(bench, name):
    suite = held_suite(bench)
    with started(bench, suite) as process:
        wait_for(lambda: held(bench))
        process.send_signal(getattr(signal, name))
        out, err = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 130
    assert b"Traceback" not in err
    assert b"a rerun buys only what is missing" in err
    run = RunFolder(bench.root / "runs" / "r")
    verdicts = [line for line in run.verdicts if line["verdict"]]
    assert len(verdicts) == ANSWERED
    assert (run.manifest["completeness"], run.report["completeness"]) == ("incomplete", "incomplete")
    assert run.bought["stopped"] == "interrupted"
    row = run.row("F1")
    assert row["n"] == len(verdicts)
    assert (row["excluded"], row["total"]) == ({"not_bought": CASES - len(verdicts)}, CASES)
    assert "the run was interrupted" in run.report["gating"]["reasons"]
    assert b"INVALID FOR GATING" in out.splitlines()[0]
    assert run.report["health"]["judge_errors"] == {}
    release(bench)
    _, rest = bench.run(suite)
    asked = bench.calls()
    assert sorted(asked) == sorted(set(ids(CASES)) - {line["case_id"] for line in verdicts})
    assert rest.report["completeness"] == "complete"
    assert rest.bought["cache_hits"] == len(verdicts)


@posix
def test_a_second_interruption_leaves_at_once_and_loses_nothing_that_was_bought(bench):
    suite = held_suite(bench)
    with started(bench, suite) as process:
        wait_for(lambda: held(bench))
        process.send_signal(signal.SIGINT)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 130
    assert b"Traceback" not in err
    release(bench)
    kept = cached(bench)
    assert kept == ANSWERED
    bench.run(suite)
    assert len(bench.calls()) == CASES - kept


@posix
def test_an_interruption_while_nothing_answers_does_not_wait_for_the_server(bench):
    suite = held_suite(bench)
    bench.server.held_after = 0
    with started(bench, suite) as process:
        wait_for(lambda: len(bench.server.requests) == AT_ONCE)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 130
    assert RunFolder(bench.root / "runs" / "r").row("F1")["excluded"] == {"not_bought": CASES}


@posix
def test_after_a_kill_a_rerun_buys_only_what_is_missing(bench):
    suite = held_suite(bench)
    with started(bench, suite) as process:
        wait_for(lambda: held(bench))
        process.kill()
        process.communicate()
    release(bench)
    assert not (bench.root / "runs" / "r").exists()
    kept = cached(bench)
    assert ANSWERED - AT_ONCE <= kept <= ANSWERED  # what came last may not have been written yet
    _, run = bench.run(suite)
    assert len(bench.calls()) == CASES - kept
    assert run.bought["cache_hits"] == kept
    assert run.report["completeness"] == "complete"
    assert [path.name for path in (bench.root / "runs").iterdir()] == ["r"]
    assert run.manifest["notes"] == []


@posix
def test_a_killed_run_leaves_the_earlier_run_of_its_name_as_it_was(bench):
    suite = bench.suite(golden=CASES, max_in_flight=4)
    _, earlier = bench.run(suite)
    before = {path.name: path.read_bytes() for path in earlier.folder.iterdir()}
    release(bench)
    bench.server.held_after = ANSWERED
    write_judge(suite / "judge.yaml", bench.server.url, model="another-judge", max_in_flight=4)
    with started(bench, suite) as process:
        wait_for(lambda: held(bench))
        process.kill()
        process.communicate()
    assert {path.name: path.read_bytes() for path in earlier.folder.iterdir()} == before
    assert bench.command("show", "latest").status == 0


@posix
@pytest.mark.slow
@pytest.mark.unmeasured
@pytest.mark.parametrize("moment", ["while it is imported", "while calls are in flight"])
def test_an_interruption_of_litellm_is_as_clean(bench, moment):
    bench.server.held_after = 0 if moment == "while it is imported" else ANSWERED
    suite = bench.suite(
        golden=CASES, max_in_flight=AT_ONCE, client="litellm", model="openai/test-judge", timeout_s=300.0
    )
    with started(bench, suite) as process:
        if moment == "while it is imported":
            wait_for(lambda: list((bench.root / "runs").glob(".r.*.partial")))
            time.sleep(0.5)
        else:
            wait_for(lambda: held(bench), seconds=300.0)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 130
    assert [
        line for line in err.decode().splitlines() if not line.startswith(("evalkit: ", "judging ", "scoring "))
    ] == []
    kept = cached(bench)
    assert kept == (0 if moment == "while it is imported" else ANSWERED)
    release(bench)
    write_judge(suite / "judge.yaml", bench.server.url, model="openai/test-judge")
    bench.run(suite)
    assert len(bench.calls()) == CASES - kept


def costly(bench, **fields):
    """Return a suite in which each verdict costs 0.12 dollars, as was to be expected, and one is asked at a time."""
    replies = {"prices": {"input": 0.0, "output": 6000.0}, "params": {"max_tokens": 20}}
    return bench.suite(golden=10, max_in_flight=1, **replies, **fields)


def test_max_cost_stops_buying_and_a_rerun_goes_on(bench):
    suite = costly(bench)
    ended, run = bench.run(suite, "--max-cost", "0.5", status=3)
    assert bench.calls() == ids(4)
    assert run.bought["stopped"] == "max_cost"
    assert run.bought["cost_usd"] == pytest.approx(0.48), "the next call would have passed the limit"
    assert run.row("F1")["excluded"] == {"not_bought": 6}
    assert "buying stopped at max_cost" in ended.out
    _, run = bench.run(suite, "--max-cost", "0.72")  # six calls at 0.12: the limit is reached with the last verdict
    assert bench.calls() == ids(10)[4:]
    assert (run.report["completeness"], run.bought["stopped"]) == ("complete", None)


def test_a_limit_of_nothing_buys_nothing(bench):
    _, run = bench.run(costly(bench), "--max-cost", "0", status=3)
    assert bench.calls() == []
    assert run.row("F1")["excluded"] == {"not_bought": 10}


def test_the_limit_of_judge_yaml_holds_too(bench):
    _, run = bench.run(costly(bench, max_cost=0.3), status=3)
    assert bench.calls() == ids(2)
    (note,) = [note for note in run.manifest["notes"] if note.startswith("max_cost")]
    assert "the next call may cost $0.12 (" in note
    assert note.endswith("$0.06 of the limit are left")


def test_the_first_call_is_not_free(bench):
    _, run = bench.run(costly(bench, max_cost=0.11), status=3)
    assert bench.calls() == []
    assert (run.bought["stopped"], run.bought["cost_usd"]) == ("max_cost", 0.0)


def test_a_limit_without_prices_is_bad_usage_before_anything_is_asked(bench):
    ended, run = bench.run(bench.suite(), "--max-cost", "1", status=2)
    assert "prices" in ended.err
    assert bench.calls() == []
    assert not run.folder.exists()


def test_a_limit_that_cannot_be_watched_stops_buying(bench):
    bench.server.reply = by_case({}, otherwise=lambda body: say(judge(body), usage={}))
    ended, run = bench.run(costly(bench), "--max-cost", "5", status=3)
    assert bench.calls() == ["c00"]
    assert run.bought["stopped"] == "cost_unknown"
    assert "does not say what its calls use" in ended.out


def test_refused_replies_cost_too(bench):
    bench.server.reply = by_case({}, otherwise="no verdict")
    _, run = bench.run(costly(bench), "--max-cost", "0.4", status=3)
    assert bench.calls() == ["c00", "c00", "c01", "c01"]
    assert run.bought["cost_usd"] == pytest.approx(0.48)


SLOW_SCORER = """\
import time

def slow(case, output):
    print("SCORING", flush=True)
    time.sleep(600)
"""


@posix
def test_an_interruption_while_code_scores_leaves_no_run_and_no_half_of_one(bench):
    capabilities = [
        {"name": "faithfulness", "scorers": [{"scorer": "slow.py:slow"}], "judge": [{"rubric": "faithfulness"}]}
    ]
    suite = bench.suite(golden=1, suite={"capabilities": capabilities, "allow_custom_scorers": True})
    (suite / "slow.py").write_text(SLOW_SCORER, encoding="utf-8")
    with started(bench, suite) as process:
        line = process.stderr.readline()
        while line and b"SCORING" not in line:
            line = process.stderr.readline()
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 130
    assert b"Traceback" not in err
    assert list((bench.root / "runs").iterdir()) == []
    assert bench.calls() == []
