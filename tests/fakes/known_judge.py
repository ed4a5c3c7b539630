"""A suite whose right grades are known, and a judge with known error rates: it flips the right grade of a case by a seeded draw.

What the judge decides hangs on seed and case alone, so the same question always gets the same answer.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any

import yaml

from evalkit.records.identity import text_sha256
from fakes.chat_server import Body, Reply
from fakes.judged_suites import Bench, right, wrong
from fakes.labels import label_line, write_labels
from fakes.reading_judge import asked_in, case_of, is_ping

Fields = dict[str, Any]
TRUST = {"trust": {"tpr": 0.9, "tnr": 0.8}, "budgets": {"self_agreement": 0.9}}


def fails(case_id: str) -> bool:
    """Tell whether the right grade of a case is a fail: two of five."""
    return int(case_id[1:]) % 5 < 2


def outputs_of(names: Sequence[str]) -> list[Fields]:
    """Return the outputs of the suite."""
    return [wrong(name) if fails(name) else right(name) for name in names]


def known_suite(bench: Bench, size: int, **suite: Any) -> Path:
    """Write a suite of `size` cases, candidate and judge of different families."""
    outputs = outputs_of([f"c{number:02}" for number in range(size)])
    folder = bench.suite(golden=size, outputs={"candidate": outputs}, suite=TRUST | suite, family="judges")
    said = yaml.safe_dump({"name": "candidate", "model": "writer-1", "family": "writers"})
    (folder / "outputs" / "candidate" / "candidate.yaml").write_text(said, encoding="utf-8")
    return folder


def known_labels(
    file: Path, size: int, share: float, seed: int, *, criterion: str = "F1", rubric: str = "faithfulness"
) -> Path:
    """Write labels on a random sample of the suite's outputs, right without exception."""
    draw = Random(seed)
    lines = [
        label_line(
            output["case_id"],
            "fail" if fails(output["case_id"]) else "pass",
            output_sha256=text_sha256(output["text"]),
            rubric=rubric,
            criterion=criterion,
            inclusion_probability=share,
        )
        for output in outputs_of([f"c{number:02}" for number in range(size)])
        if draw.random() < share
    ]
    return write_labels(file, lines)


def known_judge(tpr: float, tnr: float, seed: int) -> Reply:
    """Return a judge that passes what is right with chance `tpr` and fails what is wrong with chance `tnr`."""

    def reply(body: Body) -> str:
        if is_ping(body):
            return '{"ok": true}'
        case_id = case_of(body)
        correct = Random(f"{seed}/{case_id}").random() < (tnr if fails(case_id) else tpr)
        return json.dumps(_verdict(body, passes=fails(case_id) != correct))

    return reply


def _verdict(body: Body, *, passes: bool) -> Fields:
    asked = asked_in(body)
    (source, text), *_ = asked.sources.items()
    span = {"id": "e1", "source": source, "quote": text.split(". ")[0]}
    status = "supported" if passes else "unsupported"
    claim = {"id": 1, "text": "the price", "evidence": [span] if passes else [], "cites": list(asked.cited[:1])}
    grades = {"F1": passes, "F2": True, "F3": passes}
    entries = {
        name: {
            "claims": [1],
            "evidence": ["e1"] if passes else [],
            "rationale": "by draw",
            "grade": "pass" if grades[name] else "fail",
        }
        for name in asked.schema["properties"]["criteria"]["properties"]
    }
    return {
        "claims": [claim | {"status": status}],
        "evidence": [],
        "findings": [],
        "criteria": entries,
        "overall_pass": all(grades.values()),
    }
