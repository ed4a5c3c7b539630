"""Files of verdicts made elsewhere, for tests and for the documentation's examples."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from evalkit.records.external_verdicts import ExternalVerdict

Line = dict[str, Any]


def pair(case_id: str, first_shown: str, verdict: str | None, sample: int = 0, **fields: Any) -> Line:
    """Return a verdict on the answers of `red` and `blue`; A is red's."""
    return {
        "judge": "j",
        "case_id": case_id,
        "mode": "pairwise",
        "candidates": ["red", "blue"],
        "first_shown": first_shown,
        "sample": sample,
        "verdict": verdict,
        "unreadable": verdict is None,
        **fields,
    }


def verdict_of(line: Mapping[str, Any]) -> ExternalVerdict:
    """Return the record of a line."""
    return ExternalVerdict.model_validate_json(json.dumps(line))


def both_orders(case_id: str, red_first: str | None, blue_first: str | None, sample: int = 0) -> list[Line]:
    """Return the verdicts on a pair in both orders."""
    return [pair(case_id, "red", red_first, sample), pair(case_id, "blue", blue_first, sample)]


def turned(line: Mapping[str, Any]) -> Line:
    """Return a verdict on a pair with its candidates named the other way round; it says the same."""
    said = {"A": "B", "B": "A"}.get(line["verdict"], line["verdict"])
    return {**line, "candidates": line["candidates"][::-1], "verdict": said}


def write_verdicts(file: Path, lines: Iterable[Mapping[str, Any]]) -> Path:
    """Write a file of verdicts."""
    file.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return file


def repeated_pairs(file: Path) -> Path:
    """Write six pairs judged in both orders, three times each; some lean to the first place, one verdict is unreadable."""
    lines = []
    for sample in range(3):
        for number in range(4):
            lines += both_orders(f"steady{number}", "A", "A", sample)
        lines += both_orders("leaning", "A", "B", sample)
        lines += both_orders("torn", "tie" if sample else None, "tie", sample)
    return write_verdicts(file, lines)
