"""`evalkit stability SUITE`: repeats that never answer for each other, agreement per criterion, flips to the review queue."""

from __future__ import annotations

import json
import threading
from collections import Counter

import pytest
from fakes.judged_suites import ids, plan_case, right
from fakes.reading_judge import by_case, case_of, judge, verdict_on


def fickle(*names, after=1):
    """Judge right, but of these cases every further request wrong: F1 and F3 fail although the claims are as before."""
    seen, guard = Counter(), threading.Lock()

    def reply(body):
        name = case_of(body)
        with guard:
            seen[name] += 1
            turned = name in names and seen[name] > after
        if not turned:
            return judge(body)
        verdict = verdict_on(body)
        verdict["claims"][0] |= {"status": "unsupported", "evidence": []}
        for criterion in verdict["criteria"].values():
            criterion |= {"evidence": [], "grade": "fail"}
        verdict["criteria"]["F2"] |= {"grade": "pass", "rationale": "nothing is contradicted"}
        verdict["overall_pass"] = False
        return json.dumps(verdict)

    return reply


def all_right(bench, count, **fields):
    outputs = {"candidate": [right(name) for name in ids(count)]}
    return bench.suite(golden=[plan_case(name) for name in ids(count)], outputs=outputs, **fields)


def measured(bench, *arguments, status=0):
    ended = bench.command("stability", *arguments, "--json")
    assert ended.status == status, ended.out + ended.err
    return ended.json


def rows(found):
    return {row["criterion"]: row for row in found["experiment"]["agreement"]}


def queue(bench, found):
    text = (bench.root / found["review_queue"]).read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


def test_flips_are_counted_per_criterion_and_go_to_the_review_queue(bench):
    bench.server.reply = fickle("c01")
    found = measured(bench, all_right(bench, 4), "--runs", "3")
    row = rows(found)["F1"]
    assert (row["n"], row["equal"], row["flipped"], row["all_equal"]) == (4, {"pass": 3}, 1, 0.75)
    assert row["pairwise"] == pytest.approx((3 + 1 / 3) / 4)
    assert rows(found)["F2"]["flipped"] == 0
    lines = queue(bench, found)
    assert {(line["case_id"], line["criterion"]) for line in lines} == {
        ("c01", name) for name in ("F1", "F3", "overall")
    }
    assert lines[0]["counts"] == {"fail": 2, "pass": 1}
    assert set(lines[0]["rationales"]) == {"pass", "fail"}


def test_the_criterion_that_flips_most_stands_first_with_a_hint_to_rewrite_it(bench):
    bench.server.reply = fickle("c00", "c01", "c02")
    lines = queue(bench, measured(bench, all_right(bench, 4)))
    assert [line["flips_of_criterion"] for line in lines] == [3] * 9
    hinted = {line["criterion"]: line["hint"] for line in lines}
    assert "3 cases flip on F1" in hinted["F1"]
    assert hinted["overall"] == ""


def test_no_repeat_answers_for_another_and_a_second_time_nothing_is_bought(bench):
    suite = all_right(bench, 4)
    measured(bench, suite, "--runs", "3")
    assert Counter(bench.calls()) == dict.fromkeys(ids(4), 3)
    assert measured(bench, suite, "--runs", "3")["experiment"]["purchases"]["cached"] == 12
    assert bench.calls() == []


def test_the_runs_own_verdict_is_the_first_repeat_under_the_runs_own_configuration(bench):
    suite = all_right(bench, 4)
    _, run = bench.run(suite)
    before = run.stable_bytes
    bench.calls()
    found = measured(bench, suite, "--runs", "2")
    assert len(bench.calls()) == 4
    assert found["experiment"]["judges"][0]["judge_config_hash"] == run.report["judges"][0]["judge_config_hash"]
    assert found["experiment"]["judges"][0]["snapshots"] == run.report["judges"][0]["snapshots"]
    assert run.stable_bytes == before


def test_a_plan_says_what_is_then_bought_and_asks_nothing(bench):
    suite = all_right(bench, 4)
    bench.run(suite, "--limit", "2")
    bench.calls()
    (plan,) = bench.command("stability", suite, "--plan", "--json").json
    assert bench.calls() == []
    assert not (bench.root / "runs" / "experiments").exists()
    measured(bench, suite)
    assert len(bench.calls()) == plan["to_buy"] == 10
    assert "0 verdicts to buy" in bench.command("stability", suite, "--plan").out


def test_under_its_floor_a_capability_is_unstable_and_the_exit_status_says_so(bench):
    bench.server.reply = fickle("c01")
    suite = all_right(bench, 4, suite={"budgets": {"self_agreement": 0.9}})
    found = measured(bench, suite, status=3)
    assert found["experiment"]["unstable"] == ["faithfulness"]
    assert rows(found)["F1"]["state"] == "unstable"
    assert "UNSTABLE: faithfulness" in bench.command("stability", suite).out


def test_the_floor_takes_the_lower_bound_so_few_cases_that_all_agree_are_not_enough(bench):
    suite = all_right(bench, 4, suite={"budgets": {"self_agreement": 0.9}})
    assert rows(measured(bench, suite, status=3))["F1"]["pairwise"] == 1.0
    assert (
        rows(measured(bench, all_right(bench, 4, suite={"budgets": {"self_agreement": 0.3}})))["F1"]["state"]
        == "stable"
    )


def test_a_run_without_a_verdict_is_excluded_and_counts_as_a_flip_in_the_worst_case(bench):
    bench.server.reply = by_case({"c02": "no verdict"})
    row = rows(measured(bench, all_right(bench, 4)))["F1"]
    assert (row["n"], row["excluded"], row["worst_case"]) == (3, {"no_verdict_in_a_run": 1}, 0.75)


def test_buying_that_stops_leaves_an_incomplete_file_and_says_so(bench):
    suite = all_right(bench, 4, prices={"input": 2.5, "output": 10.0}, max_in_flight=1)
    found = measured(bench, suite, "--max-cost", "0.0000001", status=3)
    assert found["experiment"]["completeness"] == "incomplete"
    assert found["experiment"]["purchases"]["stopped"] == "max_cost"
    assert "INCOMPLETE: max_cost" in bench.command("stability", suite, "--max-cost", "0").out


def test_a_selection_makes_it_partial(bench):
    found = measured(bench, all_right(bench, 4), "--limit", "2")
    assert found["experiment"]["completeness"] == "partial"
    assert rows(found)["F1"]["items"] == 2


@pytest.mark.parametrize("arguments", [[], ["wire", "--verdicts", "v.jsonl"]], ids=["neither", "both"])
def test_a_suite_or_a_file_is_named(bench, arguments):
    ended = bench.command("stability", *arguments)
    assert ended.status == 2
    assert "name a SUITE" in ended.err
