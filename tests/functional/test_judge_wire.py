"""A judged run from golden set to report, over real HTTP to a server on the loopback."""

from __future__ import annotations

import json

import pytest
from fakes.chat_server import MODEL, say
from fakes.command_line import modules_of
from fakes.judged_suites import FILES, SUITE, RunFolder, ids, plan_case, right, write_judge, wrong
from fakes.reading_judge import asked_in, by_case, judge, verdict_on

PRICES = {"input": 2.5, "output": 10.0}
CLIENTS = {"litellm", "openai", "aiohttp", "httpx", "tenacity", "diskcache"}


def test_a_judged_run_writes_what_the_judge_said(bench):
    ended, run = bench.spawn(bench.suite(prices=PRICES))
    assert sorted(bench.calls()) == ids(4)
    assert sorted(path.name for path in run.folder.iterdir()) == sorted(FILES)
    assert [(r["criterion"], r["passed"], r["n"], r["excluded"]) for r in run.report["rows"]] == [
        ("F1", 2, 4, {}),
        ("F2", 2, 4, {}),
        ("F3", 2, 4, {}),
        ("overall", 2, 4, {}),
    ]
    assert {row["trust"] for row in run.report["rows"]} == {"provisional"}
    assert (run.report["completeness"], run.report["gating"]["valid"]) == ("complete", True)
    assert run.report["judges"][0]["snapshots"] == [MODEL]
    assert (run.report["health"]["verdicts"], run.report["health"]["judge_errors"]) == (4, {})
    assert "valid for gating, but no row may gate: all are provisional" in ended.out


def test_the_server_gets_the_documented_request(bench):
    bench.spawn(bench.suite())
    (first, *_) = bench.server.requests
    assert first.path == "/v1/chat/completions"
    assert {"model", "messages", "temperature", "max_tokens", "response_format"} == set(first.body)
    assert (first.body["model"], first.body["temperature"]) == ("test-judge", 0.0)
    sent = first.body["response_format"]["json_schema"]
    assert sent["strict"] is True
    assert sent["schema"] == asked_in(first.body).schema
    assert [message["role"] for message in first.body["messages"]] == ["system", "user"]


def test_every_verdict_names_its_spans_by_offsets_that_cut_them_out(bench):
    _, run = bench.run(bench.suite())
    assert [line["case_id"] for line in run.verdicts] == ids(4)
    for line in run.verdicts:
        source = plan_case(line["case_id"])["context"][0]["text"]
        (claim,) = line["verdict"]["claims"]
        (span,) = claim["evidence"]
        assert source[span["start"] : span["end"]] == span["quote"]
        assert line["purchase"] == {
            "tries": 1,
            "transport_retries": 0,
            "model": MODEL,
            "input_tokens": 100,
            "output_tokens": 20,
            "cached_tokens": None,
        }


def test_a_failure_line_says_enough_to_fix_it(bench):
    _, run = bench.run(bench.suite())
    lines = [line for line in run.failures if line["criterion"] == "F2"]
    assert [line["case_id"] for line in lines] == ["c01", "c03"]
    line = lines[0]
    (claim,) = line["claims"]
    assert (line["kind"], line["grade"], claim["status"]) == ("failed", "fail", "contradicted")
    assert claim["evidence"][0]["quote"] == "Plan c01 costs 10 dollars a month."
    assert line["output"] == wrong("c01")["text"]
    assert line["input"].startswith("c01: ")
    assert line["pass_condition"]


def test_the_manifest_counts_tokens_and_cost(bench):
    _, run = bench.run(bench.suite(prices=PRICES))
    bought = run.bought
    assert (bought["calls"], bought["bought"], bought["failed"], bought["cache_hits"]) == (4, 4, 0, 0)
    assert (bought["input_tokens"], bought["output_tokens"], bought["unknown_usage"]) == (400, 80, 0)
    assert bought["cost_usd"] == pytest.approx(400 * 2.5e-6 + 80 * 10e-6)
    assert run.manifest["judges"][0]["structured_output_sent"] is True
    assert bought["latency_ms"]["p50"] > 0


def test_an_unknown_price_is_unknown_and_never_nothing(bench):
    ended, run = bench.run(bench.suite())
    assert run.bought["cost_usd"] is None
    assert "cost unknown" in ended.out
    assert "$0" not in ended.out


def test_unknown_usage_is_counted_and_makes_the_cost_a_lower_bound(bench):
    bench.server.reply = by_case({"c01": lambda body: say(judge(body), usage={})})
    ended, run = bench.run(bench.suite(prices=PRICES))
    assert (run.bought["calls"], run.bought["unknown_usage"], run.bought["input_tokens"]) == (4, 1, 300)
    assert run.bought["cost_usd"] == pytest.approx(300 * 2.5e-6 + 60 * 10e-6)
    assert "at least" in ended.out or "lower bound" in ended.out


def test_a_warm_rerun_buys_nothing_and_gives_the_same_bytes(bench):
    suite = bench.suite(prices=PRICES)
    _, cold = bench.run(suite, run_id="cold")
    bench.calls()
    _, warm = bench.run(suite, run_id="warm")
    assert bench.calls() == []
    assert cold.stable_bytes == warm.stable_bytes
    assert (warm.bought["calls"], warm.bought["bought"], warm.bought["cache_hits"]) == (0, 0, 4)
    assert (warm.bought["saved_input_tokens"], warm.bought["saved_output_tokens"]) == (400, 80)
    assert warm.bought["saved_cost_usd"] == pytest.approx(400 * 2.5e-6 + 80 * 10e-6)
    assert warm.bought["cost_usd"] == 0


def test_an_emptied_cache_buys_the_same_bytes_again(bench):
    suite = bench.suite()
    _, one = bench.run(suite, "--cache", "one", run_id="one")
    _, two = bench.run(suite, "--cache", "two", run_id="two")
    assert len(bench.calls()) == 8
    assert one.stable_bytes == two.stable_bytes


def test_a_verdict_retry_leaves_the_same_bytes_in_a_warm_rerun(bench):
    bench.server.reply = by_case(
        {"c02": lambda body: judge(body) if len(body["messages"]) > 2 else "I think it is fine."}
    )
    suite = bench.suite()
    _, cold = bench.run(suite, run_id="cold")
    _, warm = bench.run(suite, run_id="warm")
    assert bench.calls().count("c02") == 2
    assert cold.stable_bytes == warm.stable_bytes
    assert cold.report["health"]["verdict_retries"] == warm.report["health"]["verdict_retries"] == 1
    assert cold.report["health"]["first_try_valid"] == pytest.approx(3 / 4)


@pytest.mark.parametrize("client", ["openai", "litellm"])
def test_a_warm_rerun_imports_no_client(bench, client):
    suite = bench.suite()
    bench.run(suite)
    if client == "litellm":  # which client carried a request is no part of a verdict's identity
        write_judge(suite / "judge.yaml", bench.server.url, client="litellm")
    bench.calls()
    loaded, ended = modules_of("run", suite, "--run-id", "warm", cwd=bench.root)
    assert ended.status == 0, ended.err
    assert bench.calls() == []
    assert RunFolder(bench.root / "runs" / "warm").bought["cache_hits"] == 4
    assert loaded & CLIENTS == set()
    assert "evalkit.pipeline.run" in loaded


@pytest.mark.slow
@pytest.mark.unmeasured
def test_litellm_carries_the_same_request_and_its_verdicts_are_anybodys(bench):
    suite = bench.suite(client="litellm", model="openai/test-judge", prices=PRICES)
    _, cold = bench.spawn(suite, run_id="cold")
    requests = list(bench.server.requests)
    assert sorted(bench.calls()) == ids(4)
    assert {request.path for request in requests} == {"/v1/chat/completions"}
    assert {request.body["model"] for request in requests} == {"test-judge"}
    assert requests[0].body["response_format"]["json_schema"]["schema"] == asked_in(requests[0].body).schema
    assert (cold.bought["calls"], cold.bought["input_tokens"]) == (4, 400)
    assert cold.bought["cost_usd"] == pytest.approx(400 * 2.5e-6 + 80 * 10e-6)
    assert cold.row("F1")["passed"] == 2
    write_judge(suite / "judge.yaml", bench.server.url, model="openai/test-judge", prices=PRICES)
    _, warm = bench.run(suite, run_id="warm")
    assert bench.calls() == []
    assert cold.stable_bytes == warm.stable_bytes


def test_no_more_calls_are_in_flight_than_allowed_and_as_many_as_that(bench):
    bench.server.together = 6
    bench.run(bench.suite(golden=24, max_in_flight=6))
    assert bench.server.most_in_flight == 6


def test_identical_requests_are_bought_once(bench):
    twice = [{"name": name, "judge": [{"rubric": "faithfulness"}]} for name in ("faithfulness", "again")]
    golden = [plan_case(name, capabilities=["faithfulness", "again"]) for name in ids(3)]
    suite = bench.suite(golden=golden, suite={"capabilities": twice})
    _, run = bench.run(suite)
    assert sorted(bench.calls()) == ids(3)
    assert (run.bought["bought"], run.bought["shared"], len(run.verdicts)) == (3, 3, 6)
    assert run.row("F1", "again")["passed"] == run.row("F1")["passed"] == 2


def test_two_cases_with_one_answer_do_not_share_a_verdict(bench):
    golden = [plan_case("c00"), {**plan_case("c01"), "context": plan_case("c00")["context"]}]
    outputs = {"candidate": [right("c00"), {**right("c00"), "case_id": "c01"}]}
    _, run = bench.run(bench.suite(golden=golden, outputs=outputs))
    assert sorted(bench.calls()) == ids(2)
    assert run.bought["shared"] == 0


def test_answers_without_claims_or_citations_are_not_applicable_and_neither_pass_nor_fail(bench):
    outputs = [
        right("c00", text="Ok"),
        right("c01", text="Plan c01 has 5 seats."),
        right("c02"),
    ]
    suite = bench.suite(golden=3, outputs={"candidate": outputs})
    _, run = bench.run(suite)
    rows = {row["criterion"]: (row["passed"], row["n"], row["excluded"], row["total"]) for row in run.report["rows"]}
    assert rows == {
        "F1": (2, 2, {"not_applicable": 1}, 3),
        "F2": (2, 2, {"not_applicable": 1}, 3),
        "F3": (1, 1, {"not_applicable": 2}, 3),
        "overall": (2, 2, {"not_applicable": 1}, 3),
    }


def test_samples_are_bought_apart_and_a_flip_is_unstable(bench):
    seen: dict[str, int] = {}

    def flipping(body):
        seen["c01"] = seen.get("c01", 0) + 1
        if seen["c01"] != 2:
            return judge(body)
        value = verdict_on(body)
        value["claims"][0] |= {"status": "unsupported"}
        value["criteria"]["F2"]["grade"] = "pass"
        return json.dumps(value)

    bench.server.reply = by_case({"c01": flipping})
    _, run = bench.run(bench.suite(golden=2), "--samples", "3", status=None)
    assert sorted(bench.calls()) == ["c00"] * 3 + ["c01"] * 3
    assert [line["sample"] for line in run.verdicts] == [0, 1, 2, 0, 1, 2]
    assert run.row("F2")["excluded"] == {"unstable": 1}
    assert run.row("F1")["excluded"] == {}
    low, high = run.row("F2")["bounds"]
    assert (low, high) == (0.5, 1.0)


def test_shipped_rubrics_without_claims_are_judged_too(bench):
    names = ("helpfulness", "instruction_following")
    capabilities = [{"name": name, "judge": [{"rubric": name}]} for name in names]
    golden = [plan_case(name, capabilities=list(names)) for name in ids(2)]
    _, run = bench.run(bench.suite(golden=golden, suite={**SUITE, "capabilities": capabilities}))
    assert len(bench.calls()) == 4
    assert run.row("overall", "helpfulness")["passed"] == 2
    assert {tuple(line["verdict"]["channels"]) for line in run.verdicts} == {("tone",), ()}


def test_missing_null_and_empty_outputs_are_never_asked_about(bench):
    outputs = [right("c00"), right("c01", text=None), right("c02", text=" "), right("c03", error="timeout")]
    _, run = bench.run(bench.suite(golden=5, outputs={"candidate": outputs}))
    assert bench.calls() == ["c00"]
    row = run.row("F1")
    assert (row["n"], row["passed"]) == (2, 1)
    assert row["excluded"] == {"missing_output": 1, "null_text": 1, "output_error": 1}
    assert {line["reason"] for line in run.failures} == {"no_output"}
