from __future__ import annotations

import os
import re

import pytest
from fakes.stored_runs import failure, judgement, manifest, report, write_run

from evalkit.errors import RunStoreError
from evalkit.runstore.reader import StoredRun, open_run
from evalkit.runstore.writer import RunWriter


def test_a_run_is_found_by_its_id_and_by_its_path(tmp_path):
    folder = write_run(tmp_path)
    assert open_run("r1", tmp_path).folder == folder
    assert open_run(str(folder), tmp_path / "elsewhere").folder == folder


def test_everything_reads_back_as_it_was_written(tmp_path):
    run = StoredRun(write_run(tmp_path))
    assert run.report == report()
    assert run.manifest == manifest()
    assert [line["case_id"] for line in run.failures()] == ["c2", "c2", "c3"]
    assert list(run.judgements()) == [judgement("c1", "pass"), judgement("c2", "fail"), judgement("c3", None)]


def test_latest_is_the_run_that_finished_last_whatever_its_name(tmp_path):
    write_run(tmp_path, "z", finished_at="2026-01-02T00:00:00+00:00")
    write_run(tmp_path, "a", finished_at="2026-01-02T02:00:00+00:00")
    write_run(tmp_path, "m", finished_at="2026-01-02T03:30:00+02:00")
    assert open_run("latest", tmp_path).name == "a"


def test_an_unfinished_or_torn_run_is_never_the_latest(tmp_path):
    write_run(tmp_path, "good")
    write_run(tmp_path, "unfinished", finished_at=None)
    (tmp_path / "torn").mkdir()
    (tmp_path / "torn" / "manifest.json").write_text("{", encoding="utf-8")
    (tmp_path / "odd").mkdir()
    (tmp_path / "odd" / "manifest.json").write_text('{"finished_at": "2027-01-01T00:00:00"}', encoding="utf-8")
    assert open_run("latest", tmp_path).name == "good"


def test_no_finished_run_says_how_to_make_one(tmp_path):
    with pytest.raises(RunStoreError, match="no finished run; make one with"):
        open_run("latest", tmp_path / "absent")


def test_an_unknown_name_gets_the_nearest(tmp_path):
    write_run(tmp_path, "nightly-1")
    with pytest.raises(RunStoreError, match="nearest: nightly-1"):
        open_run("nightly-2", tmp_path)


@pytest.mark.parametrize("name", ["", ".", "..", "../../etc", "a\nb", "x" * 300])
def test_an_odd_name_is_simply_not_found(tmp_path, name):
    with pytest.raises(RunStoreError, match="no run"):
        open_run(name, tmp_path)


def test_reading_a_run_that_a_killed_process_had_moved_aside_puts_it_back(tmp_path):
    folder = write_run(tmp_path)
    folder.rename(tmp_path / f".r1.{os.getpid()}.old")
    assert open_run("r1", tmp_path).report == report()


@pytest.mark.parametrize("name", ["failures.jsonl", "verdicts.jsonl"])
def test_a_torn_last_line_is_named_with_its_number(tmp_path, name):
    folder = write_run(tmp_path)
    whole = (folder / name).read_bytes()
    (folder / name).write_bytes(whole[:-20])
    run = StoredRun(folder)
    with pytest.raises(RunStoreError, match=re.escape(f"{name}:3: the last line is torn")):
        list(run.failures() if name == "failures.jsonl" else run.judgements())


def test_a_line_that_is_no_json_is_named(tmp_path):
    folder = write_run(tmp_path)
    (folder / "failures.jsonl").write_text('{"a": 1}\n{"a": NaN}\n', encoding="utf-8")
    with pytest.raises(RunStoreError, match=r"failures\.jsonl:2: is not valid JSON: NaN"):
        list(StoredRun(folder).failures())


def test_a_verdict_with_an_unknown_field_is_named_by_line_and_field(tmp_path):
    folder = write_run(tmp_path)
    text = (folder / "verdicts.jsonl").read_text(encoding="utf-8").replace('"sample":0', '"sampel":0')
    (folder / "verdicts.jsonl").write_text(text, encoding="utf-8")
    with pytest.raises(RunStoreError, match=r"verdicts\.jsonl:1: sample"):
        list(StoredRun(folder).judgements())


def test_a_missing_file_is_named(tmp_path):
    folder = write_run(tmp_path)
    (folder / "report.json").unlink()
    with pytest.raises(RunStoreError, match=r"report\.json: cannot be read"):
        StoredRun(folder).report  # noqa: B018 - reading the property is the act


def test_lone_surrogates_survive_the_way_to_the_disk_and_back(tmp_path):
    with RunWriter(tmp_path, "r1", "shop") as writer:
        writer.begin(manifest())
        writer.failure(failure("c\ud835"))
        writer.judgement(judgement("c\ud835", "fail", text="\x00\udfff"))
        folder = writer.finish(report(), manifest(), "")
    run = StoredRun(folder)
    assert next(run.failures())["case_id"] == "c\ud835"
    assert next(run.judgements()) == judgement("c\ud835", "fail", text="\x00\udfff")
