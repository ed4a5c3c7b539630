"""Writing a run folder (thin)."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path

from evalkit.records.base import Json
from evalkit.records.reports import Report
from evalkit.records.verdicts import Judgement


def write_run(
    folder: Path, report: Report, judgements: Iterable[Judgement], failures: Iterable[Mapping[str, Json]]
) -> None:
    """Write a finished run."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "report.json").write_text(report.model_dump_json(indent=1) + "\n", encoding="utf-8")
    lines = "".join(json.dumps(failure, ensure_ascii=False) + "\n" for failure in failures)
    (folder / "failures.jsonl").write_text(lines, encoding="utf-8")
    verdicts = "".join(judgement.model_dump_json() + "\n" for judgement in judgements)
    (folder / "verdicts.jsonl").write_text(verdicts, encoding="utf-8")
