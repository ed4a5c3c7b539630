"""`evalkit run` and `evalkit show`, as a user drives them, with the floor judge."""

from __future__ import annotations

import json

import pytest
from fakes.command_line import CommandLine, spawn
from fakes.small_suites import POLICY, SUITE, case, right, write_suite, wrong

FILES = ["failures.jsonl", "manifest.json", "report.json", "report.md", "scores.jsonl", "verdicts.jsonl"]


@pytest.fixture
def evalkit(monkeypatch, capsys, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("COLUMNS", raising=False)
    return CommandLine(monkeypatch, capsys)


@pytest.fixture
def suite(tmp_path):
    return write_suite(tmp_path / "shop")


def test_a_run_prints_its_summary_and_writes_its_folder(evalkit, suite, tmp_path):
    ended = evalkit("run", suite, "--run-id", "r")
    assert ended.status == 0
    assert ended.out.startswith("shop / candidate, run r\n  no policy conditions; 1 of 1 code criterion has failures;")
    assert "judge: floor, not a model" in ended.out
    assert "next: evalkit show r c2" in ended.out
    assert sorted(path.name for path in (tmp_path / "runs" / "r").iterdir()) == FILES
    assert "| case |" in (tmp_path / "runs" / "r" / "report.md").read_text(encoding="utf-8")


def test_a_suite_is_named_by_its_folder_or_its_file(evalkit, suite):
    assert evalkit("run", suite / "suite.yaml", "--run-id", "r").status == 0


def test_json_is_one_document_on_stdout_with_the_report_as_it_stands_in_the_folder(evalkit, suite, tmp_path):
    ended = evalkit("run", suite, "--run-id", "r", "--json")
    (run,) = ended.json["runs"]
    stored = json.loads((tmp_path / "runs" / "r" / "report.json").read_text(encoding="utf-8"))
    assert run["report"] == stored
    assert (run["run_id"], run["exit_status"], ended.json["exit_status"]) == ("r", 0, 0)


def test_a_rerun_gives_the_same_bytes(evalkit, suite, tmp_path):
    for run_id in ("one", "two"):
        evalkit("run", suite, "--run-id", run_id)
    for name in ("report.json", "failures.jsonl", "verdicts.jsonl", "scores.jsonl"):
        assert (tmp_path / "runs/one" / name).read_bytes() == (tmp_path / "runs/two" / name).read_bytes()


def test_without_a_run_id_two_runs_stand_beside_each_other(evalkit, suite, tmp_path):
    evalkit("run", suite)
    evalkit("run", suite)
    assert len(list((tmp_path / "runs").iterdir())) == 2


def test_a_breached_policy_condition_exits_1(evalkit, tmp_path):
    suite = write_suite(
        tmp_path / "shop", suite=SUITE + POLICY, outputs={"candidate": [right("c1", latency_ms=5000), right("c2")]}
    )
    ended = evalkit("run", suite, "--run-id", "r")
    assert ended.status == 1
    assert "POLICY BREACHED" in ended.out
    assert "c1" in ended.out


def test_a_selection_of_cases_is_partial_and_cannot_gate(evalkit, suite):
    ended = evalkit("run", suite, "--run-id", "r", "--case", "c1")
    assert "INVALID FOR GATING" in ended.out
    assert "partial run (case ['c1'])" in ended.out


def test_several_candidates_are_printed_side_by_side(evalkit, tmp_path):
    outputs = {"baseline": [wrong("c1"), wrong("c2")], "candidate": [right("c1"), wrong("c2")]}
    suite = write_suite(tmp_path / "shop", outputs=outputs)
    ended = evalkit("run", suite, "--outputs", "baseline", "--outputs", "candidate", "--run-id", "r")
    assert ended.status == 0
    assert "Side by side" in ended.out
    assert "0 of 2  0.0 %" in ended.out
    assert "1 of 2  50.0 %" in ended.out
    assert "not tested" in ended.out


def test_bad_input_names_file_line_and_field(evalkit, tmp_path):
    suite = write_suite(tmp_path / "shop", golden=[case("c1"), case("c2", inptu="x")])
    ended = evalkit("run", suite)
    assert ended.status == 2
    assert "golden.jsonl:2" in ended.err
    assert "inptu" in ended.err
    assert not (tmp_path / "runs").exists() or not list((tmp_path / "runs").iterdir())


def test_another_suites_run_is_not_replaced(evalkit, suite, tmp_path):
    evalkit("run", suite, "--run-id", "r")
    other = write_suite(tmp_path / "other", suite=SUITE.replace("name: shop", "name: other"))
    ended = evalkit("run", other, "--run-id", "r")
    assert ended.status == 2
    assert "holds a run of suite 'shop'" in ended.err


def test_an_unsafe_run_id_is_bad_usage(evalkit, suite, tmp_path):
    assert evalkit("run", suite, "--run-id", "../escaped").status == 2
    assert not (tmp_path / "escaped").exists()


def test_show_prints_a_stored_run_as_run_did(evalkit, suite):
    printed = evalkit("run", suite, "--run-id", "r").out
    for name in ("r", "latest"):
        shown = evalkit("show", name).out
        assert shown.startswith(printed)
        assert "stability: not measured" in shown.removeprefix(printed)


def test_show_prints_a_case_with_question_answer_claims_and_spans(evalkit, suite):
    evalkit("run", suite, "--run-id", "r")
    good, bad = evalkit("show", "r", "c1").out, evalkit("show", "r", "c2").out
    assert "  | How long do I have to return it?" in good
    assert "claim 1  supported" in good
    assert 'billing/refunds [0:52] "You may request a refund within 30 days of purchase."' in good
    assert "short_answer/exact_match: fail (code)" in bad
    assert "store credit" in bad


def test_show_says_where_the_suite_has_changed_since(evalkit, suite):
    evalkit("run", suite, "--run-id", "r")
    write_suite(suite, golden=[case("c1", input="Something else?"), case("c2")])
    assert "has changed since this run" in " ".join(evalkit("show", "r", "c1").out.split())


def test_show_still_shows_what_the_run_knows_where_the_suite_is_gone(evalkit, suite, tmp_path):
    evalkit("run", suite, "--run-id", "r")
    moved = suite.rename(tmp_path / "moved")
    ended = evalkit("show", "r", "c2")
    assert ended.status == 0
    assert "note:" in ended.out
    assert "store credit" in ended.out
    assert "billing/refunds" in evalkit("show", "r", "c1", "--suite", moved).out


def test_show_knows_no_such_case_and_names_the_nearest(evalkit, suite):
    evalkit("run", suite, "--run-id", "r")
    ended = evalkit("show", "r", "c11")
    assert ended.status == 2
    assert "nearest: c1" in ended.err
    assert "its cases are c1, c2" in evalkit("show", "r", "something-else").err


def test_show_knows_no_such_run_and_names_those_there_are(evalkit, suite):
    for run_id in ("zebra", "aardvark"):
        evalkit("run", suite, "--run-id", run_id)
    assert "it holds, newest first: aardvark, zebra" in evalkit("show", "nope").err
    assert "nearest: zebra" in evalkit("show", "zebras").err


def test_show_lists_what_failed(evalkit, suite):
    evalkit("run", suite, "--run-id", "r")
    ended = evalkit("show", "r", "--failed")
    assert ended.out.startswith("c2  ")
    assert "short_answer/exact_match" in ended.out
    assert list(evalkit("show", "r", "--failed", "--json").json) == ["c2"]


def test_show_speaks_json_of_a_run_and_of_a_case(evalkit, suite):
    evalkit("run", suite, "--run-id", "r")
    assert evalkit("show", "r", "--json").json["faults"] == []
    shown = evalkit("show", "r", "c2", "--json").json
    assert shown["case"]["id"] == "c2"
    assert shown["failures"]
    assert shown["judgements"]


def test_show_flags_a_report_that_was_edited(evalkit, suite, tmp_path):
    evalkit("run", suite, "--run-id", "r")
    file = tmp_path / "runs" / "r" / "report.json"
    file.write_text(file.read_text(encoding="utf-8").replace('"value": 0.5', '"value": 0.52', 1), encoding="utf-8")
    ended = evalkit("show", "r")
    assert ended.status == 2
    assert ended.out.startswith("THIS RUN DOES NOT HOLD TOGETHER")


def test_hostile_texts_run_and_show_without_harm(evalkit, tmp_path):
    hostile = "x\r\n::error::gate passed\x1b[2J\u202e\x00 | @here <b>"
    suite = write_suite(
        tmp_path / "shop",
        golden=[case(hostile, input=hostile), case("c2")],
        outputs={"candidate": [wrong(hostile, text=hostile + "\ud835"), right("c2")]},
    )
    for arguments in (
        ["run", suite, "--run-id", "r"],
        ["show", "r"],
        ["show", "r", hostile],
        ["show", "r", "--failed"],
    ):
        ended = evalkit(*arguments)
        assert ended.status == 0, ended.err
        assert not set(ended.out) & set("\x1b\r\u202e\x00")
        assert "::error::" not in ended.out
    for name in FILES:
        text = (tmp_path / "runs" / "r" / name).read_text(encoding="utf-8")
        assert not set(text) & set("\x1b\r\u202e\x00\ud835")


@pytest.mark.parametrize("encoding", ["cp1252", "ascii"])
def test_a_console_of_few_characters_shows_escapes(tmp_path, encoding):
    answer = "Привет “30” – ok"
    suite = write_suite(tmp_path / "shop", outputs={"candidate": [right("c1"), wrong("c2", text=answer)]})
    environment = {"PYTHONIOENCODING": encoding, "PYTHONUTF8": "0", "LC_ALL": "C"}
    ended = spawn("run", suite, "--run-id", "r", cwd=tmp_path, **environment)
    assert (ended.status, ended.err) == (0, "")
    shown = spawn("show", "r", "c2", cwd=tmp_path, **environment)
    assert "\\u041f" in shown.out
    assert json.loads(spawn("show", "r", "c2", "--json", cwd=tmp_path, **environment).out)["output"]["text"] == answer
    assert answer in (tmp_path / "runs" / "r" / "failures.jsonl").read_text(encoding="utf-8")


def test_no_color_is_honoured_and_force_color_too(tmp_path):
    suite = write_suite(tmp_path / "shop")
    plain = spawn("run", suite, "--run-id", "r", cwd=tmp_path, NO_COLOR="1", FORCE_COLOR="")
    coloured = spawn("show", "r", cwd=tmp_path, FORCE_COLOR="1")
    assert "\x1b" not in plain.out
    assert "\x1b[" in coloured.out


def test_an_empty_answer_fails_the_judges_rows_too_and_the_run_still_holds_together(evalkit, tmp_path):
    write_suite(tmp_path / "shop", outputs={"candidate": [right("c1"), right("c2", text="")]})
    evalkit("run", "shop", "--run-id", "r")
    assert evalkit("show", "r", "--json").json["faults"] == []
