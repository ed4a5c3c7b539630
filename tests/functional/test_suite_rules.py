"""What a suite may not say, and what it must be told about: names of scorers, policy without a rule, cases that nothing measures."""

from __future__ import annotations

import json

import pytest
from fakes.small_suites import SUITE, case, right, write_suite, wrong


def rows(folder, name="r"):
    return json.loads((folder / "runs" / name / "report.json").read_text(encoding="utf-8"))["rows"]


TWICE = """\
name: shop
capabilities:
  - name: short_answer
    scorers:
      - {scorer: contains, %sany: ["30 days"]}
      - {scorer: contains, %snone: ["45"]}
"""


def test_one_scorer_used_twice_needs_names_and_its_rows_bear_them(tmp_path, evalkit):
    write_suite(tmp_path / "s", suite=TWICE % ("", ""))
    refused = evalkit("run", tmp_path / "s", "--out", tmp_path / "runs")
    assert refused.status == 2
    assert "name" in refused.err
    write_suite(tmp_path / "s", suite=TWICE % ("name: window, ", "name: no_weeks, "))
    assert evalkit("run", tmp_path / "s", "--out", tmp_path / "runs", "--run-id", "r").status == 0
    found = {row["scorer"]: (row["n"], row["passed"]) for row in rows(tmp_path)}
    assert found == {"window": (2, 1), "no_weeks": (2, 1)}
    lines = (tmp_path / "runs" / "r" / "failures.jsonl").read_text(encoding="utf-8").splitlines()
    assert sorted(json.loads(line)["scorer"] for line in lines) == ["no_weeks", "window"]


@pytest.mark.parametrize("command", ["check", "run"])
def test_a_policy_condition_that_nothing_could_break_is_refused(tmp_path, evalkit, command):
    write_suite(tmp_path / "s", suite=SUITE + "policy:\n  - {scorer: token_f1}\n")
    arguments = ["--out", tmp_path / "runs"] if command == "run" else []
    ended = evalkit(command, tmp_path / "s", *arguments)
    assert ended.status == 2
    assert "no pass rule" in ended.out + ended.err
    write_suite(tmp_path / "s", suite=SUITE + "policy:\n  - {scorer: token_f1, min: 0.0}\n")
    assert evalkit(command, tmp_path / "s", *arguments).status == 0


def test_cases_that_nothing_measures_are_said(tmp_path, evalkit):
    golden = [case("c1"), case("c2", capabilities=[]), case("c3", capabilities=["faithfulnes"])]
    write_suite(tmp_path / "s", golden=golden, outputs={"candidate": [right(name) for name in ("c1", "c2", "c3")]})
    checked = evalkit("check", tmp_path / "s")
    assert checked.status == 0
    assert "1 cases name no capability" in checked.out
    assert "faithfulness" in checked.out.split("faithfulnes'")[1]
    assert evalkit("run", tmp_path / "s", "--out", tmp_path / "runs", "--run-id", "r").status == 0
    notes = json.loads((tmp_path / "runs" / "r" / "manifest.json").read_text(encoding="utf-8"))["notes"]
    assert any("2 cases belong to no capability" in note for note in notes)
    assert any("'faithfulnes', named by 1 cases" in note for note in notes)


def test_two_outputs_of_one_name_are_refused_before_anything_is_scored(tmp_path, evalkit):
    write_suite(tmp_path / "s")
    write_suite(tmp_path / "t", outputs={"candidate": [wrong("c1"), wrong("c2")]})
    both = ["--outputs", tmp_path / "s/outputs/candidate", "--outputs", tmp_path / "t/outputs/candidate"]
    ended = evalkit("run", tmp_path / "s", *both, "--out", tmp_path / "runs")
    assert ended.status == 2
    assert "'candidate'" in ended.err
    assert not (tmp_path / "runs").exists()


def test_an_empty_text_beside_a_tool_call_is_no_empty_answer(tmp_path, evalkit):
    suite = "name: t\ncapabilities:\n  - name: tool_use\n    scorers: [{scorer: tool_calls}]\n"
    golden = [case(name, capabilities=["tool_use"], expected={"tool_calls": [{"name": "f"}]}) for name in ("c1", "c2")]
    called = {"case_id": "c1", "text": "", "tool_calls": [{"name": "f", "arguments": {}}]}
    write_suite(
        tmp_path / "s", golden=golden, outputs={"candidate": [called, {"case_id": "c2", "text": " "}]}, suite=suite
    )
    evalkit("run", tmp_path / "s", "--out", tmp_path / "runs", "--run-id", "r")
    report = json.loads((tmp_path / "runs" / "r" / "report.json").read_text(encoding="utf-8"))
    assert report["counts"]["empty_texts"] == 1


def test_a_run_says_that_its_suite_sets_gates(tmp_path, evalkit):
    gate = "gates:\n  - {capability: short_answer, criterion: exact_match, min: 0.99}\n"
    write_suite(tmp_path / "s", suite=SUITE + gate)
    evalkit("run", tmp_path / "s", "--out", tmp_path / "runs", "--run-id", "r")
    notes = json.loads((tmp_path / "runs" / "r" / "manifest.json").read_text(encoding="utf-8"))["notes"]
    assert any("sets 1 gate: `evalkit gate RUN`" in note for note in notes)
