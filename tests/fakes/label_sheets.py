"""Answers, rows and labels as the tests of labelling need them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from evalkit.labelling.asked import Answer, Answers, Subject, asked_by
from evalkit.loading.golden import GoldenSet
from evalkit.loading.outputs import open_outputs
from evalkit.loading.suites import load_suite
from evalkit.records.cases import Case
from evalkit.records.identity import text_sha256
from evalkit.records.labels import Label
from evalkit.records.rubrics import Criterion, Rubric
from evalkit.records.sheets import SheetRow, drawn_hash
from fakes.small_suites import write_suite

RUBRIC = Rubric(
    id="faithfulness",
    version="1",
    criteria=(
        Criterion(id="F1", question="Supported?", pass_condition="Every claim is supported."),
        Criterion(id="F2", question="Consistent?", pass_condition="No claim is contradicted.", critical=False),
    ),
)


def answer(case_id: str, *, capability: str = "faithfulness", text: str | None = None, **grades: str) -> Answer:
    """Return an answer with the grades that a run gave it."""
    said = text or f"The answer to {case_id}."
    return Answer(
        case=Case(id=case_id, capabilities=(capability,), input="?"),
        text=said,
        sha256=text_sha256(said),
        capability=capability,
        rubric=RUBRIC.id,
        asked=asked_by(RUBRIC),
        grades=grades,
    )


def answers(folder: Path, *found: Answer) -> Answers:
    """Return answers of a small suite on disk."""
    loaded = load_suite(write_suite(folder / "shop"))
    outputs = open_outputs(loaded.folder, None)
    golden = GoldenSet(loaded.folder / "golden.jsonl")
    return Answers(subject=Subject(loaded=loaded, outputs=outputs, golden=golden, run=None), answers=found)


def label(case_id: str = "c1", **changes: Any) -> Label:
    """Return a label: ada says that F1 of c1's answer passes."""
    fields: dict[str, Any] = {
        "case_id": case_id,
        "output_sha256": text_sha256(f"The answer to {case_id}."),
        "rubric": "faithfulness",
        "criterion": "F1",
        "label": "pass",
        "labeller": "ada",
        "design": "random",
        "inclusion_probability": 0.5,
        "split": "test",
        "blind": True,
        "labelled_at": "2026-01-02",
    }
    return Label(**{**fields, **changes})


def sheet_row(number: int = 1, case_id: str = "c1", **changes: Any) -> SheetRow:
    """Return a row of a sheet, not filled in; its own hash fits."""
    text = str(changes.pop("answer", f"The answer to {case_id}."))
    fields: dict[str, Any] = {
        "suite": "shop",
        "golden_sha256": "b" * 64,
        "outputs_sha256": "d" * 64,
        "case_id": case_id,
        "output_sha256": text_sha256(text),
        "rubric": "faithfulness",
        "criterion": "F1",
        "design": "random",
        "inclusion_probability": 0.5,
        "split": "test",
        "choices": ["pass", "fail", "not_applicable"],
        "asked": "How long?",
        "context": [],
        "evidence": None,
        "question": "Supported?",
        "pass_condition": "Every claim is supported.",
        "asked_sha256": RUBRIC.asked_sha256("F1"),
    }
    drawn = {**fields, **{name: value for name, value in changes.items() if name in fields}}
    row = {"row": f"r{number}-{drawn_hash(drawn)}", "answer": text, **drawn, **changes}
    return SheetRow.model_validate(row, strict=False)
