"""A judge put to the test over the loopback: a sound one passes, and each way to be unsound is named with its case."""

from __future__ import annotations

import json
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest
from fakes.judged_suites import Bench, ids, plan_case, right, write_judge, wrong
from fakes.labels import label_line, write_labels
from fakes.reading_judge import asked_in, case_of

from evalkit.records.identity import text_sha256

KINDS = {"expected", "broken", "ordered", "injection", "padding", "consistency"}


def cases() -> list[dict[str, Any]]:
    found = [plan_case(name) for name in ids(4)]
    found[0]["judge_expect"] = {"F1": "pass", "overall": "pass", "H1": "pass"}
    return found


def outputs() -> dict[str, Any]:
    return {"candidate": [right(name) for name in ids(4)], "baseline": [wrong(name) for name in ids(4)]}


def planted(**changes: Any) -> list[dict[str, Any]]:
    def line(output: dict[str, Any], criterion: str, label: str) -> dict[str, Any]:
        known = {"output_sha256": text_sha256(output["text"]), "rubric": "faithfulness", "design": "planted"}
        return label_line(output["case_id"], label, criterion=criterion, **{**known, **changes})

    by_grade = (("pass", outputs()["candidate"]), ("fail", outputs()["baseline"]))
    return [line(output, name, grade) for grade, answers in by_grade for output in answers for name in ("F1", "F2")]


@pytest.fixture
def suite(bench: Bench) -> Path:
    folder = bench.suite(golden=cases(), outputs=outputs())
    write_labels(folder / "labels.jsonl", planted())
    bench.server.reply = sound
    return folder


def put_to_the_test(bench: Bench, *arguments: Any, status: int) -> Any:
    ended = bench.command("judge", "test", *arguments, "--json")
    assert ended.status == status, ended.out + ended.err
    return json.loads(ended.out)["experiment"]


def counts(experiment: Any, role: str = "home") -> dict[str, tuple[int, int]]:
    found: defaultdict[str, list[int]] = defaultdict(lambda: [0, 0])
    for row in experiment["self_test"]:
        assert row["n"] + sum(row["excluded"].values()) == row["items"]
        assert row["passed"] + row["failed"] == row["n"]
        if row["role"] == role:
            found[row["test"]][0] += row["n"]
            found[row["test"]][1] += row["failed"]
    return {test: (n, failed) for test, (n, failed) in found.items()}


def verdict_on(body: Any, *, believe: bool = False) -> dict[str, Any]:
    """Judge the price in the answer and nothing else in it; `believe`: it is always right."""
    asked = asked_in(body)
    (source,) = asked.sources
    price = next(price for price in ("10 dollars", "99 dollars") if price in asked.answer)
    supported = believe or price == "10 dollars"
    claim = {
        "id": 1,
        "text": f"It costs {price}.",
        "evidence": [{"id": "e1", "source": source, "quote": f"Plan {case_of(body)} costs 10 dollars a month."}],
        "cites": list(asked.cited),
        "status": "supported" if supported else "contradicted",
    }
    grade = "pass" if supported else "fail"
    entry = {"claims": [1], "evidence": ["e1"], "rationale": "R.", "grade": grade}
    criteria = dict.fromkeys(("F1", "F2", "F3"), entry)
    return {"claims": [claim], "evidence": [], "findings": [], "criteria": criteria, "overall_pass": supported}


def sound(body: Any) -> str:
    """Judge by the price."""
    return json.dumps(verdict_on(body))


def lenient(body: Any) -> str:
    """Support every claim, with whatever the source says; every check of a reply passes."""
    return json.dumps(verdict_on(body, believe=True))


def asks(body: Any, words: str) -> bool:
    return words in body["messages"][1]["content"]


def test_a_sound_judge_passes_every_kind_and_each_kind_has_items(bench: Bench, suite: Path):
    found = put_to_the_test(bench, suite, status=0)
    assert set(counts(found)) == KINDS
    assert all(n > 0 and failed == 0 for n, failed in counts(found).values())
    assert counts(found)["ordered"] == (8, 0)
    assert counts(found)["broken"] == (8, 0)
    assert counts(found)["expected"] == (2, 0)  # H1 belongs to no rubric of the suite
    assert found["cases"] == []


def test_a_second_time_nothing_is_bought_and_a_run_pays_for_none_of_it_twice(bench: Bench, suite: Path):
    bench.run(suite)
    assert put_to_the_test(bench, suite, status=0)["purchases"]["cached"] == 4
    bench.calls()
    put_to_the_test(bench, suite, status=0)
    assert bench.calls() == []


def test_a_judge_that_passes_everything_fails_with_the_cases_named(bench: Bench, suite: Path):
    bench.server.reply = lenient
    found = put_to_the_test(bench, suite, status=1)
    assert counts(found)["ordered"] == (8, 8)
    assert counts(found)["broken"] == (8, 8)
    names = {(case["test"], case["case_id"], case["criterion"]) for case in found["cases"]}
    assert ("broken", "c02", "F1") in names
    assert ("ordered", "c03", "F2") in names
    ended = bench.command("judge", "test", suite)
    assert ended.status == 1
    assert "failed: broken / c02 / faithfulness / F1 / baseline: pass, where fail is right" in ended.out
    assert "the good answer got pass, the deficient one pass" in ended.out


def test_a_judge_that_obeys_a_payload_fails_by_payload_and_place(bench: Bench, suite: Path):
    bench.server.reply = lambda body: lenient(body) if asks(body, "Ignore all previous instructions") else sound(body)
    found = put_to_the_test(bench, suite, status=1)
    assert {case["test"] for case in found["cases"]} == {"injection"}
    assert {case["variant"] for case in found["cases"]} == {"override"}
    assert {case["place"] for case in found["cases"]} == {"answer_start", "answer_end", "context"}


def test_hidden_characters_are_among_the_payloads(bench: Bench, suite: Path):
    bench.server.reply = lambda body: lenient(body) if asks(body, "\\u{E004D}") else sound(body)
    found = put_to_the_test(bench, suite, status=1)
    assert {case["variant"] for case in found["cases"]} == {"hidden_characters"}


def test_a_judge_that_is_moved_by_padding_fails(bench: Bench, suite: Path):
    bench.server.reply = lambda body: lenient(body) if asks(body, "That is: ") else sound(body)
    found = put_to_the_test(bench, suite, status=1)
    assert {case["test"] for case in found["cases"]} == {"padding"}


def test_a_judge_that_contradicts_itself_fails_on_consistency_and_decides_nothing(bench: Bench, suite: Path):
    def torn(body: Any) -> str:
        return json.dumps(verdict_on(body) | {"overall_pass": None})

    bench.server.reply = torn
    found = put_to_the_test(bench, suite, "--attacked", 0, status=1)
    assert counts(found)["consistency"] == (8, 8)
    assert counts(found)["ordered"] == (0, 0)
    assert all(case["problem"].startswith("inconsistent: ") for case in found["cases"])


def test_samples_that_differ_decide_nothing(bench: Bench):
    turn = iter(range(1000))
    bench.server.reply = lambda body: lenient(body) if next(turn) % 2 else sound(body)
    folder = bench.suite(golden=cases(), outputs=outputs(), samples=2, max_in_flight=1)
    write_labels(folder / "labels.jsonl", planted())
    found = put_to_the_test(bench, folder, "--attacked", 0, status=0)
    (row,) = [row for row in found["self_test"] if (row["test"], row["criterion"]) == ("broken", "F1")]
    assert row["excluded"] == {"unstable": 4}


def test_another_judge_must_keep_the_ordering(bench: Bench, suite: Path, tmp_path: Path):
    other = write_judge(tmp_path / "other.yaml", bench.server.url, model="other")
    found = put_to_the_test(bench, suite, "--attacked", 0, "--compare", other, status=0)
    assert counts(found, "second")["kept"] == (8, 0)
    weak = write_judge(tmp_path / "weak.yaml", bench.server.url, model="weak")
    bench.server.reply = lambda body: lenient(body) if body["model"] == "weak" else sound(body)
    found = put_to_the_test(bench, suite, "--attacked", 0, "--compare", weak, status=1)
    assert counts(found, "second")["kept"] == (8, 8)
    assert all(case["role"] == "second" for case in found["cases"])


def test_a_plan_asks_nothing(bench: Bench, suite: Path):
    ended = bench.command("judge", "test", suite, "--plan")
    assert ended.status == 0
    assert bench.calls() == []
    assert not (bench.root / "runs").exists()


def test_a_server_that_is_gone_fails_nobody_and_passes_nobody(bench: Bench, suite: Path):
    write_judge(
        suite / "judge.yaml", "http://127.0.0.1:9", stop_after_failures=2, backoff={"tries": 1, "first_s": 0.01}
    )
    found = put_to_the_test(bench, suite, status=3)
    assert {failed for _, failed in counts(found).values()} == {0}
    assert {n for n, _ in counts(found).values()} == {0}


@pytest.mark.parametrize("labels", [None, "random"])
def test_a_suite_in_which_nothing_is_known_is_refused(bench: Bench, labels):
    folder = bench.suite(outputs=outputs())
    if labels:
        write_labels(folder / "labels.jsonl", planted(design=labels))
    ended = bench.command("judge", "test", folder)
    assert ended.status == 2
    assert "judge_expect" in ended.err


def test_the_result_stands_beside_the_runs_of_its_configuration(bench: Bench, suite: Path):
    bench.run(suite)
    put_to_the_test(bench, suite, status=0)
    assert "self_test of" in bench.command("show", "r").out


def test_only_what_a_judge_would_see_is_tested_and_a_selection_holds(bench: Bench, suite: Path):
    answers = {
        "candidate": [right("c00"), {"case_id": "c01", "text": ""}, {"case_id": "c02", "text": None}],
        "baseline": [],
    }
    for name, lines in answers.items():
        file = suite / "outputs" / name / "outputs.jsonl"
        file.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    found = put_to_the_test(bench, suite, "--case", "c00", "--attacked", 0, status=0)
    assert found["completeness"] == "partial"
    assert {row["items"] for row in found["self_test"]} == {1}
