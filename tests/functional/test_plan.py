"""`evalkit plan` before, the server's count afterwards; and the cache as something to look at, check and take along."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest
from fakes.judged_suites import ids, plan_case, right
from fakes.reading_judge import asked_in, by_case

PRICES = {"input": 2.5, "output": 10.0}


def plan(bench, *arguments):
    (found,) = bench.command("plan", *arguments, "--json").json
    return found


def test_a_plan_asks_nothing_buys_nothing_and_writes_nothing(bench):
    suite = bench.suite(prices=PRICES)
    before = sorted(bench.root.rglob("*"))
    assert plan(bench, suite)["to_buy"] == 4
    assert bench.command("plan", suite).status == 0
    assert bench.calls() == []
    assert sorted(bench.root.rglob("*")) == before


@pytest.mark.parametrize(
    "arguments",
    [[], ["--limit", "2"], ["--case", "c01", "--case", "c03"], ["--samples", "3"], ["--samples", "2", "--limit", "1"]],
    ids=" ".join,
)
def test_what_a_plan_says_is_what_a_run_buys(bench, arguments):
    suite = bench.suite()
    planned = plan(bench, suite, *arguments)
    bench.run(suite, *arguments)
    assert planned["to_buy"] == len(bench.calls()) > 0
    again = plan(bench, suite, *arguments)
    assert (again["to_buy"], again["cost_usd"]) == (0, 0)
    assert again["rows"][0]["cached"] == planned["to_buy"]


def test_a_plan_knows_what_is_cached_shared_and_not_to_be_judged(bench):
    twice = [{"name": name, "judge": [{"rubric": "faithfulness"}]} for name in ("faithfulness", "again")]
    golden = [plan_case(name, capabilities=["faithfulness", "again"]) for name in ids(6)]
    outputs = [right("c00"), right("c01"), right("c02"), right("c03"), right("c04", text=None)]
    suite = bench.suite(golden=golden, outputs={"candidate": outputs}, suite={"capabilities": twice})
    bench.run(suite, "--limit", "2")
    bench.calls()
    planned = plan(bench, suite)
    rows = {row["capability"]: row for row in planned["rows"]}
    counts = [(rows[name]["cases"], rows[name]["cached"], rows[name]["shared"], rows[name]["to_buy"]) for name in rows]
    assert counts[0] == (4, 2, 0, 2)
    assert counts[1] == (4, 2, 2, 0)
    assert planned["to_buy"] == 2
    bench.run(suite)
    assert len(bench.calls()) == planned["to_buy"]


def test_tokens_by_component_add_up_to_the_prompts_that_are_sent(bench):
    suite = bench.suite()
    planned = plan(bench, suite)
    bench.run(suite)
    bodies = [received.body for received in bench.server.requests]
    sent = sum(len(message["content"]) for body in bodies for message in body["messages"])
    parts = planned["input_tokens"]
    assert set(parts) == {"template", "context", "candidate", "rubric"}
    assert sum(parts.values()) == pytest.approx(sent / 4, rel=0.01)
    assert parts["candidate"] == pytest.approx(sum(len(asked_in(body).answer) for body in bodies) / 4, abs=4)
    share = planned["input_share"]
    assert share == pytest.approx(sum(parts.values()) / (sum(parts.values()) + planned["output_tokens"]))


def test_the_usage_of_cached_verdicts_is_the_measure_for_the_rest(bench):
    suite = bench.suite(golden=10, prices=PRICES)
    bench.run(suite, "--limit", "5")
    planned = plan(bench, suite)
    assert "the usage of 5 cached verdicts" in planned["basis"]
    assert planned["output_tokens"] == 5 * 20
    assert sum(planned["input_tokens"].values()) == pytest.approx(5 * 100, rel=0.02)
    assert planned["cost_usd"] == pytest.approx(5 * (100 * 2.5e-6 + 20 * 10e-6), rel=0.02)
    _, run = bench.run(suite)
    assert run.bought["cost_usd"] == pytest.approx(planned["cost_usd"], rel=0.02)


def test_an_unknown_price_is_an_unknown_cost(bench):
    suite = bench.suite()
    assert plan(bench, suite)["cost_usd"] is None
    assert "cost unknown" in bench.command("plan", suite).out


def test_the_screen_names_input_share_components_and_levers(bench):
    suite = bench.suite(prices=PRICES)
    printed = bench.command("plan", suite).out
    assert "4 verdicts to buy, $" in printed
    assert "input is " in printed
    for word in ("template", "context", "candidate", "rubric"):
        assert word in printed
    for lever in ("judge only what needs it", "verdict cache", "shared prompt prefix"):
        assert lever in printed


def test_the_lever_of_the_cache_is_what_it_spares(bench):
    suite = bench.suite(golden=6)
    bench.run(suite, "--limit", "4")
    levers = {lever["name"]: lever for lever in plan(bench, suite)["levers"]}
    assert levers["verdict cache"]["requests"] == 4
    assert levers["verdict cache"]["tokens"] > 0


def test_calls_that_share_a_prefix_go_out_next_to_each_other(bench):
    """Several candidates' answers to one case share everything up to the answer; the plan says how much that is."""
    levers = {lever["name"]: lever for lever in plan(bench, bench.suite())["levers"]}
    assert levers["shared prompt prefix"]["tokens"] > 0


def test_a_plan_of_several_candidates_is_one_plan_each(bench):
    outputs = {"baseline": [right("c00")], "candidate": [right("c00"), right("c01")]}
    suite = bench.suite(golden=2, outputs=outputs)
    plans = bench.command("plan", suite, "--outputs", "baseline", "--outputs", "candidate", "--json").json
    assert [(found["outputs"], found["to_buy"]) for found in plans] == [("baseline", 1), ("candidate", 2)]


def test_a_plan_refuses_bad_input_as_a_run_does(bench):
    suite = bench.suite()
    with (suite / "golden.jsonl").open("a", encoding="utf-8") as file:
        file.write('{"id": "c00", "input": 1}\n')
    ended = bench.command("plan", suite)
    assert ended.status == 2
    assert "golden.jsonl:5" in ended.err


# The cache as a thing to take along -----------------------------------------------------------------------------------


def test_a_cache_is_exported_imported_and_answers_elsewhere(bench):
    suite = bench.suite()
    bench.run(suite, "--cache", "one")
    assert bench.command("cache", "export", "a.jsonl", "--cache", "one").status == 0
    assert "4 replies added" in bench.command("cache", "import", "a.jsonl", "--cache", "two").out
    assert bench.command("cache", "export", "b.jsonl", "--cache", "two").status == 0
    assert (bench.root / "a.jsonl").read_bytes() == (bench.root / "b.jsonl").read_bytes()
    assert "0 replies added, 4 were there already" in bench.command("cache", "import", "a.jsonl", "--cache", "two").out
    bench.calls()
    _, run = bench.run(suite, "--cache", "two")
    assert bench.calls() == []
    assert run.bought["cache_hits"] == 4


def test_an_import_takes_the_sound_lines_and_names_the_others(bench):
    suite = bench.suite()
    bench.run(suite, "--cache", "one")
    bench.command("cache", "export", "a.jsonl", "--cache", "one")
    lines = (bench.root / "a.jsonl").read_text(encoding="utf-8").splitlines()
    lines[1] = lines[1][:-20]
    lines[2] = lines[2].replace("costs 10 dollars", "costs 11 dollars")
    (bench.root / "a.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    ended = bench.command("cache", "import", "a.jsonl", "--cache", "two")
    assert ended.status == 2
    assert "2 replies added" in ended.out
    assert "a.jsonl:2" in ended.out + ended.err
    assert "a.jsonl:3" in ended.out + ended.err
    bench.calls()
    bench.run(suite, "--cache", "two")
    assert len(bench.calls()) == 2


def test_verify_names_a_damaged_reply_and_a_run_buys_exactly_that_again(bench):
    suite = bench.suite()
    _, run = bench.run(suite)
    assert bench.command("cache", "verify").status == 0
    key = run.verdict_of("c02")["request_key"]
    with closing(sqlite3.connect(bench.root / ".evalkit/cache/cache.db")) as connection, connection:
        connection.execute("UPDATE Cache SET value = replace(value, 'dollars', 'guilders') WHERE key = ?", (key,))
    ended = bench.command("cache", "verify")
    assert ended.status == 2
    assert key in ended.out
    bench.calls()
    bench.run(suite)
    assert bench.calls() == ["c02"]
    assert bench.command("cache", "verify").status == 0


def test_info_counts_what_was_bought(bench):
    bench.server.reply = by_case({"c03": "no verdict"})
    bench.run(bench.suite(), status=3)
    found = bench.command("cache", "info", "--json").json
    assert found["entries"] == 3
    assert found["size_bytes"] > 0
    assert found["problems"] == []


def test_how_many_labels_the_bars_of_a_suite_take(bench):
    suite = bench.suite(golden=4, suite={"trust": {"tpr": 0.8, "tnr": 0.7}})
    found = bench.command("plan", suite, "--labels", "--fail-share", "0.2", "--json").json
    assert [one["bar"] for one in found["bars"]] == [0.8, 0.7]
    assert found["bars"][0]["by_errors"]["3"] == 37
    assert [(one["capability"], one["cases"]) for one in found["comparisons"]] == [("faithfulness", 4)]
    ended = bench.command("plan", suite, "--labels")
    assert (ended.status, "true-fail rate of at least 70 %" in ended.out) == (0, True)
    assert bench.server.requests == []
    assert bench.command("plan", suite, "--labels", "--fail-share", "1.5").status == 2
