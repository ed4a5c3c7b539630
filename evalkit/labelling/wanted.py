"""From a run or a suite to the labels that are wanted: the draw with everything that it depends on, read from where it stands."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from evalkit.labelling.answers import answers_of
from evalkit.labelling.asked import Answers, Subject
from evalkit.labelling.draw import Draw, FlipKey, Request, draw
from evalkit.labelling.label_file import labels_in
from evalkit.labelling.sheet import sheet_rows
from evalkit.loading.planted import read_planted
from evalkit.records.labels import Label
from evalkit.records.sheets import SheetRow
from evalkit.runstore.experiments import stored_queue


class Wanted(NamedTuple):
    """The labels that are wanted, and those that are there."""

    rows: tuple[SheetRow, ...]
    """What is to be labelled, in the order in which it is asked."""
    known: tuple[Label, ...]
    """Labels of the suite's file, of whatever answers."""
    labels_file: Path
    notes: tuple[str, ...]


def wanted_labels(subject: Subject, request: Request, out: Path, labels: Path | None = None) -> Wanted:
    """Return what is to be labelled of a subject.

    Raises UsageError where nothing is, InputError with the faults of the suite's files and of the labels, RunStoreError for a run that
    cannot be read.
    """
    path = labels or subject.labels_file
    known = labels_in(path)
    source = answers_of(subject)
    drawn: Draw = draw(
        source,
        request,
        known=known,
        flips=_flips(subject, out) if request.design == "flips" else (),
        planted=_planted(source) if request.design == "planted" else None,
    )
    rows = sheet_rows(source, drawn.rows, request.design)
    return Wanted(tuple(rows), tuple(known), path, drawn.notes)


def _flips(subject: Subject, out: Path) -> list[FlipKey]:
    """Return the flips that stability found, the most divided first."""
    runs = subject.run.folder.parent if subject.run else out
    items = sorted(stored_queue(runs, subject.loaded.suite.name), key=lambda item: -(item.disagreement or 0.0))
    return [(item.case_id, item.output_sha256, item.rubric, item.criterion) for item in items]


def _planted(source: Answers) -> dict[str, frozenset[str]]:
    """Return case id -> criteria whose right label is known; empty for all of them."""
    found = {
        answer.case.id: frozenset(answer.case.judge_expect) for answer in source.answers if answer.case.judge_expect
    }
    name = source.subject.outputs.name
    for fault in read_planted(source.subject.loaded.folder):
        if fault.candidate == name:
            found[fault.case_id] = frozenset()
    return found
