"""`evalkit accept --generator`: commands without a shell and within limits, models, and attempts that are kept."""

from __future__ import annotations

import json
import shutil
import sys
import time
from pathlib import Path

import pytest
from fakes.acceptance import SHORT, SUITE, TERMS, alive, attempts_in, endings_of, generator, live, shipped, write_spec
from fakes.chat_server import completion, fail, send_json
from fakes.judged_suites import judged_suite, write_judge
from fakes.small_suites import case, write_suite

posix = pytest.mark.skipif(sys.platform == "win32", reason="POSIX process groups")


@pytest.fixture
def replies(evalkit, tmp_path):
    return shutil.copytree(SUITE, tmp_path / "refund_replies")


@pytest.fixture
def shop(evalkit, tmp_path):
    """Return a suite of three requests that must be answered in at most 8 words, and its specification."""
    suite = write_suite(tmp_path / "shop", golden=[case(f"c{n}") for n in range(3)])
    return [suite, "--spec", write_spec(tmp_path, SHORT)]


def test_a_generator_that_reads_its_feedback_is_accepted_at_the_second_attempt(evalkit, replies):
    report, lines, _ = live(evalkit, replies, "--generator", shipped("improves.py"), status=3)
    assert report["endings"] == {"complete": 2, "complete_provisional": 12, "judgment_skipped": 1}
    assert report["retries"]["wasted"] == 0
    assert {line["attempt"] for line in lines if line["state_after"].startswith("complete")} == {2}


def test_a_generator_that_ignores_its_feedback_is_exhausted_and_every_retry_was_wasted(evalkit, replies):
    report, _, _ = live(evalkit, replies, "--generator", shipped("ignores.py"), status=3)
    assert report["reasons"]["exhausted: quality_retries"] == 14
    assert (report["retries"]["retries"], report["retries"]["unchanged"], report["retries"]["wasted"]) == (28, 28, 28)


def test_a_generator_that_prints_garbage_is_an_error_that_says_what_was_read(evalkit, shop):
    report, lines, folder = live(evalkit, *shop, "--generator", shipped("garbage.py"), status=1)
    assert report["reasons"] == {"error: unreadable_output": 3}
    assert "not valid JSON" in lines[0]["detail"]
    assert attempts_in(folder)[0]["error"].startswith("unreadable_output: ")


@posix
def test_a_generator_that_hangs_is_killed_with_everything_that_it_started(evalkit, shop, tmp_path):
    marker = f"evalkit-child-{time.monotonic_ns()}"
    body = (
        "import subprocess\n"
        f"subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)', {marker!r}])\n"
        "print('still waiting', file=sys.stderr, flush=True)\n"
        "import time; time.sleep(600)"
    )
    before = time.monotonic()
    command = generator(tmp_path, body)
    report, lines, _ = live(evalkit, *shop, "--generator", command, "--time-limit", 3.0, "--case", "c0", status=1)
    assert time.monotonic() - before < 120  # three limits, not the ten minutes of what it started
    assert report["reasons"] == {"exhausted: transport_retries": 1}
    assert "no answer within 3 s" in lines[0]["detail"]
    assert lines[0]["detail"].endswith("stderr ends: still waiting")
    assert lines[0]["counts"]["transport_retries"] == 2
    assert not alive(marker)


@posix
def test_what_a_command_leaves_behind_is_killed_and_its_answer_counts(evalkit, shop, tmp_path):
    marker = f"evalkit-left-{time.monotonic_ns()}"
    body = (
        "import subprocess\n"
        f"subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)', {marker!r}])\n"
        "print(json.dumps({'text': 'Within 30 days.'}))"
    )
    live(evalkit, *shop, "--generator", generator(tmp_path, body), status=0)
    assert not alive(marker)


@pytest.mark.parametrize(
    ("body", "reason", "said"),
    [
        ("sys.exit(3)", "transport_retries", "exit status 3"),
        ("print('no money left', file=sys.stderr); sys.exit(1)", "transport_retries", "stderr ends: no money left"),
        ("import os; os.kill(os.getpid(), 9)", "transport_retries", "signal 9"),
        ("print('x' * 3_000_000)", "output_size", "more than 1,048,576 bytes"),
        ("pass", "unreadable_output", "nothing was written"),
        ("print('[1]')", "unreadable_output", "expected one JSON object, got a list"),
        ('print(\'{"text": "a"} {"text": "b"}\')', "unreadable_output", "not valid JSON"),
        ("print('{\"text\": 5}')", "unreadable_output", "text: expected text"),
        ('print(\'{"texts": "x"}\')', "unreadable_output", "texts: unknown field"),
        ("print('{\"text\": NaN}')", "unreadable_output", "NaN"),
        ('print(\'{"case_id": "other"}\')', "unreadable_output", "case_id is text ('other')"),
        ("sys.stdout.buffer.write(b'\\xff\\xfe')", "unreadable_output", "not UTF-8"),
        ("print('{\"text\": null}')", "null_text", ""),
        ('print(\'{"error": "model is down"}\')', "output_error", "model is down"),
    ],
)
def test_what_a_command_can_do_wrong(evalkit, shop, body, reason, said):
    _, (line,), _ = live(evalkit, *shop, "--generator", generator(Path(), body), "--case", "c0", status=1)
    assert (line["reason"], said in line["detail"]) == (reason, True), line["detail"]


def test_a_failed_call_is_sent_again_and_counted_as_transport(evalkit, shop, tmp_path):
    body = (
        "import os\n"
        f"mark = {str(tmp_path)!r} + '/' + turn['request']['id']\n"
        "first = not os.path.exists(mark); open(mark, 'w').close()\n"
        "sys.exit(1) if first else print(json.dumps({'text': 'Within 30 days.'}))"
    )
    report, lines, _ = live(evalkit, *shop, "--generator", generator(tmp_path, body), status=0)
    assert {line["counts"]["transport_retries"] for line in lines} == {1}
    assert {line["counts"]["quality_retries"] for line in lines} == {0}
    assert report["retries"]["retries"] == 0


def test_the_generator_gets_the_request_unchanged_and_nothing_of_what_is_expected(evalkit, shop, tmp_path):
    seen = tmp_path / "seen.jsonl"
    body = (
        f"open({str(seen)!r}, 'a').write(json.dumps(turn) + '\\n')\n"
        "print(json.dumps({'text': 'This answer is longer than the eight words that it may have.'}))"
    )
    live(evalkit, *shop, "--generator", generator(tmp_path, body), "--case", "c0", status=1)
    turns = [json.loads(line) for line in seen.read_text(encoding="utf-8").splitlines()]
    assert [turn["attempt"] for turn in turns] == [1, 2, 3]
    assert all(set(turn) == {"request", "feedback", "attempt"} for turn in turns)
    assert set(turns[0]["request"]) == {"id", "input", "context"}
    assert turns[0]["request"] == turns[1]["request"] == turns[2]["request"]
    assert turns[0]["feedback"] is None
    assert "At most 8 words." in turns[1]["feedback"]


def test_no_shell_reads_the_command_unless_it_is_asked_for(evalkit, shop, tmp_path):
    body = "print(json.dumps({'text': sys.argv[1]}))"
    command = generator(tmp_path, body)
    _, _, folder = live(evalkit, *shop, "--generator", f"{command} '$HOME; echo x'", status=0)
    assert attempts_in(folder)[0]["text"] == "$HOME; echo x"
    _, _, folder = live(evalkit, *shop, "--shell", "--generator", f'{command} "$((1 + 1))"', status=0)
    assert attempts_in(folder)[0]["text"] == "2"


@pytest.mark.parametrize("command", ["no-such-program-anywhere", "", "python3 'unclosed"])
def test_a_command_that_cannot_be_run_is_bad_usage_before_anything_happens(evalkit, shop, command):
    ended = evalkit("accept", *shop, "--generator", command)
    assert ended.status == 2
    assert "--generator" in ended.err
    assert not Path("runs").exists()


def test_keys_do_not_reach_the_record_through_stderr(evalkit, shop, tmp_path, monkeypatch):
    monkeypatch.setenv("SHOP_API_KEY", "sk-very-secret-value-1234")
    body = "import os; print('key', os.environ['SHOP_API_KEY'], file=sys.stderr); sys.exit(1)"
    _, _, folder = live(evalkit, *shop, "--generator", generator(tmp_path, body), status=1)
    assert not any("very-secret" in path.read_text(encoding="utf-8") for path in folder.iterdir())


def test_blocked_candidates_are_judged_live_only_when_asked(evalkit, replies, tmp_path):
    spec = write_spec(tmp_path, {**SHORT}, policy=[{"scorer": "forbidden_tools", "names": ["pay_out"]}])
    body = "print(json.dumps({'text': 'Done.', 'tool_calls': [{'name': 'pay_out', 'arguments': {}}]}))"
    asked = [replies, "--spec", spec, "--generator", generator(tmp_path, body), "--case", "timing-pays-out"]
    report, (line,), _ = live(evalkit, *asked, status=1)
    assert (line["state_after"], line["score"], report["blocked_judged"]) == ("blocked_by_policy", None, False)
    report, (line,), _ = live(evalkit, *asked, "--judge-blocked", status=1)
    assert (line["state_after"], line["score"]) == ("blocked_by_policy", 1.0)
    assert report["good_but_blocked"]["n"] == 1


def test_cost_and_time_limits_are_policy_and_end_with_their_own_reason(evalkit, shop, tmp_path):
    policy = [{"scorer": "cost_limit", "max_usd": 0.01}, {"scorer": "latency_limit", "max_ms": 60_000}]
    spec = write_spec(tmp_path / "p", SHORT, policy=policy)
    body = "print(json.dumps({'text': 'Ok.', **({'cost_usd': 0.5} if turn['request']['id'] == 'c0' else {})}))"
    _, lines, _ = live(evalkit, shop[0], "--spec", spec, "--generator", generator(tmp_path, body), status=1)
    assert endings_of(lines) == {
        "c0": "blocked_by_policy: cost_limit",
        "c1": "blocked_by_policy: undecided: cost_limit",
        "c2": "blocked_by_policy: undecided: cost_limit",
    }


def test_the_attempts_of_a_live_run_are_a_recording_that_replays_to_the_same_decisions(evalkit, replies):
    _, lines, folder = live(evalkit, replies, "--generator", shipped("improves.py"), status=3)
    _, replayed, _ = live(evalkit, replies, "--outputs", folder / "attempts.jsonl", "--run-id", "again", status=3)
    assert endings_of(replayed) == endings_of(lines)
    assert [line["feedback"] for line in replayed] == [line["feedback"] for line in lines]


def test_a_finished_live_run_asks_the_generator_nothing_more(evalkit, shop, tmp_path):
    calls = tmp_path / "calls"
    body = f"open({str(calls)!r}, 'a').write('x')\nprint(json.dumps({{'text': 'Ok.'}}))"
    command = generator(tmp_path, body)
    first = live(evalkit, *shop, "--generator", command, status=0)
    assert live(evalkit, *shop, "--generator", command, status=0)[:2] == first[:2]
    assert calls.read_text(encoding="utf-8") == "xxx"


def test_attempts_made_under_other_inputs_are_not_continued(evalkit, shop, tmp_path):
    command = generator(tmp_path, "print(json.dumps({'text': 'Ok.'}))")
    live(evalkit, *shop, "--generator", command, "--run-id", "r", status=0)
    other = write_spec(tmp_path / "other", {**SHORT, "weight": 2.0})
    ended = evalkit("accept", shop[0], "--spec", other, "--generator", command, "--run-id", "r")
    assert ended.status == 2
    assert "another specification" in ended.err
    assert "--run-id" in ended.err


# A model as the generator


def writer_reply(body):
    """Answer as a model would: too long at first, short once it is told."""
    told = len(body["messages"]) > 1
    return send_json(completion("Within 30 days." if told else "You may well return it within some thirty days, sir."))


def test_a_model_gets_the_request_first_and_feedback_as_a_later_message(bench, shop, tmp_path):
    bench.server.reply = writer_reply
    model = write_judge(
        tmp_path / "writer.yaml", bench.server.url, model="writer-1", prices={"input": 1.0, "output": 1.0}
    )
    report, lines, folder = live(bench.command, *shop, "--generator-model", model, "--case", "c0", status=0)
    first, second = [received.body["messages"] for received in bench.server.requests]
    assert second[0] == first[0]
    assert [message["role"] for message in second] == ["user", "assistant", "user"]
    assert "At most 8 words." in second[2]["content"]
    assert "within 30 days of purchase" in first[0]["content"]
    assert (report["generator"]["model"], lines[-1]["state_after"]) == ("writer-1", "complete")
    made = attempts_in(folder)[0]
    assert made["usage"] == {"input_tokens": 100, "output_tokens": 20}
    assert made["cost_usd"] == pytest.approx(0.00012)


def test_a_model_that_refuses_the_call_is_an_error_and_one_that_is_down_is_exhausted(bench, shop, tmp_path):
    model = write_judge(tmp_path / "writer.yaml", bench.server.url, model="writer-1")
    bench.server.reply = fail(400, "no such model")
    _, (line,), _ = live(bench.command, *shop, "--generator-model", model, "--case", "c0", status=1)
    assert (line["state_after"], line["reason"]) == ("error", "rejected")
    bench.server.reply = fail(503)
    _, (line,), _ = live(bench.command, *shop, "--generator-model", model, "--case", "c1", status=1)
    assert (line["state_after"], line["reason"]) == ("exhausted", "transport_retries")
    assert line["detail"].startswith("provider: ")


def test_judge_and_generator_of_one_model_are_not_independent(bench, tmp_path):
    suite = judged_suite(bench.root / "same", bench.server.url, golden=1)
    faithful = {"name": "f", "required": True, "strategy": {"rubric": "faithfulness", "criterion": "F1"}}
    spec = write_spec(suite, faithful, judge="judge.yaml", terms={**TERMS, "require_trust": True})
    report, lines, _ = live(
        bench.command, suite, "--spec", spec, "--generator-model", suite / "judge.yaml", "--run-id", "x"
    )
    assert report["independence"]["independent"] is False
    assert {line["independent"] for line in lines} == {False}


def test_the_floor_judge_writes_no_answers(bench, shop, tmp_path):
    (tmp_path / "floor.yaml").write_text("client: floor\n", encoding="utf-8")
    ended = bench.command("accept", *shop, "--generator-model", tmp_path / "floor.yaml")
    assert ended.status == 2
    assert "writes no answers" in ended.err


def test_two_generators_at_once_are_bad_usage(evalkit, shop):
    for options in (["--generator", "cat", "--generator-model", "m"], ["--generator", "cat", "--outputs", "candidate"]):
        assert evalkit("accept", *shop, *options).status == 2


@pytest.mark.parametrize(
    ("options", "named"),
    [
        (["--candidate", "c.yaml"], "--candidate"),
        (["--shell", "--jobs", "2"], "--shell, --jobs"),
        (["--time-limit", "3", "--max-output", "9"], "--time-limit, --max-output"),
        (["--generator-model", "m", "--shell"], "--shell"),
    ],
)
def test_what_only_a_live_generator_could_heed_is_refused_without_one(evalkit, shop, options, named):
    ended = evalkit("accept", *shop, *options)
    assert ended.status == 2
    assert f"evalkit: {named}" in ended.err


def test_what_was_said_of_a_generator_holds_when_the_run_goes_on(evalkit, shop, tmp_path):
    (tmp_path / "a.yaml").write_text("model: m-1\nfamily: acme\n", encoding="utf-8")
    (tmp_path / "b.yaml").write_text("model: m-2\nfamily: acme\n", encoding="utf-8")
    begun, _, _ = live(evalkit, *shop, "--generator", shipped("garbage.py"), status=1)
    assert begun["generator"]["family"] is None
    for options in (["--candidate", tmp_path / "a.yaml"], []):
        report, _, folder = live(evalkit, *shop, "--generator", shipped("garbage.py"), *options, status=1)
        assert (report["generator"]["model"], report["generator"]["family"]) == ("m-1", "acme")
        assert report["independence"]["independent"] is not None
    assert len(attempts_in(folder)) == 3
    ended = evalkit("accept", *shop, "--generator", shipped("garbage.py"), "--candidate", tmp_path / "b.yaml")
    assert ended.status == 2
    assert "made under another model of the candidate; choose another --run-id" in ended.err


def test_a_plan_of_two_candidates_is_refused_as_the_run_is(evalkit, shop):
    for plan in ([], ["--plan"]):
        assert evalkit("accept", *shop, "--outputs", "a", "--outputs", "b", *plan).status == 2
