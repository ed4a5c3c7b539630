"""Files of people's labels, for tests and for the documentation's examples."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from evalkit.records.labels import Label

Line = dict[str, Any]


def label_line(case_id: str, label: str | None, **changes: Any) -> Line:
    """Return a line of labels.jsonl about a verdict made elsewhere; `output_sha256` and `rubric` tie it to a run's output."""
    return {
        "schema_version": "labels/1",
        "case_id": case_id,
        "output_sha256": None,
        "criterion": "overall",
        "label": label,
        "labeller": "ann",
        "design": "random",
        "inclusion_probability": 1.0,
        "split": "test",
        "blind": True,
        "labelled_at": "2026-11-30",
        **changes,
    }


def label_of(case_id: str, label: str | None, **changes: Any) -> Label:
    """Return the record of such a line."""
    return Label.model_validate_json(json.dumps(label_line(case_id, label, **changes)))


def write_labels(file: Path, lines: Iterable[Mapping[str, Any]]) -> Path:
    """Write a file of labels."""
    file.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return file
