"""`evalkit init`: a suite that loads, or nothing at all."""

from __future__ import annotations

import pytest

from evalkit.errors import UsageError
from evalkit.loading.golden import GoldenSet
from evalkit.loading.outputs import open_outputs
from evalkit.loading.starter import write_starter
from evalkit.loading.suites import load_suite


def test_the_starter_loads_and_its_outputs_fit_its_cases(tmp_path):
    folder = tmp_path / "new" / "suite"
    written = write_starter(folder)
    assert folder / "suite.yaml" in written
    assert load_suite(folder).judge.client == "floor"
    cases = list(GoldenSet(folder / "golden.jsonl"))
    outputs = open_outputs(folder, None)
    assert all(outputs.last_attempt(case.id) for case in cases)
    assert outputs.unused() == (0, ())
    names = {capability.name for capability in load_suite(folder).suite.capabilities}
    assert {name for case in cases for name in case.capabilities} == names


def test_an_empty_folder_is_taken(tmp_path):
    assert write_starter(tmp_path / "a")
    (tmp_path / "b").mkdir()
    assert write_starter(tmp_path / "b")
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["a", "b"]


def test_a_folder_that_holds_something_is_left_alone(tmp_path):
    (tmp_path / "kept.txt").write_text("x", encoding="utf-8")
    with pytest.raises(UsageError, match="not an empty folder"):
        write_starter(tmp_path)
    with pytest.raises(UsageError, match="not an empty folder"):
        write_starter(tmp_path / "kept.txt")
    assert [entry.name for entry in tmp_path.iterdir()] == ["kept.txt"]


def test_nothing_half_written_is_left_where_writing_fails(tmp_path):
    (tmp_path / "file").write_text("x", encoding="utf-8")
    for folder in (tmp_path / "file" / "below", tmp_path / ("x" * 300), tmp_path / "a\0b"):
        with pytest.raises(UsageError, match="cannot be written"):
            write_starter(folder)
    assert [entry.name for entry in tmp_path.iterdir()] == ["file"]
