"""`batch` in judge.yaml, over real HTTP: the same verdicts as one by one, and nothing bought twice whatever goes wrong."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time

import pytest
import yaml
from fakes.batch_server import EXPIRED, BatchServer, failed, said
from fakes.judged_suites import Bench, RunFolder, ids
from fakes.reading_judge import case_of, is_retry, judge

PRICES = {"input": 10_000.0, "output": 0.0}
"""A call of 100 tokens costs a dollar."""
QUICK = {"poll_s": 0.01, "poll_cap_s": 0.02}


@pytest.fixture
def server():
    with BatchServer(reply=judge) as running:
        yield running


@pytest.fixture
def bench(evalkit, server, tmp_path):
    return Bench(tmp_path, server, evalkit)


def batched(bench, golden=6, batch=None, **fields):
    return bench.suite(golden=golden, batch=QUICK | (batch or {}), **fields)


def asked_in_batches(server):
    return [sorted(case_of(line["body"]) for line in server.lines_of(name)) for name in server.batches]


def kept(bench):
    folder = bench.root / ".evalkit" / "cache" / "batches"
    return [json.loads(path.read_text("utf-8")) for path in sorted(folder.glob("*.json"))]


def test_a_run_in_batches_says_what_a_run_one_by_one_says(bench, server):
    _, alone = bench.run(bench.suite("alone", golden=6), "--cache", bench.root / "other", run_id="alone")
    assert len(bench.calls()) == 6
    _, run = bench.run(batched(bench))
    assert bench.calls() == []
    assert asked_in_batches(server) == [ids(6)]
    assert run.report["rows"] == alone.report["rows"]
    assert run.report["judges"] == alone.report["judges"]
    assert [line["verdict"] for line in run.verdicts] == [line["verdict"] for line in alone.verdicts]
    assert kept(bench) == []


def test_a_warm_rerun_has_the_same_bytes_and_asks_nobody(bench, server):
    suite = batched(bench)
    _, cold = bench.run(suite)
    before, looks = cold.stable_bytes, len(server.polls)
    _, warm = bench.run(suite)
    assert warm.stable_bytes == before
    assert (len(server.polls), len(server.batches), bench.calls()) == (looks, 1, [])


def test_the_manifest_says_how_each_verdict_was_bought(bench):
    _, run = bench.run(batched(bench))
    assert (run.bought["calls"], run.bought["batched"], run.bought["latency_ms"]) == (6, 6, None)
    assert run.manifest["judges"][0]["batched"] == 6
    share = run.verdict_of("c00")["purchase"]["batch"]
    assert (share["input_tokens"], share["output_tokens"]) == (100, 20)
    assert "6 of them in batches" in bench.command("show", "r").out


def test_requests_fill_batches_up_to_both_limits_and_the_plan_says_how_many(bench, server):
    suite = batched(bench, golden=5, batch={"max_requests": 2})
    (plan,) = bench.command("plan", suite, "--json").json
    assert (plan["to_buy"], plan["batches"]) == (5, 3)
    assert "bought in 3 batches" in bench.command("plan", suite).out
    bench.run(suite)
    assert sorted(asked_in_batches(server)) == [["c00", "c01"], ["c02", "c03"], ["c04"]]
    longest = max(len(json.dumps(line, separators=(",", ":"))) + 1 for line in server.lines_of("batch_0"))
    suite = batched(bench, golden=5, batch={"max_bytes": 3 * longest}, name="sized")
    (plan,) = bench.command("plan", suite, "--json", "--cache", bench.root / "new").json
    assert plan["batches"] == 2


def test_a_request_too_large_for_any_batch_is_asked_by_itself(bench, server):
    ended, run = bench.run(batched(bench, golden=2, batch={"max_bytes": 100}))
    assert (sorted(bench.calls()), server.batches, run.bought["batched"]) == (["c00", "c01"], {}, 0)
    assert "2 requests are larger than a batch may be (batch.max_bytes 100): asked one by one" in ended.err
    assert run.bought["too_large"] == 2
    assert "2 requests too large for a batch" in bench.command("show", "r").out


def test_a_plan_says_what_is_too_large_for_a_batch_and_counts_it_at_full_price(bench):
    prices = {"prices": PRICES, "golden": 2}
    (full,) = bench.command("plan", batched(bench, **prices), "--json").json
    (half,) = bench.command("plan", batched(bench, batch=HALF, **prices), "--json").json
    assert half["cost_usd"] == pytest.approx(full["cost_usd"] / 2)
    suite = batched(bench, batch={**HALF, "max_bytes": 100}, **prices)
    (large,) = bench.command("plan", suite, "--json").json
    assert (large["to_buy"], large["too_large"], large.get("batches", 0)) == (2, 2, 0)
    assert large["cost_usd"] == pytest.approx(full["cost_usd"])
    assert "2 requests larger than `batch.max_bytes`, asked one by one" in bench.command("plan", suite).out


@pytest.mark.parametrize(("section", "remedy"), [("batch", "`batch: {}` takes"), ("cascade", "name its `classifier`")])
def test_a_section_that_switches_something_on_and_is_empty_is_a_fault(bench, section, remedy):
    suite = bench.suite(golden=1)
    with (suite / "judge.yaml").open("a", encoding="utf-8") as file:
        file.write(f"{section}:\n")
    ended = bench.command("check", suite)
    assert ended.status == 2
    assert f"{section}: is empty" in ended.err + ended.out
    assert remedy in ended.err + ended.out


@pytest.mark.parametrize(
    "lost",
    [failed(500, "overloaded"), EXPIRED, None, said("I would rather not.")],
    ids=["failed", "expired", "missing", "rejected"],
)
def test_what_a_batch_does_not_bring_is_asked_one_by_one(bench, server, lost):
    server.result = lambda body: lost if case_of(body) == "c01" else said(judge(body))
    ended, run = bench.run(batched(bench, golden=4))
    assert [case_of(one.body) for one in server.requests] == ["c01"]
    assert run.row("F1")["total"] == run.row("F1")["n"] == 4
    assert run.bought["batched"] == (4 if lost and lost["response"] and lost["response"]["status_code"] == 200 else 3)
    assert kept(bench) == []
    assert "batch_0: completed" in ended.err


def test_a_refused_reply_of_a_batch_is_the_first_try_and_only_its_retry_is_asked(bench, server):
    server.result = lambda body: said("I would rather not.") if case_of(body) == "c01" else said(judge(body))
    _, run = bench.run(batched(bench, golden=2))
    (retry,) = server.requests
    assert is_retry(retry.body)
    purchase = run.verdict_of("c01")["purchase"]
    assert (purchase["tries"], purchase["input_tokens"], purchase["batch"]["input_tokens"]) == (2, 200, 100)
    assert run.bought["verdict_retries"] == 1


@pytest.mark.parametrize("status", ["expired", "cancelled", "failed"])
def test_a_batch_that_ends_badly_is_asked_one_by_one(bench, server, status):
    server.ends = [status]
    server.result = lambda body: said(judge(body)) if case_of(body) == "c00" else EXPIRED
    ended, run = bench.run(batched(bench, golden=3))
    left = ids(3) if status == "failed" else ids(3)[1:]
    assert sorted(case_of(one.body) for one in server.requests) == left
    assert run.report["completeness"] == "complete"
    assert f"batch_0: {status}" in ended.err
    assert ("Enqueued token limit reached" in ended.err) == (status == "failed")


@pytest.mark.parametrize(
    "spoil",
    [
        lambda content: content[: len(content) // 2],
        lambda content: b"<html>gateway</html>\n" + content,
        lambda content: b'{"custom_id": 7}\n[1]\n' + content,
        lambda content: content.replace(b'"custom_id": "', b'"custom_id": "f00'),
        lambda content: content + content.replace(b"of 1.", b"of 2."),
        lambda content: b"",
    ],
    ids=["cut short", "a page in front", "lines of nothing", "unknown ids", "two answers each", "empty"],
)
def test_a_malformed_file_of_results_costs_money_at_most_and_never_a_wrong_verdict(bench, server, spoil):
    server.output = spoil
    _, run = bench.run(batched(bench, golden=4))
    _, alone = bench.run(bench.suite("alone", golden=4), "--cache", bench.root / "other", run_id="alone")
    assert run.report["rows"] == alone.report["rows"]
    assert kept(bench) == []


def test_ids_of_no_request_are_counted_as_such_whatever_they_bring(bench, server):
    def with_strangers(content):
        foreign = {**json.loads(content.splitlines()[0]), "custom_id": "f00"}
        return content + b"".join(
            json.dumps({**foreign, **said(text)}).encode() + b"\n" for text in ("one answer", "and another")
        )

    server.output = with_strangers
    ended, _ = bench.run(batched(bench, golden=2))
    assert "answered 2, of no request in it 1" in ended.err
    assert "with two answers" not in ended.err


def test_a_provider_that_is_busy_is_looked_at_again(bench, server):
    server.scripts = {"look": [429, 0, 503, 429], "upload": [500], "start": [429]}
    _, run = bench.run(batched(bench))
    assert bench.calls() == []
    assert run.bought["transport_retries"] == {"rate_limited": 3, "server": 2}
    assert len(server.batches) == 1


def test_a_start_whose_answer_was_lost_starts_no_second_batch(bench, server):
    server.scripts = {"start": [-500]}
    bench.run(batched(bench))
    assert (len(server.batches), bench.calls()) == (1, [])


def test_a_start_of_which_nothing_is_known_is_looked_for_by_the_next_run(bench, server):
    server.scripts = {"start": [-500, 500, 500], "list": [500, 500]}
    ended, run = bench.run(batched(bench), status=3)
    assert (run.bought["stopped"], bench.calls()) == ("batch_open", [])
    assert "it is not known whether it was started" in ended.err
    assert "may have been started, which nobody could say; the same command asks the provider again" in ended.err
    assert "stays with the provider" not in ended.err
    assert run.report["health"]["in_open_batches"] == 6
    server.scripts = {"list": [500, 500, 500]}
    _, run = bench.run(batched(bench), status=3)
    assert (run.bought["stopped"], len(server.batches), bench.calls()) == ("batch_open", 1, [])
    bench.run(batched(bench))
    assert (len(server.batches), bench.calls(), kept(bench)) == (1, [], [])


def test_a_batch_that_is_not_taken_is_asked_one_by_one(bench, server):
    server.scripts = {"start": [400]}
    ended, _ = bench.run(batched(bench, golden=2))
    assert bench.calls() == ["c00", "c01"]
    assert "a batch of 2 was not taken" in ended.err
    assert kept(bench) == []


def test_a_server_without_batches_is_named_with_what_to_do(bench, server):
    server.scripts = {"upload": [404]}
    ended, _ = bench.run(batched(bench), status=2)
    assert "has no batch interface" in ended.err
    assert "take `batch` out" in ended.err
    assert bench.calls() == []


@pytest.mark.parametrize(
    ("fields", "said_so"),
    [
        ({"client": "litellm", "base_url": None}, "use `client: openai`"),
        ({"batch": {"prices": PRICES}}, "batch.prices"),
        ({"batch": {"max_request": 2}}, "max_requests"),
    ],
    ids=["litellm", "prices of batches alone", "a misspelt field"],
)
def test_a_batch_that_cannot_be_is_a_fault_of_judge_yaml(bench, fields, said_so):
    ended = bench.command("check", bench.suite(golden=1, **{"batch": QUICK, **fields}))
    assert ended.status == 2
    assert said_so in ended.err + ended.out


# What it costs ----------------------------------------------------------------------------------------------------------


HALF = {"prices": {"input": 5_000.0, "output": 0.0}}


def test_batches_have_prices_of_their_own_and_what_they_leave_has_not(bench, server):
    server.result = lambda body: EXPIRED if case_of(body) == "c01" else said(judge(body))
    suite = batched(bench, golden=4, batch=HALF, prices=PRICES)
    _, run = bench.run(suite)
    assert run.bought["cost_usd"] == pytest.approx(3 * 0.5 + 1.0)
    assert run.manifest["judges"][0]["per_case"]["cost_usd"] == pytest.approx(2.5 / 4)
    _, warm = bench.run(suite)
    assert warm.bought["saved_cost_usd"] == pytest.approx(2.5)


def test_without_prices_of_its_own_no_discount_is_assumed(bench):
    _, run = bench.run(batched(bench, golden=4, prices=PRICES))
    assert run.bought["cost_usd"] == pytest.approx(4.0)


def test_the_cost_limit_is_reserved_before_anything_is_submitted(bench, server):
    prices = {"input": 1000.0, "output": 0.0}
    suite = batched(bench, golden=10, batch={"prices": {"input": 500.0, "output": 0.0}}, prices=prices)
    (plan,) = bench.command("plan", suite, "--json").json
    each = plan["cost_usd"] / 10  # at the prices of batches, by the rule of thumb that the reservation goes by
    _, none = bench.run(suite, "--max-cost", f"{each / 2}", status=3)
    assert (server.batches, bench.calls(), none.bought["stopped"]) == ({}, [], "max_cost")
    _, run = bench.run(suite, "--max-cost", f"{3.5 * each}")
    assert [len(cases) for cases in asked_in_batches(server)] == [3, 7]
    assert run.bought["cost_usd"] == pytest.approx(10 * 0.05)
    assert run.bought["cost_usd"] <= 3.5 * each


def test_a_limit_holds_nothing_where_the_server_does_not_say_what_a_batch_used(bench, server):
    def silent(body):
        found = said(judge(body))
        del found["response"]["body"]["usage"]
        return found

    server.result = silent
    suite = batched(bench, golden=10, batch={"max_requests": 50}, prices=PRICES)
    (plan,) = bench.command("plan", suite, "--json").json
    _, run = bench.run(suite, "--max-cost", f"{plan['cost_usd'] / 10 * 2.5}", status=3)
    assert run.bought["stopped"] == "cost_unknown"
    assert [len(cases) for cases in asked_in_batches(server)] == [2]


# Interruptions ----------------------------------------------------------------------------------------------------------


def started(bench, suite):
    command = [sys.executable, "-m", "evalkit", "run", str(suite), "--run-id", "r"]
    return subprocess.Popen(command, cwd=bench.root, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env={**os.environ})


def wait_for(condition, seconds=120.0):
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it never came to that"
        time.sleep(0.01)


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")
@pytest.mark.parametrize("name", ["SIGKILL", "SIGINT"])
def test_a_stopped_run_finds_its_batch_again_and_buys_nothing_twice(bench, server, name):
    server.held = True
    suite = batched(bench)
    process = started(bench, suite)
    try:
        wait_for(lambda: len(server.polls) >= 3)
        process.send_signal(getattr(signal, name))
        _, err = process.communicate(timeout=60)
    finally:
        process.kill()
        process.communicate()
    (open_batch,) = kept(bench)
    assert (open_batch["batch_id"], len(open_batch["keys"])) == ("batch_0", 6)
    if name == "SIGINT":
        assert process.returncode == 130
        assert b"batch batch_0 of 6 requests has not ended and stays with the provider; the same command goes on" in err
        left = RunFolder(bench.root / "runs" / "r")
        assert left.bought["stopped"] == "interrupted"
        assert (left.report["health"]["not_bought"], left.report["health"]["in_open_batches"]) == (6, 6)
        assert (
            "6 judge requests were submitted in batches that have brought no answer yet"
            in left.report["gating"]["reasons"]
        )
    (plan,) = bench.command("plan", suite, "--json").json
    assert (plan["to_buy"], plan.get("batches", 0), plan["already_open"]) == (0, 0, 6)
    assert plan["input_tokens"]["template"] == 0
    told = bench.command("plan", suite).out
    assert "0 verdicts to buy" in told
    assert "6 requests in batches that are open already: waited for, not bought again" in told
    assert "open batch: " in bench.command("cache", "info").out
    server.held = False
    ended, run = bench.run(suite)
    assert "is still open: it is waited for, not bought again" in ended.err
    assert (len(server.batches), bench.calls(), kept(bench)) == (1, [], [])
    assert (run.report["completeness"], run.bought["bought"]) == ("complete", 6)


def test_a_run_that_was_killed_before_it_knew_its_batch_finds_it_by_its_file(bench, server):
    suite = batched(bench)
    server.held = True
    bench.run(batched(bench, batch={"wait_s": 0.01}), status=3)
    (file,) = (bench.root / ".evalkit" / "cache" / "batches").glob("*.json")
    lost = json.loads(file.read_text("utf-8"))
    file.write_text(json.dumps({**lost, "batch_id": None}), encoding="utf-8")
    server.held = False
    bench.run(batched(bench))
    assert (len(server.batches), bench.calls(), kept(bench)) == (1, [], [])
    file.write_text(json.dumps({**lost, "batch_id": None, "file_id": "file-unknown"}), encoding="utf-8")
    bench.run(suite, "--samples", 2)
    assert len(server.batches) == 2


def test_a_batch_that_takes_too_long_stays_open_and_the_same_command_goes_on(bench, server):
    server.held = True
    ended, run = bench.run(batched(bench, batch={"wait_s": 0.01}), status=3)
    assert run.bought["stopped"] == "batch_open"
    reasons = " ".join(run.report["gating"]["reasons"])
    assert "had not ended in the time" in reasons
    assert "6 judge requests were submitted in batches that have brought no answer yet" in reasons
    assert "never asked" not in reasons
    assert "6 in open batches" in bench.command("show", "r").out
    assert "the same command goes on with it" in ended.err
    server.held = False
    _, run = bench.run(batched(bench))
    assert (run.report["completeness"], len(server.batches), bench.calls()) == ("complete", 1, [])


def test_a_run_about_some_of_an_open_batch_leaves_the_rest_of_it_open(bench, server):
    server.held = True
    bench.run(batched(bench, batch={"wait_s": 0.01}), status=3)
    server.held = False
    bench.run(batched(bench), "--case", "c00", "--case", "c01")
    (rest,) = kept(bench)
    assert len(rest["keys"]) == 4
    bench.run(batched(bench))
    assert (len(server.batches), bench.calls(), kept(bench)) == (1, [], [])


@pytest.mark.parametrize("command", ["run", "stability"])
def test_a_batch_whose_replies_are_all_stored_is_forgotten_though_a_killed_run_could_not_say_so(bench, server, command):
    suite = batched(bench, golden=2)
    arguments = ("stability", suite, "--runs", "2") if command == "stability" else ("run", suite, "--run-id", "r")
    server.held = True
    waiting = batched(bench, golden=2, batch={"wait_s": 0.01})
    bench.command(arguments[0], waiting, *arguments[2:])
    (file,) = (bench.root / ".evalkit" / "cache" / "batches").glob("*.json")
    as_submitted = file.read_bytes()
    server.held = False
    suite = batched(bench, golden=2)
    bench.command(*arguments)
    file.write_bytes(as_submitted)
    looks = len(server.polls)
    ended = bench.command(*arguments)
    assert (ended.status, kept(bench), len(server.polls), bench.calls()) == (0, [], looks, [])


def test_what_an_earlier_run_took_of_a_batch_goes_with_the_rest_of_it(bench, server):
    server.held = True
    bench.run(batched(bench, batch={"wait_s": 0.01}), status=3)
    (file,) = (bench.root / ".evalkit" / "cache" / "batches").glob("*.json")
    as_submitted = file.read_bytes()
    server.held = False
    bench.run(batched(bench), "--case", "c00", "--case", "c01")
    file.write_bytes(as_submitted)
    bench.run(batched(bench))
    assert (len(server.batches), bench.calls(), kept(bench)) == (1, [], [])


def test_a_batch_that_the_provider_has_forgotten_is_asked_one_by_one(bench, server):
    server.held = True
    bench.run(batched(bench, golden=2, batch={"wait_s": 0.01}), status=3)
    server.batches.clear()
    ended, _ = bench.run(batched(bench, golden=2))
    assert bench.calls() == ["c00", "c01"]
    assert "does not know it any more" in ended.err
    assert kept(bench) == []


def test_a_file_that_is_no_open_batch_is_named_and_left_alone(bench, server):
    folder = bench.root / ".evalkit" / "cache" / "batches"
    folder.mkdir(parents=True)
    (folder / "torn.json").write_text('{"schema_version": 1, "addr', encoding="utf-8")
    assert bench.command("plan", batched(bench, golden=2)).err.count("torn.json: is no open batch") == 1
    ended, _ = bench.run(batched(bench, golden=2))
    assert "torn.json: is no open batch that can be read" in ended.err
    assert (folder / "torn.json").exists()
    assert len(server.batches) == 1


def test_a_cache_that_takes_nothing_stops_no_batch_and_loses_no_verdict(bench, server):
    (bench.root / "nocache").write_text("a file in its place")
    ended, run = bench.run(batched(bench, golden=2), "--cache", bench.root / "nocache")
    assert (run.report["completeness"], run.bought["batched"]) == ("complete", 2)
    assert "its batches are bought again" in ended.err


def test_what_was_submitted_is_told_apart_from_what_was_never_asked(bench, server):
    server.held = True
    bench.run(batched(bench, golden=2, batch={"wait_s": 0.01}), status=3)
    prices = {"prices": PRICES, "batch": {"wait_s": 0.01}}
    _, run = bench.run(batched(bench, golden=5, **prices), "--max-cost", "0.000001", status=3)
    health = run.report["health"]
    assert (health["not_bought"], health["in_open_batches"], health["left_to_buy"]) == (5, 2, 3)
    assert "3 judge requests were never asked" in run.report["gating"]["reasons"]


def test_an_unanswered_request_counts_as_often_as_in_a_plan(bench):
    judge_use = {"judge": [{"rubric": "faithfulness"}], "cases": {"all": True}}
    suite = bench.suite(
        golden=3,
        suite={"capabilities": [{"name": "faithfulness", **judge_use}, {"name": "again", **judge_use}]},
        prices=PRICES,
    )
    (plan,) = bench.command("plan", suite, "--json").json
    _, run = bench.run(suite, "--max-cost", "0", status=3)
    assert (plan["to_buy"], run.report["health"]["left_to_buy"], run.report["health"]["not_bought"]) == (3, 3, 6)
    assert "6 judge requests were never asked (3 to buy, identical ones once)" in run.report["gating"]["reasons"]


# References, experiments, identity --------------------------------------------------------------------------------------


def test_references_are_split_in_a_batch_of_their_own_before_they_are_held_against(bench, server):
    golden = [
        {
            "id": name,
            "capabilities": ["faithfulness"],
            "input": f"{name}: What does it cost?",
            "expected": {"answer": f"Plan {name} costs 10 dollars a month and has 5 seats."},
        }
        for name in ids(3)
    ]
    outputs = [{"case_id": name, "text": f"Plan {name} costs 10 dollars a month."} for name in ids(3)]
    suite = {"capabilities": [{"name": "faithfulness", "judge": [{"rubric": "reference", "mode": "reference"}]}]}
    folder = batched(bench, golden=golden, outputs={"candidate": outputs}, suite=suite)
    (plan,) = bench.command("plan", folder, "--json").json
    assert plan["batches"] == 2
    _, run = bench.run(folder)
    assert bench.calls() == []
    assert asked_in_batches(server) == [["split"] * 3, ids(3)]
    assert run.row("R1")["n"] == 3


def test_an_experiment_buys_in_batches_too(bench, server):
    suite = batched(bench, golden=3)
    ended = bench.command("stability", suite, "--runs", "2", "--json")
    assert ended.status == 0, ended.err
    assert (len(server.batches), bench.calls()) == (1, [])


def test_how_a_verdict_is_bought_is_no_part_of_the_judges_configuration(bench):
    _, run = bench.run(batched(bench))
    settings = yaml.safe_load((bench.root / "wire" / "judge.yaml").read_text("utf-8"))
    del settings["batch"]
    (bench.root / "wire" / "judge.yaml").write_text(yaml.safe_dump(settings), encoding="utf-8")
    _, alone = bench.run(bench.root / "wire", run_id="alone")
    assert bench.calls() == []
    assert run.report["judges"] == alone.report["judges"]


def test_keys_stand_in_no_file_and_no_message(bench, server, monkeypatch):
    monkeypatch.setenv("BATCH_KEY", "sk-batch-0123456789abcdef")
    server.ends = ["failed"]
    ended, _ = bench.run(batched(bench, golden=2, api_key_env="BATCH_KEY"))
    texts = [ended.err, ended.out, *(p.read_text("utf-8", "replace") for p in bench.root.rglob("*") if p.is_file())]
    assert not any("0123456789abcdef" in text for text in texts)
