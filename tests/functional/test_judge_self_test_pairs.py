"""A judge of pairs put to the test over the loopback: a golden answer against the same with one planted fault, and against itself."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from fakes.judged_suites import Bench, ids, plan_case, right
from fakes.pair_judge import answers_in, chooser, pair_reply
from fakes.reading_judge import judge

PAIRWISE = [{"name": "faithfulness", "judge": [{"rubric": "preference", "mode": "pairwise"}], "cases": {"all": True}}]
GOLDEN = "It costs 10 dollars a month."
FAULT = "It costs 99 dollars."


def written(bench: Bench, **fields: Any) -> Path:
    """Write a suite of three cases with golden answers and one planted fault each."""
    golden = [plan_case(name, expected={"answer": GOLDEN}) for name in ids(3)]
    planted = [right(name, text=f"{GOLDEN} {FAULT}") for name in ids(3)]
    folder = bench.suite(
        golden=golden, outputs={"candidate": [right(name) for name in ids(3)], "other": planted}, **fields
    )
    lines = [{"candidate": "other", "case_id": name, "kind": "contradiction", "where": FAULT} for name in ids(3)]
    lines += [lines[0], {"candidate": "other", "case_id": ids(3)[0], "kind": "missing_part"}]
    (folder / "faults.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return folder


@pytest.fixture
def suite(bench: Bench) -> Path:
    return written(bench, suite={"capabilities": PAIRWISE})


def put_to_the_test(bench: Bench, *arguments: Any, status: int) -> Any:
    ended = bench.command("judge", "test", *arguments, "--json")
    assert ended.status == status, ended.out + ended.err
    return ended.json["experiment"]


def row_of(experiment: Any, test: str) -> Any:
    (row,) = [row for row in experiment["self_test"] if row["test"] == test]
    return row


def faultless(first: str, second: str) -> Any:
    """Prefer the answer without the fault."""
    said = FAULT in first, FAULT in second
    return "tie" if said[0] == said[1] else "B" if said[0] else "A"


def test_a_sound_judge_of_pairs_passes_and_the_suites_own_rubric_is_reason_enough_to_ask(bench: Bench, suite: Path):
    bench.server.reply = chooser(faultless)
    found = put_to_the_test(bench, suite, status=0)
    pair, copy = row_of(found, "pair"), row_of(found, "copy")
    assert (pair["n"], pair["passed"], pair["criterion"], pair["rubric"]) == (3, 3, "overall", "preference")
    assert (copy["n"], copy["passed"]) == (3, 3)
    assert pair["interval"] == [pytest.approx(0.4385, abs=1e-4), 1.0]


def test_a_judge_that_likes_the_longer_answer_fails_every_pair_and_no_copy(bench: Bench, suite: Path):
    bench.server.reply = chooser(lambda a, b: "tie" if len(a) == len(b) else "A" if len(a) > len(b) else "B")
    found = put_to_the_test(bench, suite, status=1)
    assert (row_of(found, "pair")["failed"], row_of(found, "copy")["failed"]) == (3, 0)
    assert found["cases"][0]["problem"] == "the answer with the fault won in both orders"
    assert found["cases"][0]["variant"] == f"contradiction: {FAULT}"


def test_a_judge_that_likes_the_first_place_fails_copies_too(bench: Bench, suite: Path):
    bench.server.reply = chooser(lambda _a, _b: "A")
    found = put_to_the_test(bench, suite, status=1)
    assert (row_of(found, "pair")["failed"], row_of(found, "copy")["failed"]) == (3, 3)
    assert {case["problem"] for case in found["cases"]} == {
        "depends on the order: better when shown first",
        "of two equal answers the one shown first won",
    }


def test_a_judge_that_always_ties_fails_the_pairs(bench: Bench, suite: Path):
    bench.server.reply = chooser(lambda _a, _b: "tie")
    found = put_to_the_test(bench, suite, status=1)
    assert (row_of(found, "pair")["failed"], row_of(found, "copy")["failed"]) == (3, 0)
    assert "a tie in both orders" in bench.command("judge", "test", suite).out


def test_a_pair_without_a_verdict_is_excluded_and_counted(bench: Bench, suite: Path):
    def torn(body: Any) -> str:
        first, second = answers_in(body)
        return "I cannot say." if FAULT in second else pair_reply(body, faultless(first, second))

    bench.server.reply = torn
    found = put_to_the_test(bench, suite, status=0)
    pair = row_of(found, "pair")
    assert (pair["n"], pair["excluded"], pair["interval"]) == (0, {"judge_error:parse": 3}, None)


def test_a_suite_without_pairs_is_asked_by_preference_only_on_demand(bench: Bench):
    folder = written(bench)
    golden = folder / "golden.jsonl"
    lines = [json.loads(line) for line in golden.read_text(encoding="utf-8").splitlines()]
    lines[0]["judge_expect"] = {"F1": "pass"}
    golden.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    bench.server.reply = lambda body: (
        pair_reply(body, faultless(*answers_in(body))) if "ANSWER B" in body["messages"][1]["content"] else judge(body)
    )
    assert {row["test"] for row in put_to_the_test(bench, folder, "--attacked", "0", status=0)["self_test"]}.isdisjoint(
        {"pair", "copy"}
    )
    assert row_of(put_to_the_test(bench, folder, "--attacked", "0", "--pairs", status=0), "pair")["passed"] == 3


def test_pairs_that_are_asked_for_and_cannot_be_made_are_an_error_and_else_a_note(bench: Bench, suite: Path):
    (suite / "faults.jsonl").unlink()
    ended = bench.command("judge", "test", suite, "--pairs")
    assert ended.status == 2
    assert "no pair with a known winner" in ended.err
    assert "nothing is known about any answer" in bench.command("judge", "test", suite).err
    assert "nothing is known about any answer" in bench.command("judge", "test", suite, "--no-pairs").err


def test_a_suite_whose_only_judge_compares_candidates_can_be_compared(bench: Bench):
    outputs = {name: [right(one, text=text) for one in ids(3)] for name, text in (("good", GOLDEN), ("bad", FAULT))}
    golden = [plan_case(name) for name in ids(3)]
    folder = bench.suite(golden=golden, outputs=outputs, suite={"capabilities": PAIRWISE})
    bench.server.reply = chooser(faultless)
    ended = bench.command("compare", folder, "--outputs", "good", "--against", "bad", "--json")
    assert ended.status == 0, ended.err
    assert {row["wins"] for row in ended.json["comparison"]["rows"]} == {3}
    bias = bench.command("bias", "position", folder, "--outputs", "good", "--against", "bad", "--json")
    assert bias.json["experiment"]["position"][0]["consistent"] == 3
