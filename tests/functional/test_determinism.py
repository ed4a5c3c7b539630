"""The same inputs give the same bytes, however replies arrive; a verdict belongs to the case whose prompt it answers."""

from __future__ import annotations

import asyncio
import json
import random

import pytest
from aiohttp import web
from fakes.chat_server import Body, completion, say
from fakes.judged_suites import alternating, ids, plan_case, right
from fakes.reading_judge import asked_in, by_case, case_of, judge, verdict_on

pytestmark = pytest.mark.unmeasured
CASES = 24


def out_of_order(seed: int, order: list[str]):
    """Reply right after a random wait, with a word of the prompt's own answer in the rationale; note who was answered when."""
    chance = random.Random(seed)

    async def behave(_: web.Request, body: Body) -> web.StreamResponse:
        await asyncio.sleep(chance.uniform(0, 0.05))
        order.append(case_of(body))
        value = verdict_on(body)
        for entry in value["criteria"].values():
            entry["rationale"] = f"token-{asked_in(body).answer.split()[1]}"
        return web.json_response(completion(json.dumps(value)))

    return behave


def test_five_runs_in_which_replies_overtake_each_other_give_the_same_bytes(bench):
    suite = bench.suite(golden=CASES, max_in_flight=8)
    bench.server.together = 8
    orders, stable = set(), []
    for seed in range(5):
        order: list[str] = []
        bench.server.reply = out_of_order(seed, order)
        _, run = bench.run(suite, "--cache", f"cache-{seed}", run_id=f"r{seed}")
        assert bench.server.most_in_flight == 8
        assert len(bench.calls()) == CASES
        orders.add(tuple(order))
        stable.append(run.stable_bytes)
    assert len(orders) == 5
    assert all(one == stable[0] for one in stable)


def test_each_case_gets_the_verdict_on_its_own_prompt(bench):
    bench.server.reply = out_of_order(7, [])
    _, run = bench.run(bench.suite(golden=CASES, max_in_flight=8))
    assert [line["case_id"] for line in run.verdicts] == ids(CASES)
    for line in run.verdicts:
        assert line["verdict"]["criteria"]["F1"]["rationale"] == f"token-{line['case_id']}"
        assert line["verdict"]["overall_pass"] is (int(line["case_id"][1:]) % 2 == 0)
    assert [line["reason"] for line in run.failures] == [f"token-{line['case_id']}" for line in run.failures]


def test_a_rejected_reply_between_others_changes_nothing_for_them(bench):
    suite = bench.suite(golden=6, max_in_flight=3)
    _, sound = bench.run(suite, "--cache", "one", run_id="one")
    bench.server.reply = by_case({"c02": "no verdict"})
    _, broken = bench.run(suite, "--cache", "two", run_id="two", status=3)
    for name in set(ids(6)) - {"c02"}:
        assert sound.verdict_of(name) == broken.verdict_of(name)


@pytest.mark.parametrize("what", ["golden", "outputs"])
def test_the_order_of_the_files_does_not_change_what_each_case_gets(bench, what):
    names = ids(9)
    golden, outputs = [plan_case(name) for name in names], alternating(names)
    _, straight = bench.run(
        bench.suite("straight", golden=golden, outputs={"candidate": outputs}), "--cache", "1", run_id="s"
    )
    if what == "golden":
        random.Random(3).shuffle(golden)
    else:
        random.Random(3).shuffle(outputs)
    _, shuffled = bench.run(
        bench.suite("shuffled", golden=golden, outputs={"candidate": outputs}), "--cache", "2", run_id="x"
    )
    assert [line["case_id"] for line in shuffled.verdicts] == [case["id"] for case in golden]
    for name in names:
        assert straight.verdict_of(name) == shuffled.verdict_of(name)
        assert [line for line in straight.failures if line["case_id"] == name] == [
            line for line in shuffled.failures if line["case_id"] == name
        ]
    assert straight.report["rows"] == shuffled.report["rows"]


def test_line_ends_byte_order_marks_and_blank_lines_change_no_result(bench):
    plain = bench.suite("plain", golden=5)
    odd = bench.suite("odd", golden=5)
    for file in (odd / "golden.jsonl", odd / "outputs" / "candidate" / "outputs.jsonl", odd / "suite.yaml"):
        text = file.read_text(encoding="utf-8")
        file.write_bytes(
            b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode() + (b"\r\n" if file.suffix == ".jsonl" else b"")
        )
    _, one = bench.run(plain, run_id="one")
    _, two = bench.run(odd, run_id="two")
    assert one.report["rows"] == two.report["rows"]
    assert one.verdicts == two.verdicts


def test_the_snapshots_that_answered_are_named_sorted_whoever_was_first(bench):
    async def answers(request: web.Request, body: Body) -> web.StreamResponse:
        number = int(case_of(body)[1:])
        await asyncio.sleep(0.03 * (4 - number))
        return await say(judge(body), model=f"snapshot-{number % 2}")(request, body)

    bench.server.reply = answers
    _, run = bench.run(bench.suite(golden=4), status=3)
    assert run.report["judges"][0]["snapshots"] == ["snapshot-0", "snapshot-1"]
    assert [line["purchase"]["model"] for line in run.verdicts] == ["snapshot-0", "snapshot-1"] * 2


def test_two_runs_started_at_once_without_an_id_stand_beside_each_other(bench):
    suite = bench.suite(golden=2, outputs={"candidate": [right("c00"), right("c01")]})
    first, second = (bench.command("run", suite, "--json").json["runs"][0]["run_id"] for _ in range(2))
    assert first != second
    assert {path.name for path in (bench.root / "runs").iterdir()} == {first, second}
