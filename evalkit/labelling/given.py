"""What a person said about a row of a sheet, as a label: of a pair the words for the places in which the answers stood become A and B.

A is the first named candidate's answer. A sheet does not know whose answer stands where; the comparison that it was drawn from does.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime

from evalkit.labelling.asked import Answer
from evalkit.records.labels import Label, LabelledItem
from evalkit.records.sheets import FIRST, SECOND, SKIP, SheetRow

Named = Mapping[tuple[str, frozenset[str]], tuple[str, str]]
"""Case id and the hashes of two answers -> the hashes of A and B."""


def named_in(answers: tuple[Answer, ...]) -> Named:
    """Return which answer of each pair is A and which is B."""
    found: dict[tuple[str, frozenset[str]], tuple[str, str]] = {}
    for answer in answers:
        if isinstance(answer.sha256, tuple):
            found.setdefault((answer.case.id, frozenset(answer.sha256)), answer.sha256)
    return found


def named_of(row: SheetRow, named: Named) -> tuple[str, str] | None:
    """Return the hashes of A and B of a row; None for a row about one answer, and for a pair that nobody knows."""
    return named.get((row.case_id, frozenset(row.hashes))) if len(row.hashes) == 2 else None


def item_of(row: SheetRow) -> LabelledItem:
    """Return what a row asks about, the answers of a pair in the order in which they are shown."""
    return row.case_id, row.output_sha256, row.rubric, row.criterion


def label_of(
    row: SheetRow, choice: str, named: Named, *, labeller: str, blind: bool, labelled_at: str, note: str
) -> Label:
    """Return the label that a choice of a row makes. Raises KeyError for a pair that nobody knows."""
    output = row.output_sha256
    label: str | None = None if choice == SKIP else choice
    if isinstance(output, tuple):
        places = {FIRST: output[0], SECOND: output[1]}
        output = named[row.case_id, frozenset(output)]
        label = dict(zip(output, "AB", strict=True))[places[choice]] if choice in places else label
    return Label(
        case_id=row.case_id,
        output_sha256=output,
        rubric=row.rubric,
        criterion=row.criterion,
        asked_sha256=row.asked_sha256,
        label=label,
        labeller=labeller,
        design=row.design,
        inclusion_probability=row.inclusion_probability,
        split=row.split,
        blind=blind,
        labelled_at=labelled_at,
        note=note,
    )


def choice_of(label: Label, row: SheetRow) -> str:
    """Return a label in the words of a row: of a pair the place of the answer that was preferred."""
    if label.label is None or not isinstance(label.output_sha256, tuple) or label.label not in {"A", "B"}:
        return label.label or SKIP
    preferred = label.output_sha256["AB".index(label.label)]
    return FIRST if preferred == row.hashes[0] else SECOND


def now() -> str:
    """Return the moment as labels carry it: UTC, whole seconds."""
    return datetime.now(UTC).isoformat(timespec="seconds")
