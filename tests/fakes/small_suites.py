"""Small suites on disk, for tests that drive the whole command line."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

SUITE = """\
schema_version: 1
name: shop
capabilities:
  - name: short_answer
    scorers:
      - {scorer: exact_match}
  - name: faithfulness
    judge:
      - {rubric: faithfulness}
"""
POLICY = """\
policy:
  - {scorer: latency_limit, max_ms: 1000}
"""
CONTEXT = [{"id": "billing/refunds", "text": "You may request a refund within 30 days of purchase."}]


def case(case_id: str, **fields: Any) -> dict[str, Any]:
    """Return a line of golden.jsonl, measured on both capabilities."""
    return {
        "id": case_id,
        "capabilities": ["short_answer", "faithfulness"],
        "input": "How long do I have to return it?",
        "context": CONTEXT,
        "expected": {"answer": "You may request a refund within 30 days of purchase."},
        **fields,
    }


def right(case_id: str, **fields: Any) -> dict[str, Any]:
    """Return an output that passes everything."""
    return {
        "case_id": case_id,
        "text": "You may request a refund within 30 days of purchase.",
        "latency_ms": 10,
        **fields,
    }


def wrong(case_id: str, **fields: Any) -> dict[str, Any]:
    """Return an output that fails everything."""
    return {"case_id": case_id, "text": "Refunds go out as store credit after 45 weeks.", "latency_ms": 10, **fields}


def write_suite(
    folder: Path,
    *,
    golden: Sequence[Mapping[str, Any]] = (),
    outputs: Mapping[str, Sequence[Mapping[str, Any]]] | None = None,
    suite: str = SUITE,
) -> Path:
    """Write a suite: by default two cases, c1 answered right and c2 answered wrong by `candidate`."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "suite.yaml").write_text(suite, encoding="utf-8")
    _write_lines(folder / "golden.jsonl", golden or [case("c1"), case("c2")])
    for name, lines in (outputs or {"candidate": [right("c1"), wrong("c2")]}).items():
        (folder / "outputs" / name).mkdir(parents=True, exist_ok=True)
        _write_lines(folder / "outputs" / name / "outputs.jsonl", lines)
    return folder


def _write_lines(file: Path, values: Sequence[Mapping[str, Any]]) -> None:
    file.write_text("".join(json.dumps(value) + "\n" for value in values), encoding="utf-8")
