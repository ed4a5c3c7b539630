"""Specifications, cases and generator scripts for tests of acceptance."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from fakes.command_line import CommandLine

ROOT = Path(__file__).resolve().parents[2]
SUITE = ROOT / "suites" / "refund_replies"
GENERATORS = ROOT / "examples" / "generators"
TERMS: dict[str, Any] = {"threshold": 1.0, "on_skipped": "block", "require_trust": False}
SHORT: dict[str, Any] = {
    "name": "short",
    "description": "At most 8 words.",
    "required": True,
    "strategy": {"scorer": "length_limit", "max": 8},
}
FAITHFUL: dict[str, Any] = {
    "name": "faithful",
    "required": True,
    "strategy": {"rubric": "faithfulness", "criterion": "F1"},
}


def spec_fields(*criteria: Mapping[str, Any], **fields: Any) -> dict[str, Any]:
    """Return a specification's fields; a field of None is left out."""
    made = {"schema_version": 1, "name": "s", "version": "1", "terms": TERMS, "criteria": list(criteria), **fields}
    return {name: value for name, value in made.items() if value is not None}


def write_spec(folder: Path, *criteria: Mapping[str, Any], **fields: Any) -> Path:
    """Write a specification and return its path."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "acceptance.yaml"
    path.write_text(yaml.safe_dump(spec_fields(*criteria, **fields)), encoding="utf-8")
    return path


def generator(folder: Path, body: str, name: str = "generator.py") -> str:
    """Write a generator script whose `turn` is the object from stdin, and return the command that runs it.

    Without site-packages (-S): a generator needs none, and each of the hundreds that the tests start is there ten times as soon.
    """
    path = folder / name
    path.write_text(f"import json, sys\nturn = json.load(sys.stdin)\n{body}\n", encoding="utf-8")
    return f"{sys.executable} -S {path}"


def shipped(name: str) -> str:
    """Return the command that runs one of the example generators."""
    return f"{sys.executable} -S {GENERATORS / name}"


def lines_of(folder: Path) -> list[dict[str, Any]]:
    """Return the lines of an acceptance.jsonl."""
    return [json.loads(line) for line in (folder / "acceptance.jsonl").read_text(encoding="utf-8").splitlines()]


def endings_of(lines: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """Return case id -> state and reason of its last line."""
    return {line["case_id"]: f"{line['state_after']}: {line['reason']}" for line in lines}


def live(evalkit: CommandLine, *arguments: object, status: int | None = None) -> tuple[Any, list[dict[str, Any]], Path]:
    """Run `evalkit accept ARGUMENTS`; return its report, the lines of its log and its folder."""
    ended = evalkit("accept", *arguments, "--json", "--quiet")
    assert status is None or ended.status == status, ended.out + ended.err
    folder = Path(ended.json["folder"])
    return ended.json["report"], lines_of(folder), folder


def attempts_in(folder: Path) -> list[dict[str, Any]]:
    """Return the attempts of a live run."""
    return [json.loads(line) for line in (folder / "attempts.jsonl").read_text(encoding="utf-8").splitlines()]


def alive(marker: str) -> bool:
    """Tell whether a process runs whose command line holds a text."""
    return subprocess.run(["pgrep", "-f", marker], capture_output=True, check=False).returncode == 0
