"""What makes a verdict's key: whatever the judge would see otherwise is asked again, whatever it would see the same is not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from fakes.chat_server import ChatServer
from fakes.judged_suites import SUITE, alternating, ids, plan_case, right, write_judge
from fakes.reading_judge import judge

pytestmark = pytest.mark.unmeasured
RUBRIC = Path(__file__).resolve().parents[2] / "rubrics" / "faithfulness.yaml"
CASES = 3


def suite_with(bench, *, golden=None, outputs=None, suite=None, rubric: str = "", **settings):
    """Write the suite anew with its own copy of a rubric; everything else as given."""
    folder = bench.suite(golden=golden or CASES, outputs=outputs, suite=suite, **settings)
    (folder / "rubrics").mkdir(exist_ok=True)
    text = RUBRIC.read_text(encoding="utf-8")
    (folder / "rubrics" / "faithfulness.yaml").write_text(rubric or text, encoding="utf-8")
    return folder


def cases(**fields):
    return [plan_case(name, **fields) for name in ids(CASES)]


def answers(**fields):
    return {"candidate": [line | fields for line in alternating(ids(CASES))]}


def rubric_text(old: str, new: str) -> str:
    text = RUBRIC.read_text(encoding="utf-8")
    assert old in text
    return text.replace(old, new, 1)


def other_context(text: str):
    return [
        {**case, "context": [{**case["context"][0], "text": case["context"][0]["text"] + text}]} for case in cases()
    ]


ASKS_AGAIN: dict[str, dict[str, Any]] = {
    "model": {"model": "another-judge"},
    "endpoint": {"endpoint": "another gateway"},
    "temperature": {"params": {"temperature": 0.5}},
    "no temperature": {"params": {"temperature": None}},
    "max_tokens": {"params": {"max_tokens": 2048}},
    "seed": {"params": {"seed": 1}},
    "a parameter of the provider": {"params": {"extra": {"top_p": 0.9}}},
    "whether the schema is sent": {"structured_output": False},
    "a rubric's question": {"rubric": rubric_text("Is every factual claim", "Is each factual claim")},
    "a rubric's pass condition": {"rubric": rubric_text("however\n      plausible", "even if\n      plausible")},
    "a rubric's example": {"rubric": rubric_text("Enterprise plans get 45 days", "Team plans get 45 days")},
    "a criterion's id": {"rubric": rubric_text("id: F3", "id: F4")},
    "whether a criterion is critical": {"rubric": rubric_text("critical: true", "critical: false")},
    "a grade's definition": {"rubric": rubric_text("claims_rule: all_supported\n", "partial: only some\n")},
    "the question": {"golden": [{**case, "input": case["input"] + " Exactly?"} for case in cases()]},
    "a context's text": {"golden": other_context(" Prices exclude tax.")},
    "a context's id": {
        "golden": [{**case, "context": [{**case["context"][0], "id": f"other/{case['id']}"}]} for case in cases()]
    },
    "another document": {
        "golden": [{**case, "context": [*case["context"], {"id": "x", "text": "More."}]} for case in cases()]
    },
    "evidence": {"golden": cases(evidence={"price": 10})},
    "the answer": {"outputs": {"candidate": [line | {"text": line["text"] + " "} for line in alternating(ids(CASES))]}},
    "the answer's unseen characters": {
        "outputs": {"candidate": [line | {"text": "\u200b" + line["text"]} for line in alternating(ids(CASES))]}
    },
    "the citations field": {"outputs": answers(citations=["plans/none"])},
}


@pytest.mark.parametrize("change", ASKS_AGAIN)
def test_what_the_judge_would_see_otherwise_is_asked_again(bench, change):
    bench.run(suite_with(bench))
    bench.calls()
    bench.run(suite_with(bench, **ASKS_AGAIN[change]), status=None)
    assert set(bench.calls()) == set(ids(CASES))


ASKS_NOTHING: dict[str, dict[str, Any]] = {
    "nothing": {},
    "calls in flight": {"max_in_flight": 1},
    "time-out": {"timeout_s": 5.0},
    "retries": {"backoff": {"tries": 1}},
    "rate": {"rate": {"rpm": 100000}},
    "prices": {"prices": {"input": 1.0, "output": 1.0}},
    "the judge's family": {"family": "some"},
    "the expected answer": {"golden": cases(expected={"answer": "10 dollars"})},
    "what the judge is expected to say": {"golden": cases(judge_expect={"F1": "pass"})},
    "tags and notes": {"golden": cases(tags=["adversarial"], meta={"cluster": "x"})},
    "order of the golden set": {"golden": cases()[::-1]},
    "order of the outputs": {"outputs": {"candidate": alternating(ids(CASES))[::-1]}},
    "names of cases": {
        "golden": [{**case, "id": f"renamed-{case['id']}"} for case in cases()],
        "outputs": {
            "candidate": [line | {"case_id": f"renamed-{line['case_id']}"} for line in alternating(ids(CASES))]
        },
    },
    "latency and usage of the candidate": {
        "outputs": answers(latency_ms=5, usage={"input_tokens": 1, "output_tokens": 1})
    },
    "attempt": {"outputs": answers(attempt=2)},
    "name of the candidate": {"outputs": {"somebody": alternating(ids(CASES))}},
    "name of the suite": {"suite": {**SUITE, "name": "renamed"}},
    "name of the capability": {
        "suite": {**SUITE, "capabilities": [{"name": "truth", "judge": [{"rubric": "faithfulness"}]}]},
        "golden": cases(capabilities=["truth"]),
    },
    "budgets": {"suite": {**SUITE, "budgets": {"judge_error": 0.5}}},
    "scorers beside the judge": {
        "suite": {
            **SUITE,
            "capabilities": [
                {"name": "faithfulness", "scorers": [{"scorer": "citations"}], "judge": [{"rubric": "faithfulness"}]}
            ],
        }
    },
    "comments and layout of the rubric": {"rubric": "# a comment\n\n" + RUBRIC.read_text(encoding="utf-8")},
    "the rubric's weights": {"rubric": rubric_text("critical: true\n", "critical: true\n    weight: 3\n")},
    "the floor's rule": {"rubric": RUBRIC.read_text(encoding="utf-8").replace("    floor: claims\n", "")},
}


@pytest.mark.parametrize("change", ASKS_NOTHING)
def test_what_the_judge_would_see_the_same_is_not_asked_again(bench, change):
    bench.run(suite_with(bench))
    bench.calls()
    for path in (bench.root / "wire" / "outputs").rglob("*"):
        if path.is_file():
            path.unlink()
    for path in (bench.root / "wire" / "outputs").iterdir():
        path.rmdir()
    bench.run(suite_with(bench, **ASKS_NOTHING[change]), run_id="again")
    assert bench.calls() == []


def test_an_address_that_moves_behind_a_named_endpoint_is_the_same_judge(bench):
    suite = bench.suite(endpoint="gateway")
    bench.run(suite)
    bench.calls()
    with ChatServer(judge) as elsewhere:
        write_judge(suite / "judge.yaml", elsewhere.url, endpoint="gateway")
        bench.run(suite)
        assert elsewhere.requests == []


def test_an_unnamed_address_is_another_judge(bench):
    suite = bench.suite()
    bench.run(suite)
    with ChatServer(judge) as elsewhere:
        write_judge(suite / "judge.yaml", elsewhere.url)
        bench.run(suite)
        assert len(elsewhere.requests) == 4


def test_more_samples_buy_only_the_new_ones(bench):
    suite = bench.suite()
    bench.run(suite)
    bench.calls()
    _, run = bench.run(suite, "--samples", "3")
    assert sorted(bench.calls()) == sorted(ids(4) * 2)
    assert run.bought["cache_hits"] == 4


def test_one_more_case_buys_one_more_verdict(bench):
    bench.run(bench.suite(golden=4))
    bench.calls()
    bench.run(bench.suite(golden=5))
    assert bench.calls() == ["c04"]


def test_the_parts_of_a_request_cannot_run_into_each_other(bench):
    """Moving a sentence from the question into a source, or from one source into the next, is another request."""
    one = {**plan_case("c00"), "context": [{"id": "a", "text": "x"}, {"id": "b", "text": "y"}]}
    two = {**one, "id": "c01", "context": [{"id": "a", "text": "xy"}, {"id": "b", "text": ""}]}
    three = {**one, "id": "c02", "context": [{"id": "a", "text": "x\n"}, {"id": "b", "text": "y"}]}
    outputs = {"candidate": [{**right("c00"), "case_id": f"c0{number}"} for number in range(3)]}
    _, run = bench.run(bench.suite(golden=[one, two, three], outputs=outputs))
    assert len(bench.calls()) == 3
    assert len({line["request_key"] for line in run.verdicts}) == 3


def test_a_suite_that_names_its_judge_file_elsewhere_asks_that_judge(bench):
    suite = bench.suite()
    write_judge(bench.root / "mine.yaml", bench.server.url, model="mine")
    _, run = bench.run(suite, "--judge", "mine.yaml")
    assert {received.body["model"] for received in bench.server.requests} == {"mine"}
    assert run.report["judges"][0]["judge"] == "mine"
    assert yaml.safe_load((suite / "judge.yaml").read_text(encoding="utf-8"))["model"] == "test-judge"
