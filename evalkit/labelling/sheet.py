"""A draw as a blind sheet: JSON Lines that hold all of it, and a CSV of the same rows for a spreadsheet.

The CSV leaves the chances out: in a draw by verdict two chances would tell the strata, and so the verdicts, apart. Whoever labels
gets the CSV, or the terminal; `evalkit label import` puts both halves together again by `row`.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from evalkit.errors import UsageError
from evalkit.judging.materials import question_text
from evalkit.labelling.asked import Answer, Answers
from evalkit.labelling.draw import Drawn, chance
from evalkit.records.labels import Design
from evalkit.records.sheets import SKIP, SheetRow, drawn_hash
from evalkit.runstore.files import disk_faults, json_text, write_text
from evalkit.text.csv_cells import LARGEST_CELL, shown_cell, to_cell

UTF8_MARK = "\ufeff"
"""Without it spreadsheets take UTF-8 for something else."""
COLUMNS = (
    "row",
    "label",
    "labels_to_choose_from",
    "note",
    "labeller",
    "asked",
    "answer",
    "question",
    "pass_condition",
    "context",
    "case_id",
    "rubric",
    "criterion",
    "design",
    "output_sha256",
)
"""Columns of the CSV; the second, fourth and fifth are filled in."""
PAIR_COLUMNS = tuple(
    name for column in COLUMNS for name in (("first_answer", "second_answer") if column == "answer" else (column,))
)
"""The same of a sheet of pairs."""


class Written(NamedTuple):
    """A sheet on disk."""

    lines: Path
    csv: Path
    too_long: int
    """Rows with a text that a spreadsheet's cell cannot hold."""


def sheet_rows(source: Answers, drawn: Sequence[Drawn], design: Design, seed: int) -> list[SheetRow]:
    """Return the rows of a sheet in the order of the draw; `seed` draws which answer of a pair is shown first."""
    return [_row(source, one, design, number, seed) for number, one in enumerate(drawn, 1)]


def _row(source: Answers, drawn: Drawn, design: Design, number: int, seed: int) -> SheetRow:
    answer, criterion = drawn.answer, drawn.criterion
    texts, hashes = _as_shown(answer, seed)
    fields = {
        "suite": source.subject.loaded.suite.name,
        "golden_sha256": source.subject.golden.sha256,
        "outputs_sha256": source.subject.outputs_sha256,
        "case_id": answer.case.id,
        "output_sha256": hashes,
        "rubric": answer.rubric,
        "criterion": criterion.id,
        "design": design,
        "inclusion_probability": drawn.probability,
        "split": drawn.split,
        "choices": list(criterion.choices),
        "asked": question_text(answer.case),
        "context": [document.model_dump(mode="json") for document in answer.case.context],
        "evidence": answer.evidence,
        "question": criterion.question,
        "pass_condition": criterion.pass_condition,
        "asked_sha256": criterion.sha256,
    }
    row = f"r{number}-{drawn_hash(fields)}"
    return SheetRow.model_validate({"row": row, **fields, **texts}, strict=False)


def _as_shown(answer: Answer, seed: int) -> tuple[dict[str, str], str | list[str]]:
    """Return the texts and hashes of an answer; of a pair in an order drawn by the seed, the same for all criteria and either way named."""
    if isinstance(answer.sha256, str) or answer.other is None:
        return {"answer": answer.text}, answer.sha256 if isinstance(answer.sha256, str) else list(answer.sha256)
    both = sorted(zip(answer.sha256, (answer.text, answer.other), strict=True))
    if chance("label-shown/1", seed, answer.case.id, *(sha for sha, _ in both)) % 2:
        both.reverse()
    (one, first), (other, second) = both
    return {"answer": first, "second_answer": second}, [one, other]


def write_sheet(stem: Path, rows: Sequence[SheetRow]) -> Written:
    """Write STEM.jsonl and STEM.csv, each whole or not at all.

    Raises UsageError where one of them is there with other content, for it may hold somebody's labels; RunStoreError where the disk
    refuses.
    """
    # Not with_suffix: a dot in the name is part of the name.
    lines, table = stem.with_name(f"{stem.name}.jsonl"), stem.with_name(f"{stem.name}.csv")
    cells = [csv_cells(row) for row in rows]
    texts = {
        lines: "".join(json_text(row.model_dump(mode="json")) + "\n" for row in rows),
        table: UTF8_MARK + csv_text(cells, _columns(rows)),
    }
    for path, text in texts.items():
        if path.exists() and path.read_bytes() != text.encode("utf-8"):
            raise UsageError(
                f"{path}: is there already and may hold labels; import it first, or choose another --sheet"
            )
    with disk_faults(stem):
        stem.parent.mkdir(parents=True, exist_ok=True)
    for path, text in texts.items():
        write_text(path, text)
    return Written(lines, table, sum(any(len(cell) > LARGEST_CELL for cell in line) for line in cells))


def _columns(rows: Sequence[SheetRow]) -> tuple[str, ...]:
    return PAIR_COLUMNS if rows and rows[0].second_answer is not None else COLUMNS


def csv_text(rows: Iterable[Sequence[str]], columns: Sequence[str] = COLUMNS) -> str:
    """Return rows of cells below their heads as CSV (RFC 4180)."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\r\n")
    writer.writerow(columns)
    writer.writerows(rows)
    return text.getvalue()


def csv_cells(row: SheetRow) -> list[str]:
    """Return a row as cells, in the order of `COLUMNS`, of a pair of `PAIR_COLUMNS`."""
    return [to_cell(text) for text in csv_texts(row)]


def csv_texts(row: SheetRow) -> tuple[str, ...]:
    """Return the texts of a row's cells, in the order of `COLUMNS`, of a pair of `PAIR_COLUMNS`."""
    return (
        row.row,
        row.label or "",
        _offered(row),
        row.note,
        row.labeller or "",
        row.asked,
        *row.texts,
        row.question,
        row.pass_condition,
        context_text(row),
        row.case_id,
        row.rubric,
        row.criterion,
        row.design,
        row.cell("output_sha256"),
    )


def _offered(row: SheetRow) -> str:
    """Return the labels that may be given on one line; options with commas in them apart by bars."""
    offered = (*row.choices, SKIP)
    return (" | " if any("," in choice for choice in offered) else ", ").join(offered)


def context_text(row: SheetRow) -> str:
    """Return what the answer may rest on as one text: each document under its id, then the structured evidence."""
    parts = [f"[{shown_cell(document.id)}]\n{document.text}" for document in row.context]
    if row.evidence is not None:
        parts.append(f"[evidence]\n{json_text(row.evidence, indent=1)}")
    return "\n\n".join(parts)
