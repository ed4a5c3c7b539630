"""faults.jsonl: `evalkit check` reads it against golden set and outputs, and a self-test counts the lines that it cannot use."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from fakes.judged_suites import Bench, ids, plan_case, right
from fakes.pair_judge import chooser

PAIRWISE = [{"name": "faithfulness", "judge": [{"rubric": "preference", "mode": "pairwise"}], "cases": {"all": True}}]
FAULT = "It costs 99 dollars."
CALL = {"name": "lookup", "arguments": '{"plan": ["c00", "c01"'}


def fault(case_id: str = "c00", where: str = FAULT, **fields: Any) -> dict[str, Any]:
    return {"candidate": "candidate", "case_id": case_id, "kind": "contradiction", "where": where, **fields}


def written(bench: Bench, *lines: Any) -> Path:
    golden = [plan_case(name, expected={"answer": "It costs 10 dollars a month."}) for name in ids(2)]
    golden.append(plan_case("c02"))
    outputs = [right(name, text=f"It is a plan. {FAULT}", tool_calls=[CALL]) for name in (*ids(2), "c02")]
    folder = bench.suite(golden=golden, outputs={"candidate": outputs}, suite={"capabilities": PAIRWISE})
    texts = [line if isinstance(line, str) else json.dumps(line) for line in lines]
    (folder / "faults.jsonl").write_text("\n".join(texts) + "\n", encoding="utf-8")
    return folder


def test_lines_that_hold_are_counted(bench: Bench):
    missing = {"candidate": "candidate", "case_id": "c00", "kind": "missing_part", "note": "no price"}
    called = fault(where='"plan": ["c00", "c01"', kind="broken_tool_call")
    ended = bench.command("check", written(bench, fault(), missing, called, {**missing, "note": "no seats"}), "--json")
    assert ended.status == 0, ended.out
    assert ended.json["summary"]["planted faults"] == 4


@pytest.mark.parametrize(
    ("line", "field", "problem"),
    [
        (fault("c99"), "case_id", "no case 'c99' in the golden set"),
        (fault(candidate="../../etc"), "candidate", "the suite has no outputs/../../etc"),
        (fault(candidate="candidat"), "candidate", "the suite has no outputs/candidat"),
        (fault(where="It costs 98 dollars."), "where", "does not stand in that output"),
        (fault(), None, "says the same as line 1"),
        ('{"candidate": "candidate", "case_id": "c00"}', "kind", "is missing"),
        ('{"candidate": "candidate", "case_id"', None, ""),
    ],
    ids=["case", "a path for a candidate", "candidate", "words", "twice", "a field", "torn"],
)
def test_what_a_line_claims_of_no_output_is_a_fault_with_its_line(bench: Bench, line: Any, field: Any, problem: str):
    ended = bench.command("check", written(bench, fault(), line), "--json")
    assert ended.status == 2
    (found,) = ended.json["faults"]
    assert (found["file"].rpartition("/")[2], found["line"]) == ("faults.jsonl", 2)
    assert field is None or found["field"] == field
    assert problem in found["problem"]


def test_every_fault_is_named_at_once_those_of_form_and_those_of_what_is_claimed(bench: Bench):
    hostile = fault(candidate="\x1b[31m", where="z" * 5000)
    ended = bench.command("check", written(bench, fault("c99"), "null", hostile, fault(where="  ")))
    assert ended.status == 2
    assert [f"faults.jsonl:{line}" in ended.out for line in (1, 2, 3, 4)] == [True, True, True, False]
    assert "\x1b" not in ended.out


def test_a_case_without_an_output_is_a_fault(bench: Bench):
    folder = written(bench, fault("c02"))
    outputs = folder / "outputs" / "candidate" / "outputs.jsonl"
    outputs.write_text("".join(outputs.read_text("utf-8").splitlines(keepends=True)[:2]), encoding="utf-8")
    (found,) = bench.command("check", folder, "--json").json["faults"]
    assert found["problem"] == "'candidate' has no output for 'c02'"


def test_of_outputs_that_cannot_be_read_only_their_own_fault_is_named(bench: Bench):
    folder = written(bench, fault())
    (folder / "outputs" / "candidate" / "outputs.jsonl").write_text("{\n", encoding="utf-8")
    (found,) = bench.command("check", folder, "--json").json["faults"]
    assert found["file"].endswith("outputs.jsonl")


def test_a_self_test_makes_pairs_of_words_that_stand_in_an_answer_and_counts_the_other_lines(bench: Bench):
    folder = written(
        bench,
        fault(),
        fault(kind="invented_number"),
        fault("c01", where=" "),
        fault("c01", where="It costs 98 dollars."),
        fault("c01", where='"plan": ["c00"'),
        fault("c01", candidate="../../etc"),
        fault("c02"),
        fault("c99", candidate="candidate"),
    )
    bench.server.reply = chooser(lambda a, b: "tie" if (FAULT in a) == (FAULT in b) else "B" if FAULT in a else "A")
    found = bench.command("judge", "test", folder, "--json").json["experiment"]
    counted = {row["test"]: (row["n"], row["passed"]) for row in found["self_test"]}
    assert (counted["pair"], counted["copy"]) == ((1, 1), (1, 1))
    (note,) = found["notes"]
    assert note.startswith("faults.jsonl: 7 of 8 lines give no pair: ")
    for reason in (
        "1 with the words of an earlier one",
        "1 without words (`where`)",
        "1 whose words stand in no output",
        "1 whose words stand in no text",
        "1 of an unknown candidate",
        "1 of a case without `expected.answer`",
        "1 of a case without an output",
    ):
        assert reason in note


def test_a_fault_of_a_case_that_is_not_in_the_golden_set_is_counted(bench: Bench):
    folder = written(bench, fault(), fault("c07"))
    outputs = folder / "outputs" / "candidate" / "outputs.jsonl"
    with outputs.open("a", encoding="utf-8") as file:
        file.write(json.dumps(right("c07", text=FAULT)) + "\n")
    bench.server.reply = chooser(lambda a, b: "tie" if (FAULT in a) == (FAULT in b) else "B" if FAULT in a else "A")
    found = bench.command("judge", "test", folder, "--json").json["experiment"]
    assert found["notes"] == ["faults.jsonl: 1 of 2 lines give no pair: 1 of an unknown case"]


def test_pairs_that_no_line_gives_are_an_error_that_says_why(bench: Bench):
    ended = bench.command("judge", "test", written(bench, fault(where="nowhere")), "--pairs")
    assert ended.status == 2
    assert "1 of 1 lines give no pair: 1 whose words stand in no output" in ended.err
