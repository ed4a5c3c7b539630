"""One constitution for writer and judge: printed as it is judged by, hashed, and flagged where outputs name another."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from fakes.command_line import CommandLine

from evalkit.loading.suites import load_suite
from evalkit.records.identity import text_sha256

SUITE = Path(__file__).resolve().parents[2] / "suites" / "gemstones"
ROOT = SUITE.parent


@pytest.fixture
def stones(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return Path(shutil.copytree(SUITE, tmp_path / "stones"))


def report(folder: Path, run_id: str) -> Any:
    return json.loads((folder / "runs" / run_id / "report.json").read_text(encoding="utf-8"))


def test_what_is_printed_is_what_the_judge_reads() -> None:

    ended = subprocess.run(
        [sys.executable, "-m", "evalkit", "constitution", str(SUITE)], capture_output=True, check=True
    )
    assert ended.stdout.decode() == load_suite(SUITE).rubrics["grounded"].constitution


def test_the_hash_is_that_of_the_text(evalkit: CommandLine) -> None:
    printed = evalkit("constitution", SUITE, "--json").json
    assert printed["sha256"] == text_sha256(printed["text"])
    assert evalkit("constitution", SUITE, "--sha256").out.strip() == printed["sha256"]


def test_a_suite_without_one_says_so(evalkit: CommandLine) -> None:
    ended = evalkit("constitution", ROOT / "support_rag")
    assert ended.status == 2
    assert "no rubric of this suite has a constitution" in ended.err
    ended = evalkit("constitution", ROOT / "support_rag", "--rubric", "helpfulness")
    assert "rubric 'helpfulness' has no constitution" in ended.err
    ended = evalkit("constitution", SUITE, "--rubric", "groundless")
    assert ended.status == 2
    assert "it uses: grounded" in ended.err


def test_several_must_be_chosen_from(stones: Path, evalkit: CommandLine) -> None:
    rubric = (stones / "grounded.yaml").read_text(encoding="utf-8")
    (stones / "other.yaml").write_text(
        rubric.replace("id: grounded", "id: other").replace("constitution.md", "other.md"), encoding="utf-8"
    )
    (stones / "other.md").write_text("Say less.", encoding="utf-8")
    suite = (stones / "suite.yaml").read_text(encoding="utf-8")
    (stones / "suite.yaml").write_text(
        suite.replace("- {rubric: grounded}", "- {rubric: grounded}\n      - {rubric: other}"), encoding="utf-8"
    )
    ended = evalkit("constitution", "stones")
    assert ended.status == 2
    assert "choose one with --rubric" in ended.err
    assert evalkit("constitution", "stones", "--rubric", "other", "--json").json["text"] == "Say less."


def test_outputs_under_another_constitution_are_flagged(stones: Path, evalkit: CommandLine) -> None:
    for writer, state in (("candidate", "same"), ("plain_writer", "differs")):
        ended = evalkit("run", "stones", "--outputs", writer, "--run-id", writer)
        assert ("OTHER CONSTITUTION" in ended.out) is (state == "differs")
        (use,) = report(stones.parent, writer)["constitutions"]
        assert use["state"] == state
        page = (stones.parent / "runs" / writer / "report.md").read_text(encoding="utf-8")
        assert ("OTHER CONSTITUTION" in page) is (state == "differs")
        assert ("OTHER CONSTITUTION" in evalkit("show", writer).out) is (state == "differs")


def test_outputs_that_name_none_are_said_to(stones: Path, evalkit: CommandLine) -> None:
    (stones / "outputs" / "candidate" / "candidate.yaml").write_text("name: candidate\n", encoding="utf-8")
    ended = evalkit("run", "stones", "--outputs", "candidate", "--run-id", "r")
    assert "has no constitution_sha256" in ended.out
    assert report(stones.parent, "r")["constitutions"][0]["state"] == "unknown"


def test_the_hash_is_in_the_manifest(stones: Path, evalkit: CommandLine) -> None:
    evalkit("run", "stones", "--outputs", "candidate", "--run-id", "r")
    manifest = json.loads((stones.parent / "runs" / "r" / "manifest.json").read_text(encoding="utf-8"))
    text = (stones / "constitution.md").read_text(encoding="utf-8")
    assert manifest["judges"][0]["identity"]["constitution_hash"] == text_sha256(text)


def test_side_by_side_says_which_candidate_was_written_under_another(stones: Path, evalkit: CommandLine) -> None:
    ended = evalkit("run", "stones", "--outputs", "candidate", "--outputs", "plain_writer", "--run-id", "both")
    beside = " ".join(ended.out.split("Side by side")[1].split())
    assert "plain_writer: OTHER CONSTITUTION" in beside
    assert "candidate: OTHER CONSTITUTION" not in beside
