"""A sheet comes back: every row that was filled in becomes a label, or all of them are refused with every fault named."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from evalkit.errors import Fault, UsageError
from evalkit.labelling.answers import open_subject
from evalkit.labelling.asked import Subject
from evalkit.labelling.label_file import Incoming, Merged, merge
from evalkit.loading.faults import FaultList
from evalkit.loading.identifiers import id_problem
from evalkit.loading.sheets import Filled, read_sheet
from evalkit.records.identity import text_sha256
from evalkit.records.labels import Label
from evalkit.records.sheets import SKIP
from evalkit.runstore.reader import runs_under


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportRequest:
    """A sheet that is to be taken in."""

    sheet: Path
    """JSON Lines, or a CSV."""
    drawn: Path | None = None
    """Of a CSV: the JSON Lines that it was written with; the file of that name beside it by default."""
    subject: str | None = None
    """Run or suite that was labelled; by default the run under `out` that scored the sheet's outputs."""
    outputs: str | None = None
    """Of a suite: whose outputs."""
    out: Path = Path("runs")
    labels: Path | None = None
    """The file of labels; by default the suite's labels.jsonl."""
    labeller: str | None = None
    """Who labelled, where a row does not say."""
    blind: bool = True
    """False where the labeller had seen the judge's verdicts."""
    replace: bool = False
    """Whether a label may take the place of another by the same labeller."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Imported:
    """What became of a sheet."""

    labels: Path
    merged: Merged
    rows: int
    empty: int
    """Rows that nobody filled in."""


def import_sheet(request: ImportRequest) -> Imported:
    """Merge the labels of a sheet into the suite's labels, all or none.

    Raises InputError naming file, line and field of every fault: a row that was edited, an answer that has changed since, a label
    that may not be given, a label without a labeller, one that contradicts an earlier label of the same labeller. Raises UsageError
    where nobody knows which outputs were labelled.
    """
    if request.labeller is not None:
        check_labeller(request.labeller)
    rows = read_sheet(request.sheet, request.drawn)
    subject = _subject(request, rows)
    filled = [row for row in rows if row.row.label is not None]
    faults = FaultList()
    for one in filled:
        faults.add(*_faults(one, subject, request))
    faults.raise_if_any()
    path = request.labels or subject.labels_file
    merged = merge(path, [_incoming(one, request) for one in filled], replace=request.replace)
    return Imported(labels=path, merged=merged, rows=len(rows), empty=len(rows) - len(filled))


def _subject(request: ImportRequest, rows: Sequence[Filled]) -> Subject:
    if request.subject is not None:
        return open_subject(request.subject, request.out, request.outputs)
    wanted = {(row.row.suite, row.row.outputs_sha256) for row in rows}
    for run in runs_under(request.out):
        if (run.manifest.suite, run.manifest.outputs_sha256) in wanted and run.manifest.suite_path:
            return open_subject(str(run.folder), request.out)
    raise UsageError(
        f"no run under {request.out} scored the outputs that {request.sheet} was drawn from; "
        "name the run or the suite that was labelled with --of"
    )


def _faults(one: Filled, subject: Subject, request: ImportRequest) -> list[Fault]:
    row, found = one.row, []
    if row.suite != subject.loaded.suite.name:
        problem = f"is {row.suite!r}, and what was labelled belongs to {subject.loaded.suite.name!r}"
        found.append(("suite", problem, "name the run or the suite that the sheet was drawn from with --of"))
    else:
        output = subject.outputs.last_attempt(row.case_id)
        if output is None or text_sha256(output.text or "") != row.output_sha256:
            problem = f"{row.case_id}: the text in {subject.outputs.path} is not the one that was labelled"
            found.append(("output_sha256", problem, "its label would belong to another text; export again"))
    if not (row.labeller or request.labeller):
        found.append(("labeller", "is missing", "write a name there, or give --labeller NAME"))
    return [
        Fault(file=one.file, line=one.line, field=field, problem=problem, remedy=remedy)
        for field, problem, remedy in found
    ]


def _incoming(one: Filled, request: ImportRequest) -> Incoming:
    row = one.row
    label = Label(
        case_id=row.case_id,
        output_sha256=row.output_sha256,
        rubric=row.rubric,
        criterion=row.criterion,
        asked_sha256=row.asked_sha256,
        label=None if row.label == SKIP else row.label,
        labeller=row.labeller or request.labeller or "",
        design=row.design,
        inclusion_probability=row.inclusion_probability,
        split=row.split,
        blind=request.blind,
        labelled_at=row.labelled_at or now(),
        note=row.note,
    )
    return Incoming(label, one.file, one.line)


def check_labeller(name: str) -> None:
    """Raise UsageError for a name under which no label could be read again."""
    problem = id_problem(name) if name else "the id is empty"
    if problem:
        raise UsageError(
            f"--labeller: {problem.replace('the id', 'the name', 1)}; write it without, as other labels have it"
        )


def now() -> str:
    """Return the moment as labels carry it: UTC, whole seconds."""
    return datetime.now(UTC).isoformat(timespec="seconds")
