"""Kinds of faults that users of evaluation harnesses reported, and that no test of a single room would notice."""

from __future__ import annotations

import json
import os
from typing import Any

import pytest
import yaml
from fakes.judged_suites import Bench, RunFolder, in_turn, plan_case, right, wrong
from fakes.reading_judge import by_case, judge
from fakes.small_suites import write_suite

COLUMN = """\
def length(case, output):
    return {"value": float(output["text"])}
"""


def code_suite(
    bench: Bench, scorers: list[Any], golden: list[dict[str, Any]], outputs: list[dict[str, Any]], **suite: Any
) -> Any:
    """Write a suite with one capability, `it`, that these scorers measure."""
    fields = {"schema_version": 1, "name": "code", "capabilities": [{"name": "it", "scorers": scorers}], **suite}
    cases = [{"capabilities": ["it"], "input": "Q?", **case} for case in golden]
    return write_suite(bench.root / "code", golden=cases, outputs={"candidate": outputs}, suite=yaml.safe_dump(fields))


def only_row(run: RunFolder) -> dict[str, Any]:
    (row,) = run.report["rows"]
    return row


# a scorer that cannot decide one case


def schema_cases(order: str) -> list[dict[str, Any]]:
    unusable = {"type": "objekt"}
    return [
        {"id": name, "expected": {"json_schema": unusable if name == "b" else {"type": "object"}}} for name in order
    ]


@pytest.mark.parametrize("order", ["abc", "bac", "cab"])
def test_a_case_that_its_scorer_cannot_decide_is_named_with_the_reason_and_harms_no_other(bench, order):
    suite = code_suite(
        bench, [{"scorer": "json_schema"}], schema_cases(order), [{"case_id": name, "text": "{}"} for name in "abc"]
    )
    ended, run = bench.run(suite)
    row = only_row(run)
    assert (row["n"], row["passed"], row["excluded"], row["total"]) == (2, 2, {"scorer_error": 1}, 3)
    (line,) = run.failures
    assert (line["kind"], line["case_id"], line["criterion"]) == ("scorer_error", "b", "json_schema")
    assert "objekt" in line["reason"]
    assert "b  scorer_error it/json_schema: expected.json_schema: not a usable JSON Schema" in ended.out
    assert "scorer error: expected.json" in (run.folder / "report.md").read_text(encoding="utf-8")
    assert bench.command("show", "r", "--failed").out.split() == ["b", "it/json_schema"]
    shown = bench.command("show", "r", "b")
    assert shown.status == 0
    assert "it/json_schema: scorer_error, neither a pass nor a fail (code)" in shown.out
    assert bench.command("show", "r").status == 0


def test_a_value_that_is_no_number_enters_no_mean_and_is_named(bench):
    (bench.root / "code").mkdir()
    (bench.root / "code/column.py").write_text(COLUMN, encoding="utf-8")
    texts = {"a": "0.9", "b": "nan", "c": "inf", "d": "0.7", "e": "many"}
    suite = code_suite(
        bench,
        [{"scorer": "column.py:length", "estimate": "mean"}],
        [{"id": name} for name in texts],
        [{"case_id": name, "text": text} for name, text in texts.items()],
        allow_custom_scorers=True,
    )
    _, run = bench.run(suite)
    row = only_row(run)
    assert (row["n"], row["value"], row["excluded"]) == (2, pytest.approx(0.8), {"scorer_error": 3})
    assert [(line["kind"], line["case_id"]) for line in run.failures] == [("scorer_error", name) for name in "bce"]
    assert "finite" in run.failures[0]["reason"]
    assert "could not convert" in run.failures[2]["reason"]


# settings that are zero, false or empty


@pytest.mark.parametrize(
    ("scorer", "passes"),
    [
        ({"scorer": "token_f1", "min": 0}, True),
        ({"scorer": "cost_limit", "max_usd": 0}, False),
        ({"scorer": "latency_limit", "max_ms": 0}, False),
        ({"scorer": "length_limit", "max": 0}, False),
        ({"scorer": "json_schema", "schema": False}, False),
        ({"scorer": "json_schema", "schema": True}, True),
        ({"scorer": "json_schema", "schema": {}}, True),
    ],
    ids=str,
)
def test_a_setting_that_is_zero_or_false_is_a_setting(bench, scorer, passes):
    golden = [{"id": "a", "expected": {"answer": "other words"}}]
    outputs = [{"case_id": "a", "text": '{"plan": 1}', "latency_ms": 1, "cost_usd": 0.0001}]
    _, run = bench.run(code_suite(bench, [scorer], golden, outputs))
    row = only_row(run)
    assert (row["n"], row["passed"]) == (1, int(passes))
    given = {name: value for name, value in scorer.items() if name != "scorer"}
    assert {name: row["signature"]["settings"][name] for name in given} == given


@pytest.mark.parametrize("schema", [None, 0, "", []], ids=repr)
def test_what_is_no_schema_stops_the_run_with_one_sentence(bench, schema):
    suite = code_suite(
        bench, [{"scorer": "json_schema", "schema": schema}], [{"id": "a"}], [{"case_id": "a", "text": "{}"}]
    )
    ended, run = bench.run(suite, status=2)
    assert len(ended.err.splitlines()) == 1
    assert "scorer json_schema, schema: " in ended.err
    assert not run.folder.exists()


# every outcome in one run


@pytest.fixture
def mixed(bench):
    """Run a suite in which every outcome occurs once, and two of them twice."""
    names = ("passes", "fails", "fails-too", "no-verdict", "silent", "null", "broken", "absent")
    golden = [plan_case(name) for name in names]
    outputs = [
        right("passes"),
        wrong("fails"),
        wrong("fails-too"),
        right("no-verdict"),
        {"case_id": "silent", "text": " \n"},
        {"case_id": "null", "text": None},
        {"case_id": "broken", "text": "half", "error": "HTTP 500"},
        {"case_id": "nobody", "text": "x"},
    ]
    bench.server.reply = by_case({"no-verdict": in_turn("I cannot say.", "Still not.")})
    return bench.run(bench.suite(golden=golden, outputs={"candidate": outputs}), status=3)


def test_every_denominator_can_be_worked_out_from_the_row(mixed):
    _, run = mixed
    row = run.row("overall")
    assert row["excluded"] == {"judge_error:parse": 1, "missing_output": 1, "null_text": 1, "output_error": 1}
    assert (row["n"], row["passed"], row["total"]) == (4, 1, 8)
    assert row["value"] == pytest.approx(1 / 4)
    assert row["bounds"] == pytest.approx([1 / 8, 5 / 8])
    counts = run.report["counts"]
    assert (counts["missing_outputs"], counts["null_texts"], counts["empty_texts"], counts["output_errors"]) == (
        1,
        1,
        1,
        1,
    )
    assert (counts["extra_outputs"], counts["extra_ids"]) == (1, ["nobody"])


def test_the_screen_says_the_same_as_the_file(mixed):
    ended, _ = mixed
    (shown,) = [line for line in ended.out.splitlines() if "faithfulness: overall" in line]
    assert "1 of 4" in shown
    assert "25.0 %" in shown
    for excluded in ("judge_error:parse 1", "missing_output 1", "null_text 1", "output_error 1"):
        assert excluded in shown


def test_what_was_not_scored_has_no_value_anywhere(mixed):
    _, run = mixed
    assert {line["case_id"] for line in run.failures if line["kind"] == "failed"} == {"fails", "fails-too", "silent"}
    (line,) = run.errors().values()
    assert [reply["raw_reply"] for reply in line["rejected"]] == ["I cannot say.", "Still not."]
    assert "value" not in line
    assert run.verdict_of("no-verdict")["verdict"] is None


# what an output says of itself


@pytest.mark.parametrize(
    "line",
    ['"latency_ms": NaN', '"latency_ms": -3', '"latency_ms": "12"', '"cost_usd": "0.01"', '"cost_usd": -1', '"x": 1'],
)
def test_a_figure_that_is_none_is_a_fault_of_its_line_before_anything_is_asked(bench, line):
    suite = bench.suite(golden=1)
    file = suite / "outputs/candidate/outputs.jsonl"
    file.write_text(f'{{"case_id": "c00", "text": "x", {line}}}\n', encoding="utf-8")
    ended, _ = bench.run(suite, status=2)
    assert "outputs.jsonl:1: " in ended.err
    assert bench.calls() == []


def test_an_unknown_figure_is_never_zero(bench):
    scorers = [{"scorer": "cost_limit", "max_usd": 0}, {"scorer": "latency_limit", "max_ms": 0}]
    suite = code_suite(bench, scorers, [{"id": "a"}], [{"case_id": "a", "text": "x", "cost_usd": None}])
    _, run = bench.run(suite, status=3)
    assert [row["excluded"] for row in run.report["rows"]] == [{"unknown_cost": 1}, {"unknown_latency": 1}]
    assert [row["value"] for row in run.report["rows"]] == [None, None]


# what a text of the material names


def test_a_path_in_a_text_is_a_text_and_no_file_is_read(bench):
    secret = bench.root / "secret.txt"
    secret.write_text("CONTENT OF THE FILE", encoding="utf-8")
    names = [f"file://{secret}", f"@{secret}", f"{{{{ include '{secret}' }}}}", os.path.relpath(secret, bench.root)]
    golden = [plan_case(f"c{number}") for number in range(len(names))]
    outputs = {"candidate": [{"case_id": f"c{number}", "text": name} for number, name in enumerate(names)]}
    bench.run(bench.suite(golden=golden, outputs=outputs))
    asked = [received.body["messages"][1]["content"] for received in bench.server.requests]
    assert all(any(name in prompt for prompt in asked) for name in names)
    assert "CONTENT OF THE FILE" not in json.dumps([received.body for received in bench.server.requests])


def test_a_policy_condition_that_cannot_be_decided_is_said_and_never_counted_as_kept(bench):
    suite = bench.suite(golden=2, suite={"policy": [{"scorer": "cost_limit", "max_usd": 1}]})
    bench.server.reply = judge
    ended, run = bench.run(suite, status=3)
    (condition,) = run.report["policy"]
    assert (condition["breaches"], condition["unknown"]) == (0, 2)
    assert "cost_limit could not be decided in 2 cases" in ended.out
