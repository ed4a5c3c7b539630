"""Small suites of batteries on disk."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

SUITE = """\
schema_version: 1
name: {name}
capabilities:
  - name: tool_use
    scorers:
      - {{scorer: tool_calls}}
"""
GUARD = "batteries:\n  - {battery: tool_guard, on_error: closed}\n"
CALL = {"name": "send_mail", "arguments": {"to": "ines"}}


def line(case_id: str = "c1", battery: str = "tool_guard", **fields: Any) -> dict[str, Any]:
    """Return an expected decision; of the guard `ask` on the first call by default."""
    own = {"item": "0", "expected": "ask"} if battery == "tool_guard" else {}
    return {"case_id": case_id, "battery": battery, **own, **fields}


def write_batteries_suite(
    folder: Path,
    *,
    decisions: Sequence[Mapping[str, Any]],
    cases: Sequence[Mapping[str, Any]] = ({"id": "c1", "input": "Tell Ines."},),
    outputs: Sequence[Mapping[str, Any]] = ({"case_id": "c1", "tool_calls": [CALL]},),
    battery: str = GUARD,
    name: str = "small",
) -> Path:
    """Write a suite with one set of trajectories and return its folder."""
    place = folder / "outputs" / "trajectories"
    place.mkdir(parents=True, exist_ok=True)
    (folder / "suite.yaml").write_text(SUITE.format(name=name), encoding="utf-8")
    (folder / "battery.yaml").write_text(battery, encoding="utf-8")
    for path, lines in (
        (folder / "golden.jsonl", cases),
        (place / "outputs.jsonl", outputs),
        (folder / "decisions.jsonl", decisions),
    ):
        path.write_text("".join(json.dumps(one) + "\n" for one in lines), encoding="utf-8")
    return folder
