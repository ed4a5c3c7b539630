"""Suites whose cases a judge on a server decides, the command line that runs them, and what a run left in its folder."""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import pytest
import yaml

from fakes.chat_server import ChatServer
from fakes.command_line import CommandLine, Ended, spawn
from fakes.reading_judge import case_of
from fakes.small_suites import write_suite

Fields = dict[str, Any]

FILES = ("failures.jsonl", "manifest.json", "report.json", "report.md", "scores.jsonl", "verdicts.jsonl")
STABLE = ("report.json", "failures.jsonl", "verdicts.jsonl", "scores.jsonl")
"""Files that a warm rerun writes with the same bytes."""
SUITE: Fields = {
    "schema_version": 1,
    "name": "wire",
    "judge": "judge.yaml",
    "capabilities": [{"name": "faithfulness", "judge": [{"rubric": "faithfulness"}]}],
}
QUICK: Fields = {"tries": 3, "first_s": 0.02, "cap_s": 2.0}


def ids(count: int) -> list[str]:
    """Return case ids: c00, c01, ..."""
    return [f"c{number:02}" for number in range(count)]


def plan_case(case_id: str, **fields: Any) -> Fields:
    """Return a golden line: what a plan costs, with the one source that says it."""
    text = f"Plan {case_id} costs 10 dollars a month. Plan {case_id} has 5 seats."
    return {
        "id": case_id,
        "capabilities": ["faithfulness"],
        "input": f"{case_id}: What does plan {case_id} cost?",
        "context": [{"id": f"plans/{case_id}", "text": text}],
        **fields,
    }


def right(case_id: str, **fields: Any) -> Fields:
    """Return an output that the source supports, citation included."""
    return {"case_id": case_id, "text": f"Plan {case_id} costs 10 dollars a month [plans/{case_id}].", **fields}


def wrong(case_id: str, **fields: Any) -> Fields:
    """Return an output that the source contradicts."""
    return {"case_id": case_id, "text": f"Plan {case_id} costs 99 dollars a month [plans/{case_id}].", **fields}


def alternating(names: Sequence[str]) -> list[Fields]:
    """Return outputs: right, wrong, right, ..."""
    return [wrong(name) if index % 2 else right(name) for index, name in enumerate(names)]


def write_judge(file: Path, url: str, **settings: Any) -> Path:
    """Write a judge.yaml for a server on the OpenAI wire; a setting of None leaves the field out."""
    fields = {
        "client": "openai",
        "model": "test-judge",
        "base_url": url,
        "timeout_s": 120.0,
        "backoff": QUICK,
    } | settings
    file.write_text(yaml.safe_dump({k: v for k, v in fields.items() if v is not None}), encoding="utf-8")
    return file


def judged_suite(
    folder: Path,
    url: str,
    *,
    golden: Sequence[Mapping[str, Any]] | int = 4,
    outputs: Mapping[str, Sequence[Mapping[str, Any]]] | None = None,
    suite: Mapping[str, Any] | None = None,
    **judge: Any,
) -> Path:
    """Write a suite judged by a server: by default four cases, answered right and wrong by turns."""
    cases = [plan_case(name) for name in ids(golden)] if isinstance(golden, int) else list(golden)
    outputs = outputs or {"candidate": alternating([str(case["id"]) for case in cases])}
    write_suite(folder, golden=cases, outputs=outputs, suite=yaml.safe_dump({**SUITE, **(suite or {})}))
    write_judge(folder / "judge.yaml", url, **judge)
    return folder


@dataclass(frozen=True)
class RunFolder:
    """A run as it lies on the disk, read strictly."""

    folder: Path

    @cached_property
    def report(self) -> Any:
        """report.json."""
        return _strict((self.folder / "report.json").read_text(encoding="utf-8"))

    @cached_property
    def manifest(self) -> Any:
        """manifest.json."""
        return _strict((self.folder / "manifest.json").read_text(encoding="utf-8"))

    @property
    def bought(self) -> Any:
        """What the manifest says was bought and spared."""
        return self.manifest["purchases"]

    @cached_property
    def failures(self) -> list[Fields]:
        """Lines of failures.jsonl."""
        return self._lines("failures.jsonl")

    @cached_property
    def verdicts(self) -> list[Fields]:
        """Lines of verdicts.jsonl."""
        return self._lines("verdicts.jsonl")

    @property
    def stable_bytes(self) -> dict[str, bytes]:
        """The files that may not differ between two runs over the same inputs."""
        return {name: (self.folder / name).read_bytes() for name in STABLE}

    def row(self, criterion: str, capability: str = "faithfulness") -> Fields:
        """Return one row of the report."""
        found = [r for r in self.report["rows"] if (r["capability"], r["criterion"]) == (capability, criterion)]
        assert len(found) == 1, [(r["capability"], r["criterion"]) for r in self.report["rows"]]
        row: Fields = found[0]
        return row

    def errors(self) -> dict[str, Fields]:
        """Return the judge_error lines by case."""
        return {line["case_id"]: line for line in self.failures if line["kind"] == "judge_error"}

    def verdict_of(self, case_id: str) -> Any:
        """Return the judgement of a case."""
        (found,) = [line for line in self.verdicts if line["case_id"] == case_id]
        return found

    def _lines(self, name: str) -> list[Fields]:
        return [_strict(line) for line in (self.folder / name).read_text(encoding="utf-8").splitlines()]


def _strict(text: str) -> Any:
    return json.loads(text, parse_constant=pytest.fail)


@dataclass
class Bench:
    """A folder, a server and the command line: everything a functional test of a judged run needs."""

    root: Path
    server: ChatServer
    command: CommandLine
    environment: dict[str, str] = field(default_factory=dict)

    def suite(self, name: str = "wire", **fields: Any) -> Path:
        """Write a judged suite into the folder; fields as for `judged_suite`."""
        return judged_suite(self.root / name, self.server.url, **fields)

    def run(self, *arguments: object, run_id: str = "r", status: int | None = 0) -> tuple[Ended, RunFolder]:
        """Run `evalkit run ARGUMENTS` in this process; `status` is what it must end with, None for anything."""
        ended = self.command("run", *arguments, "--run-id", run_id)
        assert status is None or ended.status == status, ended.out + ended.err
        return ended, RunFolder(self.root / "runs" / run_id)

    def spawn(self, *arguments: object, run_id: str = "r", status: int | None = 0) -> tuple[Ended, RunFolder]:
        """Run `evalkit run ARGUMENTS` in a process of its own."""
        ended = spawn("run", *arguments, "--run-id", run_id, cwd=self.root, **self.environment)
        assert status is None or ended.status == status, ended.out + ended.err
        return ended, RunFolder(self.root / "runs" / run_id)

    def calls(self) -> list[str]:
        """Return the cases that were asked about since the last time, in order of arrival."""
        asked = [case_of(received.body) for received in self.server.requests]
        self.server.reset()
        return asked


def in_turn(*replies: Any) -> Any:
    """Reply with one after the other, the last one for ever; safe for calls in flight."""
    left, guard = list(replies), threading.Lock()

    def reply(_: Fields) -> Any:
        with guard:
            return left.pop(0) if len(left) > 1 else left[0]

    return reply
