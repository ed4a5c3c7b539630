"""A sheet comes back: every row that was filled in becomes a label, or all of them are refused with every fault named."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from evalkit.errors import Fault, UsageError
from evalkit.labelling.asked import PairSubject, Subject, compared_sha256
from evalkit.labelling.given import Named, label_of, named_in, named_of, now
from evalkit.labelling.label_file import Incoming, Merged, merge
from evalkit.labelling.pairs import pairs_of
from evalkit.labelling.wanted import open_wanted
from evalkit.loading.faults import FaultList
from evalkit.loading.identifiers import id_problem
from evalkit.loading.sheets import Filled, read_sheet
from evalkit.records.identity import text_sha256
from evalkit.runstore.comparisons import stored_comparisons
from evalkit.runstore.reader import runs_under


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportRequest:
    """A sheet that is to be taken in."""

    sheet: Path
    """JSON Lines, or a CSV."""
    drawn: Path | None = None
    """Of a CSV: the JSON Lines that it was written with; the file of that name beside it by default."""
    subject: str | None = None
    """Run, suite or comparison that was labelled; by default the one under `out` that is about the sheet's outputs."""
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
    named = named_in(pairs_of(subject).answers) if isinstance(subject, PairSubject) else {}
    filled = [row for row in rows if row.row.label is not None]
    faults = FaultList()
    for one in filled:
        faults.add(*_faults(one, subject, named, request))
    faults.raise_if_any()
    path = request.labels or subject.labels_file
    merged = merge(path, [_incoming(one, named, request) for one in filled], replace=request.replace)
    return Imported(labels=path, merged=merged, rows=len(rows), empty=len(rows) - len(filled))


def _subject(request: ImportRequest, rows: Sequence[Filled]) -> Subject | PairSubject:
    if request.subject is not None:
        return open_wanted(request.subject, request.out, request.outputs)
    wanted = {(row.row.suite, row.row.outputs_sha256) for row in rows}
    for run in runs_under(request.out):
        if (run.manifest.suite, run.manifest.outputs_sha256) in wanted and run.manifest.suite_path:
            return open_wanted(str(run.folder), request.out)
    for suite in sorted({row.row.suite for row in rows if row.row.second_answer is not None}):
        for stored in stored_comparisons(request.out, suite):
            if stored.purchases is not None and (suite, compared_sha256(stored.comparison)) in wanted:
                return open_wanted(str(stored.folder), request.out)
    raise UsageError(
        f"no run or comparison under {request.out} is about the outputs that {request.sheet} was drawn from; "
        "name the run, the suite or the comparison that was labelled with --of"
    )


def _faults(one: Filled, subject: Subject | PairSubject, named: Named, request: ImportRequest) -> list[Fault]:
    row, found = one.row, []
    if row.suite != subject.loaded.suite.name:
        problem = f"is {row.suite!r}, and what was labelled belongs to {subject.loaded.suite.name!r}"
        found.append(("suite", problem, "name what the sheet was drawn from with --of"))
    else:
        found += _text_faults(one, subject, named)
    if not (row.labeller or request.labeller):
        found.append(("labeller", "is missing", "write a name there, or give --labeller NAME"))
    return [
        Fault(file=one.file, line=one.line, field=field, problem=problem, remedy=remedy)
        for field, problem, remedy in found
    ]


def _text_faults(one: Filled, subject: Subject | PairSubject, named: Named) -> Iterator[tuple[str, str, str]]:
    """Yield field, problem and remedy where what was labelled is not there, or no longer what it was."""
    row = one.row
    pair = row.second_answer is not None
    if pair is not isinstance(subject, PairSubject):
        what, where = ("two answers", "comparison") if pair else ("one answer", "run or the suite")
        yield "output_sha256", f"{row.case_id}: is about {what}", f"name the {where} that it was drawn from with --of"
    elif isinstance(subject, PairSubject):
        if named_of(row, named) is None:
            problem = f"{row.case_id}: the two texts are no pair that {subject.comparison.folder} compared, or have changed since"
            yield "output_sha256", problem, "its label would belong to other texts; export again"
    else:
        output = subject.outputs.last_attempt(row.case_id)
        if output is None or text_sha256(output.text or "") != row.output_sha256:
            problem = f"{row.case_id}: the text in {subject.outputs.path} is not the one that was labelled"
            yield "output_sha256", problem, "its label would belong to another text; export again"


def _incoming(one: Filled, named: Named, request: ImportRequest) -> Incoming:
    row = one.row
    label = label_of(
        row,
        row.label or "",
        named,
        labeller=row.labeller or request.labeller or "",
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
