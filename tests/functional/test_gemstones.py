"""The suite of gemstones: sound, true by construction, and each gate catches what it owns."""

from __future__ import annotations

import json
import shutil
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import pytest
from fakes.command_line import CommandLine

from evalkit.records.identity import text_sha256
from evalkit.text.json_pointer import resolve_pointer

SUITE = Path(__file__).resolve().parents[2] / "suites" / "gemstones"
WRITERS = ("candidate", "plain_writer")


def lines(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (SUITE / name).read_text(encoding="utf-8").splitlines()]


OUTPUTS = {(writer, line["case_id"]): line for writer in WRITERS for line in lines(f"outputs/{writer}/outputs.jsonl")}
TRUTH = lines("truth.jsonl")


def test_it_holds_what_a_triage_must_tell_apart() -> None:
    kinds = Counter(line["kind"] for line in TRUTH)
    assert min(kinds[kind] for kind in ("invented_consequence", "wrong_owner", "refusal", "teaching")) >= 3
    assert len(lines("golden.jsonl")) == 40


def test_every_statement_stands_in_its_output_once() -> None:
    for line in TRUTH:
        assert OUTPUTS[line["candidate"], line["case_id"]]["text"].count(line["quote"]) == 1, line


def test_the_labels_follow_from_the_truth() -> None:
    classes: defaultdict[str, set[str]] = defaultdict(set)
    for line in TRUTH:
        classes[text_sha256(OUTPUTS[line["candidate"], line["case_id"]]["text"])].add(line["class"])
    rules = {"S1": "violation", "S2": "misattribution", "S3": "inaccurate_general"}
    for label in lines("labels.jsonl"):
        if label["criterion"] in rules:
            faulty = rules[label["criterion"]] in classes[label["output_sha256"]]
            assert label["label"] == ("fail" if faulty else "pass"), label


def test_it_is_sound(evalkit: CommandLine) -> None:
    ended = evalkit("check", SUITE)
    assert ended.status == 0, ended.out
    assert "0 warnings" in ended.out


@pytest.fixture
def runs(tmp_path: Path, evalkit: CommandLine, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Both writers, run with the embedded judge."""
    monkeypatch.chdir(tmp_path)
    shutil.copytree(SUITE, tmp_path / "gemstones")
    ended = evalkit("run", "gemstones", "--outputs", WRITERS[0], "--outputs", WRITERS[1], "--run-id", "g")
    assert ended.status == 0, ended.out + ended.err
    return tmp_path / "runs"


def test_each_gate_catches_what_it_owns(runs: Path) -> None:
    failed: defaultdict[str, set[str]] = defaultdict(set)
    for line in (runs / "g-plain_writer" / "failures.jsonl").read_text(encoding="utf-8").splitlines():
        failure = json.loads(line)
        if failure.get("reason") != "no_output":
            failed[failure["capability"]].add(failure["case_id"])
    banned = {line["case_id"] for line in TRUTH if line["kind"] == "banned_word"}
    assert failed["wording"] == banned
    assert failed["arithmetic"] == {line["case_id"] for line in TRUTH if line["kind"] == "arithmetic_error"}
    golden = {line["id"]: line["evidence"] for line in lines("golden.jsonl")}
    assert failed["follow_up"] == {
        case_id
        for (writer, case_id), line in OUTPUTS.items()
        if writer == "plain_writer" and any(not _stands(golden[case_id], item) for item in line["items"])
    }


def test_the_honest_writer_passes_the_gates_of_code(runs: Path) -> None:
    report = json.loads((runs / "g-candidate" / "report.json").read_text(encoding="utf-8"))
    code = [row for row in report["rows"] if row["kind"] == "deterministic"]
    assert {row["capability"]: (row["passed"], row["n"]) for row in code} == {
        "follow_up": (40, 40),
        "wording": (40, 40),
        "arithmetic": (6, 6),
    }


def _stands(evidence: dict[str, Any], item: dict[str, Any]) -> bool:
    try:
        resolve_pointer(evidence, item.get("evidence_path", "none"))
    except (ValueError, LookupError):
        return False
    return True
