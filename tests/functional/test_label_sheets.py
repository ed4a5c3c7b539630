"""`evalkit label export` and `import`: a blind sheet goes out, labels come back, nothing is lost and every fault is named."""

from __future__ import annotations

import csv
import io
import json
import shlex
import shutil

import pytest
from fakes.judged_suites import ids, plan_case, right

HOSTILE = '=HYPERLINK("http://evil.example")\nsecond "line", with commas\u202e and \x1b[2J'


@pytest.fixture
def run(bench):
    """A run `r` of eight cases, every second one failed."""
    bench.run(bench.suite(golden=8))
    return bench


def exported(bench, *arguments):
    ended = bench.command("label", "export", "r", *arguments, "--json")
    assert ended.status == 0, ended.out + ended.err
    return ended.json


def rows_of(bench, sheet="labelling/wire-random-1"):
    return [json.loads(line) for line in (bench.root / f"{sheet}.jsonl").read_text(encoding="utf-8").splitlines()]


def text_of(path):
    """The CSV as it stands, line ends included."""
    return path.read_bytes().decode("utf-8-sig")


def table_of(bench, sheet="labelling/wire-random-1"):
    text = text_of(bench.root / f"{sheet}.csv")
    return list(csv.DictReader(io.StringIO(text, newline="")))


def fill(bench, choose, sheet="labelling/wire-random-1", *, delimiter=",", encoding="utf-8-sig"):
    """Fill the CSV in as a spreadsheet would save it; `choose` changes each row."""
    table = table_of(bench, sheet)
    for number, row in enumerate(table):
        row.update(choose(number, row))
    with (bench.root / f"{sheet}.csv").open("w", encoding=encoding, newline="") as file:
        writer = csv.DictWriter(file, table[0].keys(), delimiter=delimiter)
        writer.writeheader()
        writer.writerows(table)
    return f"{sheet}.csv"


def labels(bench, suite="wire"):
    path = bench.root / suite / "labels.jsonl"
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()] if path.exists() else []


def by_hand(_number, row):
    return {"label": "pass" if "10 dollars" in row["answer"] else "fail"}


def test_a_sheet_holds_no_verdict_no_model_and_no_candidate(run):
    exported(run, "--n", "8", "--design", "by-verdict")
    for row in rows_of(run, "labelling/wire-by-verdict-1"):
        assert row["label"] is None
        assert set(row) & {"verdict", "grade", "judge", "model", "candidate", "run"} == set()
    for suffix in ("jsonl", "csv"):
        text = (run.root / f"labelling/wire-by-verdict-1.{suffix}").read_text(encoding="utf-8")
        for word in ("test-judge", "overall_pass", "rationale", "candidate"):
            assert word not in text, word


def test_each_row_says_how_it_was_drawn_and_the_csv_keeps_the_chances_to_itself(run):
    exported(run, "--n", "4")
    assert {(row["design"], row["inclusion_probability"]) for row in rows_of(run)} == {("random", 0.5)}
    assert {row["split"] for row in rows_of(run)} <= {"dev", "test"}
    assert "inclusion_probability" not in table_of(run)[0]
    assert {row["design"] for row in table_of(run)} == {"random"}


def test_the_same_seed_writes_the_same_bytes(run):
    exported(run, "--n", "4", "--sheet", "one")
    exported(run, "--n", "4", "--sheet", "two")
    for suffix in ("jsonl", "csv"):
        assert (run.root / f"one.{suffix}").read_bytes() == (run.root / f"two.{suffix}").read_bytes()


def test_hostile_answers_are_harmless_in_a_spreadsheet_and_still_the_same_answers(bench):
    golden = [plan_case("c00"), plan_case("c01")]
    outputs = {"candidate": [right("c00") | {"text": HOSTILE}, right("c01") | {"text": "-5"}]}
    bench.run(bench.suite(golden=golden, outputs=outputs), status=None)
    exported(bench, "--criterion", "F1")
    cells = {row["case_id"]: row["answer"] for row in table_of(bench)}
    assert cells["c00"].startswith("'=HYPERLINK")
    assert "\x1b" not in cells["c00"]
    assert "\u202e" not in cells["c00"]
    assert cells["c01"] == "-5"
    sheet = fill(bench, lambda *_: {"label": "fail"})
    assert bench.command("label", "import", sheet, "--labeller", "ada").status == 0
    assert len(labels(bench)) == 2


def test_a_csv_that_a_spreadsheet_sorted_and_saved_with_semicolons_comes_back(run):
    exported(run, "--n", "8")
    sheet = fill(run, by_hand, delimiter=";")
    path = run.root / sheet
    head, *body = text_of(path).split("\r\n")
    assert len(body) > 8
    ended = run.command("label", "import", sheet, "--labeller", "ada", "--json")
    assert ended.status == 0, ended.err
    assert ended.json["added"] == 24
    stored = labels(run)[0]
    assert (stored["labeller"], stored["blind"], stored["design"]) == ("ada", True, "random")
    assert head.startswith("row;label")


def test_json_lines_come_back_too_and_empty_rows_and_skips_are_told_apart(run):
    exported(run, "--n", "8", "--criterion", "F1")
    rows = rows_of(run)
    rows[0] |= {"label": "skip", "note": "cannot tell"}
    rows[1] |= {"label": "fail", "labeller": "ben", "labelled_at": "2026-01-02"}
    sheet = run.root / "labelling/wire-random-1.jsonl"
    sheet.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    ended = run.command("label", "import", sheet, "--labeller", "ada", "--not-blind", "--json")
    assert (ended.json["added"], ended.json["empty"]) == (2, 6)
    first, second = labels(run)
    assert (first["label"], first["note"], first["blind"]) == (None, "cannot tell", False)
    assert (second["labeller"], second["labelled_at"]) == ("ben", "2026-01-02")


def test_every_fault_of_a_sheet_is_named_with_file_line_and_field_and_nothing_is_merged(run):
    exported(run, "--n", "8", "--criterion", "F1")
    changes = {
        0: {"label": "passed"},
        1: {"label": "pass", "answer": "another text"},
        2: {"label": "pass", "row": "r99-00000000"},
    }
    sheet = fill(run, lambda number, _row: changes.get(number, {"label": "pass"}))
    ended = run.command("label", "import", sheet, "--labeller", "ada")
    assert ended.status == 2
    assert f"{sheet}:2: label: is 'passed'" in ended.err
    assert f"{sheet}:4: answer: is not the text that was drawn" in ended.err  # a row takes two lines: its context does
    assert f"{sheet}:6: row: 'r99-00000000' is no row" in ended.err
    assert ended.err.count("evalkit:") == 3
    assert labels(run) == []


def test_a_label_that_may_not_be_given_or_has_no_labeller_is_a_fault_of_its_line(run):
    exported(run, "--n", "8", "--criterion", "F1")
    sheet = fill(run, lambda number, _row: {"label": "maybe" if number == 1 else "pass"})
    ended = run.command("label", "import", sheet, "--labeller", "ada")
    assert f"{sheet}:4: label: is 'maybe'" in ended.err
    assert "pass, fail, not_applicable, skip" in ended.err
    sheet = fill(run, lambda *_: {"label": "pass"})
    ended = run.command("label", "import", sheet, "--json")
    assert ended.json["error"]["total_faults"] == 8
    assert ended.json["error"]["faults"][0]["field"] == "labeller"
    assert labels(run) == []


@pytest.mark.parametrize("name", ["", " ada ", "ada\ud800"])
def test_a_name_that_no_label_could_be_read_with_is_refused(run, name):
    exported(run, "--n", "2")
    sheet = fill(run, by_hand)
    ended = run.command("label", "import", sheet, "--labeller", name)
    assert ended.status == 2
    assert "--labeller: the name" in ended.err
    if name:
        assert run.command("label", "r", "--labeller", name, "--plan").status == 2
    assert labels(run) == []


def test_a_sheet_that_is_not_there_is_said_not_to_be(run):
    ended = run.command("label", "import", "nowhere.csv", "--labeller", "ada")
    assert "nowhere.csv: does not exist" in ended.err


def test_a_row_that_stands_twice_in_a_csv_is_a_fault(run):
    exported(run, "--n", "2", "--criterion", "F1")
    path = run.root / "labelling/wire-random-1.csv"
    text = text_of(path)
    path.write_text(text + text.partition("\r\n")[2], encoding="utf-8", newline="")
    ended = run.command("label", "import", path, "--labeller", "ada")
    assert ended.status == 2
    assert "stands twice, on lines" in ended.err


def test_a_drawn_row_that_was_edited_is_a_fault(run):
    exported(run, "--n", "2", "--criterion", "F1")
    path = run.root / "labelling/wire-random-1.jsonl"
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace('"inclusion_probability": 0.25', '"inclusion_probability": 1.0'), encoding="utf-8")
    ended = run.command("label", "import", path, "--labeller", "ada")
    assert ended.err.count("the row says something else than what was drawn") == 2
    path.write_text(text.replace("10 dollars", "11 dollars").replace("99 dollars", "98 dollars"), encoding="utf-8")
    assert "answer: is not the text that was drawn" in run.command("label", "import", path).err


def test_a_label_on_a_text_that_has_changed_since_is_refused(run):
    exported(run, "--n", "8", "--criterion", "F1")
    sheet = fill(run, by_hand)
    outputs = run.root / "wire/outputs/candidate/outputs.jsonl"
    outputs.write_text(
        outputs.read_text(encoding="utf-8").replace("Plan c03 costs", "Plan c03 takes"), encoding="utf-8"
    )
    ended = run.command("label", "import", sheet, "--labeller", "ada")
    assert ended.status == 2
    assert "output_sha256: c03: the text in" in ended.err
    assert ended.err.count("evalkit:") == 1
    assert labels(run) == []


def test_the_same_sheet_twice_changes_nothing_and_a_changed_label_is_named(run):
    exported(run, "--n", "4", "--criterion", "F1")
    sheet = fill(run, by_hand)
    run.command("label", "import", sheet, "--labeller", "ada")
    before = (run.root / "wire/labels.jsonl").read_bytes()
    again = run.command("label", "import", sheet, "--labeller", "ada", "--json").json
    assert (again["added"], again["known"]) == (0, 4)
    fill(run, lambda *_: {"label": "pass"})
    refused = run.command("label", "import", sheet, "--labeller", "ada")
    assert refused.status == 2
    assert "fail in" in refused.err
    assert "--replace" in refused.err
    assert (run.root / "wire/labels.jsonl").read_bytes() == before
    replaced = run.command("label", "import", sheet, "--labeller", "ada", "--replace")
    assert "fail -> pass" in replaced.out
    assert {label["label"] for label in labels(run)} == {"pass"}


def test_two_labellers_of_one_sheet_show_the_ceiling(run):
    exported(run, "--n", "8", "--criterion", "F1")
    sheet = fill(run, by_hand)
    run.command("label", "import", sheet, "--labeller", "ada")
    fill(run, lambda number, row: by_hand(number, row) if number else {"label": "not_applicable"})
    ended = run.command("label", "import", sheet, "--labeller", "ben")
    assert "ada and ben: 7 of 8 the same (87.5%), kappa" in ended.out
    assert ended.out.count("different labels on") == 1
    assert len(labels(run)) == 16


def test_a_sheet_that_was_filled_in_is_never_written_over(run):
    exported(run, "--n", "4")
    fill(run, by_hand)
    ended = run.command("label", "export", "r", "--n", "4")
    assert ended.status == 2
    assert "may hold labels" in ended.err


def test_a_csv_without_its_other_half_says_what_is_missing(run):
    exported(run, "--n", "2")
    shutil.move(run.root / "labelling/wire-random-1.jsonl", run.root / "kept.jsonl")
    sheet = fill(run, by_hand)
    ended = run.command("label", "import", sheet, "--labeller", "ada")
    assert ended.status == 2
    assert "--sheet FILE" in ended.err
    assert run.command("label", "import", sheet, "--labeller", "ada", "--sheet", "kept.jsonl").status == 0


def test_a_sheet_finds_its_run_by_the_outputs_and_asks_where_there_is_none(run):
    exported(run, "--n", "2", "--criterion", "F1")
    sheet = fill(run, by_hand)
    shutil.rmtree(run.root / "runs")
    ended = run.command("label", "import", sheet, "--labeller", "ada")
    assert ended.status == 2
    assert "--of" in ended.err
    assert run.command("label", "import", sheet, "--labeller", "ada", "--of", "wire").status == 0
    assert len(labels(run)) == 2


@pytest.mark.parametrize(
    ("raw", "said"),
    [
        (b"", "has no column row, label, answer"),
        (b"row,label\r\n", "has no column answer"),
        (b"row,label,answer,label\r\nr1,pass,x,fail\r\n", "has more than one column 'label'"),
        (b"row,label,answer,note,note \r\nr1,pass,x,a,b\r\n", "has more than one column 'note'"),
        (b'row,label,answer\r\n"r1', "is no CSV"),
        (b"row,label,answer\r\nr1,\xe9,x\r\n", "is not UTF-8"),
        ("row,label,answer\r\n".encode("utf-16"), "UTF-16"),
    ],
)
def test_what_is_no_sheet_is_said_to_be_none(run, raw, said):
    exported(run, "--n", "2")
    (run.root / "labelling/wire-random-1.csv").write_bytes(raw)
    ended = run.command("label", "import", "labelling/wire-random-1.csv", "--labeller", "ada")
    assert ended.status == 2
    assert said in ended.err


def test_answers_of_a_suite_are_exported_without_a_run(bench):
    bench.suite(golden=4)
    ended = bench.command("label", "export", "wire", "--n", "4", "--json")
    assert ended.json["rows"] == 12
    refused = bench.command("label", "export", "wire", "--design", "by-verdict")
    assert refused.status == 2
    assert "--design random" in refused.err


def test_planted_answers_come_from_faults_and_from_what_cases_expect_of_a_judge(bench):
    golden = [plan_case("c00"), plan_case("c01", judge_expect={"F1": "pass"}), plan_case("c02")]
    suite = bench.suite(golden=golden)
    fault = {"candidate": "candidate", "case_id": "c00", "kind": "contradiction", "where": "10 dollars", "note": ""}
    other = {**fault, "candidate": "someone else", "case_id": "c02"}
    (suite / "faults.jsonl").write_text(f"{json.dumps(fault)}\n{json.dumps(other)}\n", encoding="utf-8")
    bench.run(suite)
    exported(bench, "--design", "planted")
    drawn = {(row["case_id"], row["criterion"]) for row in rows_of(bench, "labelling/wire-planted-1")}
    assert drawn == {("c00", "F1"), ("c00", "F2"), ("c00", "F3"), ("c01", "F1")}
    (suite / "faults.jsonl").write_text('{"candidate": 3}\n', encoding="utf-8")
    assert "faults.jsonl:1" in bench.command("label", "export", "r", "--design", "planted").err


def test_answers_that_are_no_longer_what_was_judged_are_left_out_and_counted(run):
    outputs = run.root / "wire/outputs/candidate/outputs.jsonl"
    outputs.write_text(
        outputs.read_text(encoding="utf-8").replace("Plan c03 costs", "Plan c03 takes"), encoding="utf-8"
    )
    found = exported(run, "--n", "8", "--criterion", "F1")
    assert found["rows"] == 7
    assert any("1 answers were left out" in note for note in found["notes"])


def test_a_run_whose_judge_was_asked_nothing_has_nothing_to_label(bench):
    outputs = {"candidate": [{"case_id": name, "text": ""} for name in ids(2)]}
    bench.run(bench.suite(golden=2, outputs=outputs), status=None)
    ended = bench.command("label", "export", "r")
    assert ended.status == 2
    assert "nothing can be labelled" in ended.err


@pytest.mark.parametrize("field", ["asked", "question", "pass_condition"])
def test_a_row_whose_question_was_edited_is_refused_in_both_halves(run, field):
    exported(run, "--n", "2")
    path = fill(run, lambda number, row: by_hand(number, row) | {field: "Is it the opposite?"})
    ended = run.command("label", "import", path, "--labeller", "ada")
    assert ended.status == 2
    assert field in ended.err
    lines = [row | {field: "Is it the opposite?", "label": "pass"} for row in rows_of(run)]
    sheet = run.root / "labelling/wire-random-1.jsonl"
    sheet.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    ended = run.command("label", "import", sheet, "--labeller", "ada")
    assert ended.status == 2
    assert "says something else than what was drawn" in ended.err
    assert labels(run) == []


def test_the_printed_follow_up_takes_the_sheet_in_as_it_stands(run):
    """Of a run that stands deeper than the newest in the folder of runs, and under a name that a shell would part."""
    deep = run.root / "runs" / "nested here"
    deep.mkdir()
    shutil.move(run.root / "runs" / "r", deep / "one")
    ended = run.command("label", "export", "runs/nested here/one", "--n", "2", "--sheet", "to label/sheet")
    assert ended.status == 0, ended.err
    (command,) = [line.removeprefix("then: ") for line in ended.out.splitlines() if line.startswith("then: ")]
    words = shlex.split(command)
    assert words[0] == "evalkit"
    filled = run.root / "to label/sheet.csv"
    with filled.open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    with filled.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(row | {"label": "pass"} for row in rows)
    taken = run.command(*words[1:])
    assert taken.status == 0, taken.err
    assert len(labels(run)) == len(rows)


def test_the_follow_up_names_the_run_that_latest_was(run):
    ended = run.command("label", "export", "latest", "--n", "2")
    assert "--of runs/r" in " ".join(ended.out.split())
