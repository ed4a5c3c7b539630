"""Gates, baselines and what CI reads, through the command line."""

from __future__ import annotations

import json
from xml.etree import ElementTree as ET

import pytest
from fakes.judged_suites import ids, plan_case
from fakes.judged_suites import right as judged_right
from fakes.small_suites import case, right, write_suite, wrong

from evalkit.rundiff.baseline import regressions
from evalkit.runstore.baselines import read_baseline
from evalkit.runstore.reader import open_run
from evalkit.stats.intervals import wilson

SUITE = """\
name: shop
capabilities:
  - name: short_answer
    scorers:
      - {scorer: exact_match}
"""
GATES = """\
gates:
  - {capability: short_answer, criterion: exact_match, MORE}
"""
CASES = [f"c{i:02}" for i in range(40)]


def shop(folder, *, fails=0, gates="min: 0.8", outputs="candidate", odd=""):
    """Write a suite of 40 cases of which the last `fails` are answered wrong."""
    lines = [wrong(name) if i >= 40 - fails else right(name) for i, name in enumerate(CASES)]
    if odd:
        lines[-1] = wrong(CASES[-1], text=odd)
    suite = SUITE + (GATES.replace("MORE", gates) if gates else "")
    return write_suite(folder / "shop", suite=suite, golden=[case(name) for name in CASES], outputs={outputs: lines})


@pytest.mark.parametrize(("fails", "status", "state"), [(1, 0, "passed"), (10, 1, "failed")])
def test_a_gate_ends_with_what_it_came_to(evalkit, tmp_path, fails, status, state):
    shop(tmp_path, fails=fails)
    evalkit("run", "shop", "--run-id", "r")
    ended = evalkit("gate", "r", "--json")
    assert (ended.status, ended.json["state"]) == (status, state)
    assert f"gate {state.upper()}" in evalkit("gate", "r").out


def test_a_run_can_be_gated_at_once(evalkit, tmp_path):
    shop(tmp_path, fails=10)
    assert evalkit("run", "shop", "--run-id", "r").status == 0
    ended = evalkit("run", "shop", "--run-id", "r", "--gate", "--json")
    assert ended.status == 1
    assert ended.json["exit_status"] == 1
    assert ended.json["runs"][0]["gates"]["state"] == "failed"
    assert "gate FAILED" in evalkit("run", "shop", "--run-id", "r", "--gate").out


def test_a_suite_without_gates_cannot_be_gated_and_nothing_is_run_for_it(evalkit, tmp_path):
    shop(tmp_path, gates="")
    ended = evalkit("run", "shop", "--run-id", "r", "--gate")
    assert ended.status == 2
    assert "sets no gate" in ended.err
    assert not (tmp_path / "runs").exists()


def test_a_threshold_that_is_no_number_is_a_fault_of_the_suite(evalkit, tmp_path):
    shop(tmp_path, gates="min: .nan")
    ended = evalkit("run", "shop", "--run-id", "r", "--gate")
    assert ended.status == 2
    assert "suite.yaml:7: .nan is not a finite number" in ended.err


def test_a_selection_can_not_be_gated(evalkit, tmp_path):
    shop(tmp_path)
    ended = evalkit("run", "shop", "--run-id", "r", "--limit", 35, "--gate")
    assert ended.status == 3
    assert "a selection of cases was run" in ended.out


def test_a_suite_that_changed_since_the_run_is_refused(evalkit, tmp_path):
    folder = shop(tmp_path)
    evalkit("run", "shop", "--run-id", "r")
    text = (folder / "suite.yaml").read_text(encoding="utf-8")
    (folder / "suite.yaml").write_text(
        text.replace("exact_match}", "exact_match, strip_citations: true}"), encoding="utf-8"
    )
    ended = evalkit("gate", "r")
    assert ended.status == 3
    assert "has changed since" in ended.out


def test_a_changed_threshold_is_no_change_of_the_suite(evalkit, tmp_path):
    shop(tmp_path, fails=1, gates="min: 0.99")
    evalkit("run", "shop", "--run-id", "r")
    assert evalkit("gate", "r").status == 1
    shop(tmp_path, fails=1, gates="min: 0.5")
    assert evalkit("gate", "r").status == 0


def test_a_tampered_report_is_not_gated(evalkit, tmp_path):
    shop(tmp_path, fails=10)
    evalkit("run", "shop", "--run-id", "r")
    file = tmp_path / "runs/r/report.json"
    file.write_text(file.read_text(encoding="utf-8").replace('"passed": 30', '"passed": 40'), encoding="utf-8")
    assert evalkit("gate", "r").status == 2


@pytest.mark.parametrize(("fails", "status"), [(1, 0), (6, 1)])
def test_no_regression_is_held_case_by_case_against_the_baseline(evalkit, tmp_path, fails, status):
    gates = "on: no_regression, margin: 0.15"
    shop(tmp_path, gates=gates)
    evalkit("run", "shop", "--run-id", "old")
    assert evalkit("gate", "old").status == 3  # no baseline yet
    assert evalkit("baseline", "set", "old").status == 0
    shop(tmp_path, fails=fails, gates=gates)
    ended = evalkit("run", "shop", "--run-id", "new", "--gate")
    assert ended.status == status, ended.out
    assert f"fixed 0, broken {fails}" in ended.out


def test_a_report_holds_the_difference_from_the_baseline_with_n_and_stays_the_same_bytes(evalkit, tmp_path):
    shop(tmp_path)
    evalkit("run", "shop", "--run-id", "old")
    evalkit("baseline", "set", "old")
    shop(tmp_path, fails=4)
    found = evalkit("run", "shop", "--run-id", "new", "--json").json["runs"][0]["report"]["baseline"]
    (row,) = found["rows"]
    assert (found["run_id"], row["n"], row["difference"], row["broken"]) == ("old", 40, -0.1, 4)
    first = (tmp_path / "runs/new/report.json").read_bytes()
    evalkit("run", "shop", "--run-id", "new")
    assert (tmp_path / "runs/new/report.json").read_bytes() == first
    assert "Against the baseline" in (tmp_path / "runs/new/report.md").read_text(encoding="utf-8")
    assert evalkit("show", "new", "--json").json["faults"] == []


def test_a_changed_golden_set_makes_the_baseline_not_comparable_and_says_so(evalkit, tmp_path):
    folder = shop(tmp_path)
    evalkit("run", "shop", "--run-id", "old")
    evalkit("baseline", "set", "old")
    with (folder / "golden.jsonl").open("a", encoding="utf-8") as golden:
        golden.write('{"id": "more", "capabilities": ["short_answer"], "input": "?"}\n')
    assert "the golden set has changed since the baseline was set" in evalkit("run", "shop", "--run-id", "new").out


def test_a_baseline_is_shown_and_one_that_was_edited_stops_a_run_before_it_begins(evalkit, tmp_path):
    folder = shop(tmp_path)
    assert "no baseline" in evalkit("baseline", "show", "shop").out
    assert evalkit("baseline", "show", "shop", "--json").json is None
    evalkit("run", "shop", "--run-id", "old")
    assert evalkit("baseline", "set", "old", "--json").json["run_id"] == "old"
    assert "the baseline is run old" in evalkit("baseline", "show", "shop").out
    assert evalkit("baseline", "show", "shop", "--json").json["run_id"] == "old"
    file = folder / "baseline.scores.jsonl"
    file.write_text(file.read_text(encoding="utf-8").replace("p", "f", 1), encoding="utf-8")
    ended = evalkit("run", "shop", "--run-id", "new")
    assert ended.status == 2
    assert "evalkit baseline set RUN" in ended.err
    assert not (tmp_path / "runs/new").exists()


def test_only_a_whole_valid_run_can_be_a_baseline(evalkit, tmp_path):
    shop(tmp_path)
    evalkit("run", "shop", "--run-id", "part", "--limit", 5)
    ended = evalkit("baseline", "set", "part")
    assert ended.status == 2
    assert "can be no baseline" in ended.err


def test_a_gate_whose_file_cannot_be_written_is_one_json_document(evalkit, tmp_path):
    shop(tmp_path)
    evalkit("run", "shop", "--run-id", "r")
    (tmp_path / "file").write_text("x", encoding="utf-8")
    ended = evalkit("gate", "r", "--json", "--junit", "file/g.xml")
    assert (ended.status, ended.json["error"]["exit_status"]) == (2, 2)


def test_ci_gets_junit_a_summary_and_annotations_that_no_answer_can_forge(evalkit, tmp_path, monkeypatch):
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "step.md"))
    (tmp_path / "step.md").write_text("before\n", encoding="utf-8")
    shop(tmp_path, fails=10, odd="\x1b[2J\n::error::owned <b>&\uffff | x")
    ended = evalkit("run", "shop", "--run-id", "r", "--junit", "g.xml", "--summary", "g.md", "--json", "--quiet")
    assert ended.status == 1
    assert ended.json["runs"][0]["gates"]["state"] == "failed"
    suite = ET.parse(tmp_path / "g.xml").getroot().find("testsuite")  # noqa: S314 - written a line ago
    assert (suite.get("tests"), suite.get("failures"), suite.get("errors")) == ("1", "1", "0")
    failure = suite.find("testcase/failure")
    assert len(failure.text.splitlines()) == 10
    summary = (tmp_path / "g.md").read_text(encoding="utf-8")
    assert "gate FAILED" in summary
    assert "<b>" not in summary
    step = (tmp_path / "step.md").read_text(encoding="utf-8")
    assert step.startswith("before\n")
    assert step.rstrip().endswith(summary.rstrip())
    lines = ended.err.splitlines()
    assert lines[0].startswith("::error title=gate failed%3A short_answer/exact_match::")
    assert len(lines) == 11
    assert all(line.startswith("::error title=") for line in lines)
    assert "::error::owned" not in ended.err


def test_a_judges_threshold_is_refused_until_trust_exists(evalkit, tmp_path):
    suite = SUITE + "  - name: faithfulness\n    judge:\n      - {rubric: faithfulness}\n"
    suite += "gates:\n  - {capability: faithfulness, criterion: overall, min: 0.0}\n"
    write_suite(
        tmp_path / "shop",
        suite=suite,
        golden=[case(n) for n in CASES],
        outputs={"candidate": [right(n) for n in CASES]},
    )
    ended = evalkit("run", "shop", "--run-id", "r", "--gate")
    assert ended.status == 3
    assert "not calibrated against human labels" in ended.out


def test_an_answer_that_went_missing_speaks_against_no_regression(evalkit, tmp_path):
    gates = "on: no_regression, margin: 0.15"
    folder = shop(tmp_path, gates=gates)
    evalkit("run", "shop", "--run-id", "old")
    evalkit("baseline", "set", "old")
    file = folder / "outputs/candidate/outputs.jsonl"
    lines = file.read_text(encoding="utf-8").splitlines(keepends=True)
    file.write_text("".join(lines[:-6]), encoding="utf-8")
    ended = evalkit("run", "shop", "--run-id", "new", "--gate", "--json")
    (result,) = ended.json["runs"][0]["gates"]["results"]
    assert ended.status == 1
    assert result["observed"] < -0.15
    assert "over 40 pairs" in result["reason"]


JUDGED_GATE = "gates:\n  - {capability: faithfulness, criterion: F1, min: 0.5}\n"


def test_a_judges_row_needs_a_floor_then_a_stability_experiment_then_labels(bench):
    names = ids(40)
    folder = bench.suite(
        golden=[plan_case(name) for name in names], outputs={"candidate": [judged_right(name) for name in names]}
    )
    file = folder / "suite.yaml"
    plain = file.read_text(encoding="utf-8")
    file.write_text(plain + JUDGED_GATE, encoding="utf-8")
    bench.run(folder, run_id="r")
    assert "sets no floor of self-agreement" in reason(bench)
    file.write_text(plain + JUDGED_GATE + "budgets: {self_agreement: 0.85}\n", encoding="utf-8")
    assert "evalkit stability SUITE measures it" in reason(bench)
    bench.command("stability", folder, "--runs", "2")
    assert "self-agreement" not in reason(bench)
    assert "not calibrated against human labels" in reason(bench)
    file.write_text(plain + JUDGED_GATE + "budgets: {self_agreement: 0.999}\n", encoding="utf-8")
    assert "unstable: self-agreement on F1" in reason(bench)
    compared = bench.command("diff", "r", "r")
    assert "self-agreement faithfulness 100.0 %" in compared.out


def reason(bench):
    ended = bench.command("gate", "r", "--json")
    assert ended.status == 3, ended.out
    (threshold,) = [found for found in ended.json["results"] if found["kind"] == "threshold"]
    return threshold["reason"]


@pytest.mark.parametrize(
    ("gates", "criterion", "said"),
    [
        ("min: -1", "exact_match", "cannot fail: the row lies between 0 and 1"),
        ("min: 0, max: 1", "exact_match", "cannot fail"),
        ("on: no_regression, margin: 1", "exact_match", "cannot fail"),
        ("min: 1.5", "exact_match", "cannot pass"),
        ("min: 0.5", "exact_match", ""),
        ("max: 0.5", "exact_match", ""),
        ("on: no_regression, margin: 0.1", "exact_match", ""),
        ("min: 0.5", "exact_mach", "no row 'exact_mach' is measured in 'short_answer': this gate can never be decided"),
    ],
)
def test_check_refuses_a_gate_that_no_run_can_decide_pass_or_fail(evalkit, tmp_path, gates, criterion, said):
    folder = shop(tmp_path, gates=gates)
    file = folder / "suite.yaml"
    text = file.read_text(encoding="utf-8")
    head, tail = text.split("gates:", 1)
    file.write_text(
        f"{head}gates:{tail.replace('criterion: exact_match', f'criterion: {criterion}')}", encoding="utf-8"
    )
    ended = evalkit("check", folder, "--json")
    assert ended.status == (2 if said else 0)
    problems = [fault["problem"] for fault in ended.json["faults"] if fault["field"].startswith("gates[0]")]
    assert [said in problem for problem in problems] == ([True] if said else []), problems


@pytest.mark.parametrize("gates", ["min: 0", "max: 1", "on: no_regression, margin: 1"])
def test_a_gate_on_a_rate_that_no_run_can_fail_is_refused(evalkit, tmp_path, gates):
    shop(tmp_path, gates=gates)
    assert evalkit("run", "shop", "--run-id", "r").status == 0
    ended = evalkit("gate", "r", "--json")
    assert ended.status == 3
    assert ended.json["results"][0]["reason"] == "the gate cannot fail: the row lies between 0 and 1"


def edit_row(file, **changes):
    """Change the first row of a baseline by hand."""
    value = json.loads(file.read_text(encoding="utf-8"))
    value["rows"][0].update(changes)
    file.write_text(json.dumps(value), encoding="utf-8")


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"passed": 39}, "value 0.9 is not passed 39 / n 40"),
        ({"passed": 39, "value": 39 / 40}, "is not Wilson's of passed 39 / n 40"),
        ({"passed": 39, "value": 39 / 40, "interval": wilson(39, 40)}, "passed 39, but baseline.scores.jsonl gives 36"),
        ({"n": 39, "excluded": {"scorer_error": 1}}, "n 39, but baseline.scores.jsonl gives 40"),
    ],
)
def test_a_baseline_that_was_edited_by_hand_is_no_baseline(evalkit, tmp_path, changes, said):
    folder = shop(tmp_path, fails=4, gates="on: no_regression, margin: 0.15")
    evalkit("run", "shop", "--run-id", "r")
    evalkit("baseline", "set", "r")
    assert evalkit("baseline", "show", folder).status == 0
    edit_row(folder / "baseline.json", **changes)
    for words in (("baseline", "show", folder), ("gate", "r")):
        ended = evalkit(*words)
        assert ended.status == 2
        assert said in " ".join(ended.err.split())
        assert "set the baseline again" in ended.err


def test_a_baseline_with_another_number_of_rows_than_its_cases_is_none(evalkit, tmp_path):
    folder = shop(tmp_path)
    evalkit("run", "shop", "--run-id", "r")
    evalkit("baseline", "set", "r")
    file = folder / "baseline.json"
    value = json.loads(file.read_text(encoding="utf-8"))
    file.write_text(json.dumps({**value, "rows": value["rows"] * 2}), encoding="utf-8")
    ended = evalkit("baseline", "show", folder)
    assert (ended.status, "2 rows, but baseline.scores.jsonl holds 1" in ended.err) == (2, True)


def of_scorer(folder, scorer, criterion, gates, **outputs):
    """Write a suite of 60 cases measured by one scorer, with one gate."""
    suite = SUITE.replace("exact_match", scorer) + GATES.replace("exact_match", criterion).replace("MORE", gates)
    names = [f"c{i:02}" for i in range(60)]
    lines = {"candidate": [right(name, **outputs) for name in names]}
    return write_suite(folder / "shop", suite=suite, golden=[case(name) for name in names], outputs=lines)


@pytest.mark.parametrize("gates", ["min: 0", "on: no_regression, margin: 1"])
def test_a_gate_on_a_mean_that_no_run_can_fail_is_refused(evalkit, tmp_path, gates):
    of_scorer(tmp_path, "token_f1", "token_f1", gates)
    assert evalkit("run", "shop", "--run-id", "r").status == 0
    evalkit("baseline", "set", "r")
    ended = evalkit("gate", "r", "--json")
    assert ended.status == 3
    assert ended.json["results"][0]["reason"] == "the gate cannot fail: the row lies between 0 and 1"


@pytest.mark.parametrize(("margin", "state"), [(0.05, "passed"), (0.04, "failed")])
def test_a_mean_that_nowhere_changed_is_held_by_the_share_of_cases_that_might(evalkit, tmp_path, margin, state):
    of_scorer(tmp_path, "token_f1", "token_f1", f"on: no_regression, margin: {margin}")
    evalkit("run", "shop", "--run-id", "r")
    evalkit("baseline", "set", "r")
    (result,) = evalkit("gate", "r", "--json").json["results"]
    assert result["state"] == state
    assert result["observed"] == pytest.approx(-(1 - 0.05 ** (1 / 60)))


def test_a_count_that_nowhere_changed_has_no_bound_and_is_refused(evalkit, tmp_path):
    text = "2 + 2 = 5. You may request a refund within 30 days of purchase."
    of_scorer(tmp_path, "arithmetic", "arithmetic_errors", "on: no_regression, margin: 0.2", text=text)
    evalkit("run", "shop", "--run-id", "r")
    evalkit("baseline", "set", "r")
    ended = evalkit("gate", "r", "--json")
    assert ended.status == 3
    assert ended.json["results"][0]["reason"].startswith("SD = 0: all differences are equal")


COUNTED = """\
name: shop
capabilities:
  - name: short_answer
    scorers:
      - {scorer: arithmetic}
gates:
  - {capability: short_answer, criterion: arithmetic_errors, on: no_regression, margin: 0.2}
"""


def counted(folder, *, wrong_in):
    """Write a suite of 40 answers with a sum each, of which this many are wrong."""
    lines = [right(name, text=f"5 plus 3 is {9 if i < wrong_in else 8}.") for i, name in enumerate(CASES)]
    golden = [case(name, capabilities=["short_answer"]) for name in CASES]
    return write_suite(folder / "shop", suite=COUNTED, golden=golden, outputs={"candidate": lines})


@pytest.mark.parametrize(
    ("faults", "status", "said"),
    [((2, 20), 1, "at worst +"), ((20, 2), 0, "at worst -"), ((2, 3), 0, "at worst +")],
)
def test_more_faults_are_a_regression_and_fewer_are_none(evalkit, tmp_path, faults, status, said):
    counted(tmp_path, wrong_in=faults[0])
    evalkit("run", "shop", "--run-id", "old")
    assert evalkit("baseline", "set", "old").status == 0
    counted(tmp_path, wrong_in=faults[1])
    assert evalkit("run", "shop", "--run-id", "new").status == 0
    ended = evalkit("gate", "new", "--json")
    (threshold,) = [found for found in ended.json["results"] if found["kind"] == "threshold"]
    assert ended.status == status, threshold
    assert threshold["reason"].startswith(said)
    assert "40 pairs, fewer is better" in threshold["reason"]
    assert f"{threshold['observed']:+.4g}" in threshold["reason"]
    (row,) = evalkit("diff", "old", "new", "--json").json["rows"]
    assert row["interval"][0] < threshold["observed"] < row["interval"][1]


def test_a_comparison_calls_more_faults_worse_by_the_same_table(evalkit, tmp_path):
    for name, faults in (("old", 2), ("new", 20)):
        counted(tmp_path, wrong_in=faults)
        evalkit("run", "shop", "--run-id", name)
    (row,) = evalkit("diff", "old", "new", "--json").json["rows"]
    assert (row["better"], row["moved"]) == ("lower", "worse")
    assert "WORSE (fewer is better)" in evalkit("diff", "old", "new").out


TRIAGED = """\
name: shop
capabilities:
  - name: honesty
    judge:
      - {rubric: triage, mode: triage}
gates:
  - {capability: honesty, criterion: CRITERION, on: no_regression, margin: 0.2}
"""


def triaged(folder, criterion):
    golden = [case(name, capabilities=["honesty"]) for name in CASES]
    lines = {"candidate": [right(name) for name in CASES]}
    return write_suite(folder / "shop", suite=TRIAGED.replace("CRITERION", criterion), golden=golden, outputs=lines)


@pytest.mark.parametrize(("criterion", "status"), [("cleared", 2), ("specificity", 2), ("violations", 0)])
def test_a_count_that_ranks_nothing_cannot_be_held_against_a_baseline(evalkit, tmp_path, criterion, status):
    ended = evalkit("check", triaged(tmp_path, criterion), "--json")
    assert ended.status == status, ended.out
    assert ("neither more nor less of this row is better" in ended.out) is (status == 2)


def test_a_judges_count_is_held_against_its_baseline_case_by_case(evalkit, tmp_path):
    folder = triaged(tmp_path, "violations")
    evalkit("run", "shop", "--run-id", "old")
    assert evalkit("baseline", "set", "old").status == 0
    assert evalkit("baseline", "show", folder).status == 0
    found = evalkit("run", "shop", "--run-id", "new", "--json").json["runs"][0]["report"]
    before = {row["criterion"]: (row["n"], row["value"]) for row in found["rows"] if row["kind"] == "judge"}
    against = {row["criterion"]: (row["n"], row["baseline"]) for row in found["baseline"]["rows"]}
    assert before["violations"][0] > 0
    assert against == before


def test_such_a_count_has_no_bound_against_a_baseline_either(evalkit, tmp_path):
    folder = triaged(tmp_path, "violations")
    evalkit("run", "shop", "--run-id", "r")
    assert evalkit("baseline", "set", "r").status == 0
    assert evalkit("baseline", "show", folder).status == 0
    run = open_run("r", tmp_path / "runs")
    against = regressions(read_baseline(folder), run)
    (cleared,) = [row for row in run.report.rows if row.criterion == "cleared"]
    found = against(cleared)
    assert (found.lower, found.better) == (None, "neither")
    assert "neither more nor less of it is better" in found.reason
