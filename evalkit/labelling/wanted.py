"""From a run, a suite or a comparison to the labels that are wanted: the draw with everything that it depends on, read from where it stands."""

from __future__ import annotations

from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from evalkit.errors import UsageError
from evalkit.labelling.answers import answers_of, open_subject
from evalkit.labelling.asked import Answer, PairSubject, Subject
from evalkit.labelling.draw import Draw, FlipKey, Request, draw
from evalkit.labelling.given import Named, named_in
from evalkit.labelling.label_file import labels_in
from evalkit.labelling.pairs import open_pairs, pairs_of
from evalkit.labelling.sheet import sheet_rows
from evalkit.loading.planted import read_planted
from evalkit.records.labels import Label
from evalkit.records.sheets import SheetRow
from evalkit.runstore.comparisons import comparison_at
from evalkit.runstore.experiments import stored_queue


class Wanted(NamedTuple):
    """The labels that are wanted, and those that are there."""

    rows: tuple[SheetRow, ...]
    """What is to be labelled, in the order in which it is asked."""
    known: tuple[Label, ...]
    """Labels of the suite's file, of whatever answers."""
    labels_file: Path
    notes: tuple[str, ...]
    named: Named = MappingProxyType({})
    """Of pairs which answer is A."""


def open_wanted(name: str, out: Path, outputs: str | None = None) -> Subject | PairSubject:
    """Return what a name means: a comparison's folder, else a run or a suite, whose candidate `outputs` names.

    Raises as `open_pairs` and `open_subject`.
    """
    folder = comparison_at(name)
    if folder is None:
        return open_subject(name, out, outputs)
    if outputs is not None:
        raise UsageError("--outputs belongs to a suite; a comparison knows whose answers it compared")
    return open_pairs(folder)


def wanted_labels(subject: Subject | PairSubject, request: Request, out: Path, labels: Path | None = None) -> Wanted:
    """Return what is to be labelled of a subject.

    Raises UsageError where nothing is, InputError with the faults of the suite's files and of the labels, RunStoreError for a run or
    comparison that cannot be read.
    """
    path = labels or subject.labels_file
    known = labels_in(path)
    if isinstance(subject, PairSubject):
        if request.design == "planted":
            raise UsageError("--design planted is about single answers; pairs are drawn random, by-verdict or flips")
        source = pairs_of(subject)
        drawn: Draw = draw(source, request, known=known)
    else:
        source = answers_of(subject)
        drawn = draw(
            source,
            request,
            known=known,
            flips=_flips(subject, out) if request.design == "flips" else (),
            planted=_planted(subject, source.answers) if request.design == "planted" else None,
        )
    rows = sheet_rows(source, drawn.rows, request.design, request.seed)
    return Wanted(tuple(rows), tuple(known), path, drawn.notes, named_in(source.answers))


def _flips(subject: Subject, out: Path) -> list[FlipKey]:
    """Return the flips that stability found, the most divided first."""
    runs = subject.run.folder.parent if subject.run else out
    items = sorted(stored_queue(runs, subject.loaded.suite.name), key=lambda item: -(item.disagreement or 0.0))
    return [(item.case_id, item.output_sha256, item.rubric, item.criterion) for item in items]


def _planted(subject: Subject, answers: tuple[Answer, ...]) -> dict[str, frozenset[str]]:
    """Return case id -> criteria whose right label is known; empty for all of them."""
    found = {answer.case.id: frozenset(answer.case.judge_expect) for answer in answers if answer.case.judge_expect}
    name = subject.outputs.name
    for fault in read_planted(subject.loaded.folder):
        if fault.candidate == name:
            found[fault.case_id] = frozenset()
    return found
