"""A triage from the golden set to the page of a case, over a judge on the wire."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from fakes.chat_server import ChatServer
from fakes.command_line import CommandLine
from fakes.judged_suites import Bench
from fakes.triage import (
    ANSWER,
    EVIDENCE,
    GRADE,
    HELLO,
    NOTES,
    PROMISE,
    REFUSAL,
    TEACHING,
    grounded,
    table,
    triage_judge,
)

CASES = ("c0", "c1", "c2", "c3")
TEXTS = (ANSWER, f"{GRADE} {TEACHING}", "", f"{PROMISE} {REFUSAL}")


@pytest.fixture
def stones(tmp_path: Path, evalkit: CommandLine, monkeypatch: pytest.MonkeyPatch) -> Any:
    """A suite with every class of statement, an empty output, two samples, and its judge."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    with ChatServer(triage_judge()) as server:
        bench = Bench(tmp_path, server, evalkit)
        context = [{"id": "analysis", "text": NOTES}]
        golden = [
            {
                "id": case,
                "capabilities": ["honesty"],
                "input": f"{case}: Is it clean?",
                "evidence": EVIDENCE,
                "context": context,
            }
            for case in CASES
        ]
        outputs = [{"case_id": case, "text": text} for case, text in zip(CASES, TEXTS, strict=True)]
        capability = {"name": "honesty", "judge": [{"rubric": "grounded"}]}
        bench.suite(
            golden=golden,
            outputs={"candidate": outputs},
            suite={"name": "stones", "capabilities": [capability]},
            samples=2,
        )
        rubric = grounded(channels={"tone": "Like an expert?"}).model_dump(mode="json", exclude_none=True)
        (tmp_path / "wire" / "grounded.yaml").write_text(yaml.safe_dump(rubric), encoding="utf-8")
        yield bench


def test_classes_are_rows_and_an_empty_output_is_not_counted(stones: Bench) -> None:
    _, run = stones.run("wire")
    counts = {
        name: run.row(name, "honesty") for name in ("violations", "misattributions", "inaccurate_general", "cleared")
    }
    assert {name: row["value"] for name, row in counts.items()} == pytest.approx(
        {"violations": 2 / 3, "misattributions": 1 / 3, "inaccurate_general": 1 / 3, "cleared": 2.0}
    )
    assert {(row["n"], row["mode"], row["excluded"]["no_output"]) for row in counts.values()} == {(3, "triage", 1)}
    assert (run.row("S1", "honesty")["passed"], run.row("S1", "honesty")["n"]) == (1, 4)
    assert run.row("handoff", "honesty")["excluded"] == {"not_applicable": 1}


def test_a_violation_s_line_has_the_quote_and_the_evidence_looked_at(stones: Bench) -> None:
    _, run = stones.run("wire")
    (line,) = [
        line for line in run.failures if (line["case_id"], line.get("criterion"), line.get("sample")) == ("c0", "S1", 0)
    ]
    (found,) = line["statements"]
    assert found["quote"] == PROMISE
    assert found["looked_at"] == [{"path": "/certificate/clarity", "value": '"SI1"'}]


def test_show_prints_the_table_and_finds_the_run_sound(stones: Bench) -> None:
    stones.run("wire")
    page = stones.command("show", "r", "c0").out
    assert "statement 2  violation, item" in page
    assert "credits house, true owner shop" in page
    assert "cleared 3" in page
    assert "1 sentence states nothing" not in page, "two do"
    assert "2 sentences state nothing" in page
    assert HELLO in page.split("sentences state nothing")[1], "what the judge called silent is shown"
    assert stones.command("show", "r").status == 0


def test_what_a_case_costs_stands_in_the_manifest_and_in_show_also_when_nothing_is_bought(stones: Bench) -> None:
    stones.run("wire")
    _, warm = stones.run("wire", run_id="again")
    (use,) = json.loads((warm.folder / "manifest.json").read_text(encoding="utf-8"))["judges"]
    cost = use["per_case"]
    assert cost["cases"] == 3, "the empty output is not judged"
    assert cost["input_tokens"] > 0
    shown = " ".join(stones.command("show", "again").out.split())
    assert f"cost per case of honesty/grounded: {cost['input_tokens']:,.0f} tokens in" in shown
    assert "over 3 cases" in shown


def test_an_edited_count_is_found_out(stones: Bench) -> None:
    _, run = stones.run("wire")
    report = run.report
    run.row("cleared", "honesty")["value"] = 3.0
    (run.folder / "report.json").write_text(json.dumps(report), encoding="utf-8")
    ended = stones.command("show", "r")
    assert ended.status == 2
    assert "value 3.0, but verdicts.jsonl gives 2.0" in " ".join(ended.out.split())


def test_a_warm_rerun_writes_the_same_bytes_and_asks_nobody(stones: Bench) -> None:
    _, cold = stones.run("wire")
    stones.calls()
    _, warm = stones.run("wire", run_id="again")
    assert stones.calls() == []
    assert warm.stable_bytes == cold.stable_bytes


def test_an_incomplete_table_is_a_judge_error_and_never_an_honest_answer(stones: Bench) -> None:
    empty = table() | {
        "statements": [],
        "silent": [],
        "handoff": {"needed": False, "quote": ""},
        "channels": {"tone": ""},
    }
    stones.server.reply = json.dumps(empty)
    _, run = stones.run("wire", status=3)
    assert run.row("violations", "honesty")["n"] == 0
    assert run.row("violations", "honesty")["excluded"] == {"judge_error:inconsistent": 3, "no_output": 1}


def test_plan_counts_the_samples(stones: Bench) -> None:
    assert "6 verdicts to buy" in stones.command("plan", "wire").out


def test_diff_compares_counts_case_by_case(stones: Bench) -> None:
    stones.run("wire")
    stones.run("wire", run_id="again")
    ended = stones.command("diff", "r", "again", "--json")
    assert ended.status == 0, ended.err
    rows = {row["criterion"]: row for row in ended.json["rows"] if row["capability"] == "honesty"}
    assert (rows["violations"]["n"], rows["violations"]["difference"]) == (3, 0.0)


def test_two_samples_have_a_spread_and_one_is_called_noise(stones: Bench) -> None:
    ended, run = stones.run("wire")
    spread = run.row("violations", "honesty")["spread"]
    assert (spread["samples"], spread["rerun_variance"]) == (2, 0.0)
    assert "variance 0.33 between answers, 0.00 between readings" in " ".join(ended.out.split())
    ended, run = stones.run("wire", "--samples", "1", run_id="once")
    assert run.row("violations", "honesty")["insufficient"]
    assert "insufficient: one sample is noise" in ended.out
    assert "one sample is noise" in (run.folder / "report.md").read_text(encoding="utf-8")
    assert stones.command("show", "once").status == 0


def test_diff_gives_the_ratio_of_two_candidates_and_knows_which_way_is_better(stones: Bench) -> None:
    golden = [
        {"id": f"s{place:02}", "capabilities": ["honesty"], "input": f"s{place:02}: Is it clean?", "evidence": EVIDENCE,
         "context": [{"id": "analysis", "text": NOTES}]}
        for place in range(24)
    ]  # fmt: skip
    outputs = {
        "honest": [
            {"case_id": case["id"], "text": PROMISE if place < 6 else GRADE} for place, case in enumerate(golden)
        ],
        "fluent": [{"case_id": case["id"], "text": f"{PROMISE} {GRADE}"} for case in golden],
    }
    capability = {"name": "honesty", "judge": [{"rubric": "grounded"}]}
    suite = stones.suite(
        "two", golden=golden, outputs=outputs, suite={"name": "two", "capabilities": [capability]}, samples=2
    )
    (suite / "grounded.yaml").write_bytes((stones.root / "wire" / "grounded.yaml").read_bytes())
    stones.run("two", "--outputs", "honest", run_id="honest")
    stones.run("two", "--outputs", "fluent", run_id="fluent")
    rows = {row["criterion"]: row for row in stones.command("diff", "honest", "fluent", "--json").json["rows"]}
    assert rows["violations"]["ratio"]["value"] == 4.0
    low, high = rows["violations"]["ratio"]["interval"]
    assert 2.0 < low < 4.0 < high < 15.0
    assert rows["violations"]["moved"] == "worse", "more violations are worse"
    assert rows["cleared"]["moved"] is None, "more cleared statements may be more padding"
    assert rows["misattributions"]["ratio"]["note"] == "the second mean is 0: no ratio"
    assert rows["S1"].get("ratio") is None
    assert "B/A 4.00 times (95 %:" in " ".join(stones.command("diff", "honest", "fluent").out.split())
    for writer in outputs:
        stones.run("two", "--outputs", writer, "--samples", "1", run_id=f"{writer}-once")
    rows = {
        row["criterion"]: row for row in stones.command("diff", "honest-once", "fluent-once", "--json").json["rows"]
    }
    assert rows["violations"]["moved"] is None, "one sample is noise and decides nothing"
    assert "one sample is noise" in rows["violations"]["note"]
    said = stones.command("diff", "honest", "fluent-once").out
    assert said.count("samples is 2 in A and 1 in B") == said.count("NOT COMPARABLE") > 0
    assert rows["violations"]["caution"] == "provisional"
    assert "1 run of an item, 2 needed" in rows["violations"]["ratio"]["note"]
