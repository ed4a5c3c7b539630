from __future__ import annotations

import json

import pytest
from fakes.stored_runs import judge_row, row, write_run

from evalkit.runstore.reader import StoredRun
from evalkit.runstore.verify import row_faults, verify


def tampered(folder, name, change):
    file = folder / name
    value = json.loads(file.read_text(encoding="utf-8"))
    change(value)
    file.write_text(json.dumps(value), encoding="utf-8")
    return [str(fault) for fault in verify(StoredRun(folder))]


def test_a_run_as_it_was_written_holds_together(tmp_path):
    assert verify(StoredRun(write_run(tmp_path))) == ()


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"value": 0.9}, "value 0.9 is not passed 1 / n 2"),
        ({"n": 3, "value": 1 / 3, "interval": None, "bounds": None}, "n 3 + excluded 1 is not total 3"),
        ({"passed": 3}, "passed 3 is not between 0 and n 2"),
        ({"n": 0, "passed": 0, "total": 1}, "value 0.5 does not go with n 0"),
        ({"value": None}, "value None does not go with n 2"),
        ({"interval": (0.6, 0.9)}, "interval (0.6, 0.9) does not contain value 0.5"),
        ({"bounds": (0.6, 0.9)}, "bounds (0.6, 0.9) does not contain value 0.5"),
        ({"interval": (0.1, 0.9)}, "interval (0.1, 0.9) is not Wilson's of passed 1 / n 2"),
        ({"interval": None}, "interval None is not Wilson's of passed 1 / n 2"),
        ({"bounds": (0.3, 0.7)}, "bounds (0.3, 0.7) are no worst case of passed 1 / n 2 and the excluded ones"),
        ({"bounds": (0.25, 0.75)}, "bounds (0.25, 0.75) are no worst case of passed 1 / n 2 and the excluded ones"),
        ({"bounds": (-1.0, 1.0)}, "bounds (-1.0, 1.0) are no worst case of passed 1 / n 2 and the excluded ones"),
        ({"excluded": {"x": -1}, "total": 1}, "a count is negative"),
        ({"passed": None}, "value 0.5 is not passed None / n 2"),
    ],
)
def test_a_row_whose_arithmetic_is_broken_is_said_so(changes, said):
    assert said in list(row_faults(row(**changes)))


@pytest.mark.parametrize(
    "sound",
    [
        row(),
        judge_row(),
        row(n=0, passed=0, value=None, total=1, interval=None, bounds=None),
        row(estimate="mean", passed=None, value=12.5, interval=(10.0, 15.0), bounds=None),
    ],
)
def test_a_sound_row_has_no_fault(sound):
    assert list(row_faults(sound)) == []


def test_a_rate_that_was_edited_is_found(tmp_path):
    def edit(report):
        report["rows"][0]["value"] = 0.52

    assert any("value 0.52" in fault for fault in tampered(write_run(tmp_path), "report.json", edit))


def test_counts_that_were_edited_in_step_are_found_against_the_lines(tmp_path):
    def edit(report):
        for row_ in report["rows"]:
            row_.update(passed=2, value=1.0, interval=[0.34, 1.0], bounds=[0.66, 1.0])

    faults = tampered(write_run(tmp_path), "report.json", edit)
    assert any("1 failed by its lines, 0 by the report's row" in fault for fault in faults)
    assert any("passed 2, but verdicts.jsonl gives 1" in fault for fault in faults)


def test_a_judge_error_that_was_dropped_from_the_exclusions_is_found(tmp_path):
    def edit(report):
        report["rows"][1].update(excluded={}, total=2)

    assert any(
        "judge errors 0, but verdicts.jsonl gives 1" in f for f in tampered(write_run(tmp_path), "report.json", edit)
    )


def test_failures_of_another_run_are_found(tmp_path):
    folder = write_run(tmp_path)
    line = {"kind": "failed", "case_id": "c9", "capability": "other", "scorer": "x", "criterion": "x"}
    with (folder / "failures.jsonl").open("a", encoding="utf-8") as file:
        file.write(json.dumps(line) + "\n")
    assert any("belong to no row" in str(fault) for fault in verify(StoredRun(folder)))


@pytest.mark.parametrize("field", ["suite_sha256", "golden_sha256", "outputs_sha256"])
def test_a_manifest_of_other_inputs_is_found(tmp_path, field):
    def edit(manifest):
        manifest[field] = "0" * 64

    assert any(field in fault for fault in tampered(write_run(tmp_path), "manifest.json", edit))


def test_verdicts_of_another_judge_configuration_are_found_with_their_line(tmp_path):
    folder = write_run(tmp_path)
    text = (folder / "verdicts.jsonl").read_text(encoding="utf-8").replace("c" * 64, "9" * 64, 1)
    (folder / "verdicts.jsonl").write_text(text, encoding="utf-8")
    (fault,) = verify(StoredRun(folder))
    assert (fault.line, fault.field) == (1, "judge_config_hash")


def test_cases_that_were_edited_are_found_against_the_row(tmp_path):
    folder = write_run(tmp_path)
    path = folder / "scores.jsonl"
    path.write_text(path.read_text(encoding="utf-8").replace('"pfA"', '"ppA"'), encoding="utf-8")
    (fault,) = verify(StoredRun(folder))
    assert "passed 1, but scores.jsonl gives 2" in fault.problem


def test_a_row_without_its_cases_is_found(tmp_path):
    folder = write_run(tmp_path)
    path = folder / "scores.jsonl"
    path.write_text("".join(path.read_text(encoding="utf-8").splitlines(keepends=True)[:-1]), encoding="utf-8")
    assert any("holds 1 rows, the report 2" in fault.problem for fault in verify(StoredRun(folder)))
