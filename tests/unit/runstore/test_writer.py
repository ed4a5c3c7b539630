from __future__ import annotations

import json
import os
import resource
import subprocess
import sys

import pytest
from fakes.stored_runs import failure, judgement, manifest, report, write_run

from evalkit.errors import RunStoreError, UsageError
from evalkit.runstore.writer import RunWriter

FILES = ["failures.jsonl", "manifest.json", "report.json", "report.md", "scores.jsonl", "verdicts.jsonl"]


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def dead_pid():
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    return process.pid


def test_a_finished_run_stands_under_its_name_with_all_its_files(tmp_path):
    folder = write_run(tmp_path)
    assert folder == tmp_path / "r1"
    assert names(folder) == FILES
    assert names(tmp_path) == ["r1"]


def test_the_same_run_written_twice_gives_the_same_bytes(tmp_path):
    one, two = write_run(tmp_path / "one"), write_run(tmp_path / "two")
    for name in FILES:
        assert (one / name).read_bytes() == (two / name).read_bytes()


def test_until_it_is_finished_a_run_stands_aside_marked_incomplete(tmp_path):
    writer = RunWriter(tmp_path, "r1", "shop")
    writer.begin(manifest())
    (aside,) = tmp_path.iterdir()
    assert aside.name == f".r1.{os.getpid()}.partial"
    begun = json.loads((aside / "manifest.json").read_text(encoding="utf-8"))
    assert (begun["completeness"], begun["finished_at"]) == ("incomplete", None)
    writer.discard()
    assert names(tmp_path) == []


def test_an_earlier_run_of_the_suite_is_replaced_whole(tmp_path):
    write_run(tmp_path)
    (tmp_path / "r1" / "left-over.txt").write_text("x", encoding="utf-8")
    write_run(tmp_path)
    assert names(tmp_path / "r1") == FILES
    assert names(tmp_path) == ["r1"]


def begin_and_be_interrupted(out):
    with RunWriter(out, "r1", "shop") as writer:
        writer.begin(manifest())
        writer.failure(failure("c1"))
        raise KeyboardInterrupt


def test_an_earlier_run_stands_untouched_where_the_new_one_is_given_up(tmp_path):
    folder = write_run(tmp_path)
    before = (folder / "report.json").read_bytes()
    with pytest.raises(KeyboardInterrupt):
        begin_and_be_interrupted(tmp_path)
    assert (folder / "report.json").read_bytes() == before
    assert names(tmp_path) == ["r1"]


def test_a_run_of_another_suite_is_never_replaced(tmp_path):
    write_run(tmp_path)
    with pytest.raises(RunStoreError, match="holds a run of suite 'shop', not of 'other'"):
        RunWriter(tmp_path, "r1", "other")


def test_a_folder_that_is_no_run_is_never_replaced(tmp_path):
    (tmp_path / "r1").mkdir()
    (tmp_path / "r1" / "thesis.tex").write_text("x", encoding="utf-8")
    with pytest.raises(RunStoreError, match="no run folder"):
        RunWriter(tmp_path, "r1", "shop")
    assert names(tmp_path / "r1") == ["thesis.tex"]


def test_an_empty_folder_is_taken(tmp_path):
    (tmp_path / "r1").mkdir()
    assert names(write_run(tmp_path)) == FILES


def test_a_torn_manifest_belongs_to_nobody_and_is_left_alone(tmp_path):
    (tmp_path / "r1").mkdir()
    (tmp_path / "r1" / "manifest.json").write_text('{"suite": "sh', encoding="utf-8")
    with pytest.raises(RunStoreError, match="nobody knows whose run this is"):
        RunWriter(tmp_path, "r1", "shop")


def test_a_link_is_not_followed(tmp_path):
    elsewhere = write_run(tmp_path / "elsewhere")
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs" / "r1").symlink_to(elsewhere)
    with pytest.raises(RunStoreError, match="not a folder of its own"):
        RunWriter(tmp_path / "runs", "r1", "shop")


def test_an_unsafe_id_is_refused_before_anything_is_written(tmp_path):
    with pytest.raises(UsageError, match="run id"):
        RunWriter(tmp_path, "../x", "shop")
    assert names(tmp_path) == []


def test_out_that_is_a_file_is_named(tmp_path):
    (tmp_path / "out").write_text("x", encoding="utf-8")
    with pytest.raises(RunStoreError, match="is not a folder"):
        RunWriter(tmp_path / "out", "r1", "shop")


def test_what_a_dead_process_left_is_removed_by_the_next_run_of_that_id(tmp_path):
    dead, alive = f".r1.{dead_pid()}.partial", f".r1.{os.getppid()}.partial"
    other = f".r2.{dead_pid()}.partial"
    for name in (dead, alive, other):
        (tmp_path / name).mkdir()
    RunWriter(tmp_path, "r1", "shop")
    assert names(tmp_path) == sorted([alive, other])


def test_an_earlier_run_that_a_killed_process_had_moved_aside_comes_back(tmp_path):
    folder = write_run(tmp_path)
    folder.rename(tmp_path / f".r1.{dead_pid()}.old")
    RunWriter(tmp_path, "r1", "shop")
    assert names(tmp_path) == ["r1"]
    assert names(folder) == FILES


def test_a_full_disk_is_a_clear_error_and_the_earlier_run_still_stands(tmp_path):
    folder = write_run(tmp_path)
    before = {name: (folder / name).read_bytes() for name in FILES}
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (65536, limits[1]))
    try:
        with RunWriter(tmp_path, "r1", "shop") as writer:
            writer.begin(manifest())
            with pytest.raises(RunStoreError, match="Earlier runs are as they were"):
                writer.failure(failure("c1", output="z" * 300_000))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert {name: (folder / name).read_bytes() for name in FILES} == before
    assert names(tmp_path) == ["r1"]


def test_the_lines_written_so_far_can_be_read_for_the_markdown(tmp_path):
    with RunWriter(tmp_path, "r1", "shop") as writer:
        writer.begin(manifest())
        writer.failure(failure("c1"))
        writer.failure(failure("c2"))
        assert [line["case_id"] for line in writer.failures()] == ["c1", "c2"]
        writer.failure(failure("c3"))
        assert len(list(writer.failures())) == 3


def test_lone_surrogates_and_values_of_odd_kinds_cost_no_run(tmp_path):
    with RunWriter(tmp_path, "r1", "shop") as writer:
        writer.begin(manifest())
        writer.failure(failure("c\ud835", metadata={"value": float("nan"), "found": {"b", "a"}}))
        writer.judgement(judgement("c\ud835", "fail", text="\ud835\x00\u202e"))
        folder = writer.finish(report(), manifest(), "# \ud835\n")
    (line,) = (folder / "failures.jsonl").read_text(encoding="utf-8").splitlines()
    assert json.loads(line, parse_constant=pytest.fail)["metadata"] == {"value": "nan", "found": ["a", "b"]}
    assert json.loads((folder / "verdicts.jsonl").read_text(encoding="utf-8"))["case_id"] == "c\ud835"


def test_lines_before_begin_are_a_mistake_of_the_caller(tmp_path):
    with pytest.raises(RuntimeError, match="begin"):
        RunWriter(tmp_path, "r1", "shop").failure({})
