"""The answers that can be labelled: those that a run's judge or classifiers were asked about, or a suite's would be asked about.

From a run come the verdicts too, for a draw within strata of them; they go no further than the draw. An answer whose text is not
what the run judged is left out and counted: its label would belong to another text.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from evalkit.errors import UsageError
from evalkit.judging.pointwise_grades import OVERALL
from evalkit.judging.results import grade_of
from evalkit.labelling.asked import UNSTABLE, Answer, Answers, Subject, asked_by
from evalkit.labelling.classified import rows_of, were_classified, would_be_classified
from evalkit.loading.golden import GoldenSet
from evalkit.loading.loaded_suite import LoadedSuite
from evalkit.loading.outputs import OutputsFolder, open_outputs
from evalkit.loading.suites import SUITE_FILE, load_suite
from evalkit.pipeline.columns import build_columns
from evalkit.pipeline.scored import exclusion_of
from evalkit.records.cases import Case
from evalkit.records.identity import text_sha256
from evalkit.records.rubrics import Rubric
from evalkit.records.scores import Unscored
from evalkit.runstore.reader import StoredRun, open_run
from evalkit.text.normalise import is_blank


def open_subject(name: str, out: Path, outputs: str | None = None) -> Subject:
    """Return a run (id, folder, `latest`) with its suite, or a suite (its folder, its suite.yaml).

    `outputs` names a suite's candidate; a run knows its own. Raises RunStoreError, UsageError, and InputError with the faults of files.
    """
    path = Path(name)
    if path.name == SUITE_FILE or (path / SUITE_FILE).is_file():
        loaded = load_suite(path)
        return _subject(loaded, open_outputs(loaded.folder, outputs), None)
    if outputs is not None:
        raise UsageError("--outputs belongs to a suite; a run knows whose outputs it scored")
    run = open_run(name, out)
    manifest = run.manifest
    if not manifest.suite_path:
        raise UsageError(f"run {run.name!r} does not say where its suite is; name the suite instead")
    loaded = load_suite(Path(manifest.suite_path))
    there = Path(manifest.outputs_path).exists()
    return _subject(loaded, open_outputs(loaded.folder, manifest.outputs_path if there else manifest.outputs), run)


def _subject(loaded: LoadedSuite, outputs: OutputsFolder, run: StoredRun | None) -> Subject:
    golden = GoldenSet(loaded.folder / loaded.suite.golden)
    return Subject(loaded=loaded, outputs=outputs, golden=golden, run=run)


def answers_of(subject: Subject) -> Answers:
    """Return the answers of a subject. Raises UsageError where there are none, and as `open_subject`."""
    notes: list[str] = []
    answers = list(_would_be_asked(subject, notes) if subject.run is None else _were_asked(subject, subject.run, notes))
    if not answers:
        why = "; ".join(notes) or "no judge and no classifier was, or would be, asked about an answer"
        raise UsageError(f"{subject.loaded.file}: nothing can be labelled: {why}; only such answers are labelled")
    return Answers(subject=subject, answers=tuple(answers), notes=tuple(notes))


def _would_be_asked(subject: Subject, notes: list[str]) -> Iterator[Answer]:
    columns = build_columns(subject.loaded)
    rows = rows_of(columns, notes)
    for case in subject.golden:
        output = subject.outputs.last_attempt(case.id)
        if output is None or exclusion_of(output) is not None:
            continue
        text = output.text or ""
        for column in () if is_blank(text) else columns.kind_of(case).judged:
            use = column.measurement
            if use.rubric.mode != "pairwise":
                yield _answer(case, text, use.capability, use.rubric)
        yield from would_be_classified(rows, columns, case, output)


def _answer(case: Case, text: str, capability: str, rubric: Rubric, grades: Mapping[str, str] | None = None) -> Answer:
    return Answer(
        case=case,
        text=text,
        sha256=text_sha256(text),
        capability=capability,
        rubric=rubric.id,
        asked=asked_by(rubric),
        evidence=case.evidence,
        grades=grades or {},
    )


def _were_asked(subject: Subject, run: StoredRun, notes: list[str]) -> Iterator[Answer]:
    yield from _were_judged(subject, run, notes)
    if run.manifest.classifiers:
        yield from were_classified(subject, run, build_columns(subject.loaded), notes)
    if subject.loaded.sha256 != run.manifest.suite_sha256:
        notes.append(f"{subject.loaded.file} or a rubric has changed since the run; the criteria shown are today's")


@dataclass(slots=True)
class _Judged:
    """What a run said about one answer under one judge use."""

    sha256: str
    grades: dict[str, str | None] = field(default_factory=dict)

    def answer(self, case: Case, text: str, capability: str, rubric: Rubric) -> Answer:
        grades = {criterion: grade for criterion, grade in self.grades.items() if grade is not None}
        return _answer(case, text, capability, rubric, grades)


def _were_judged(subject: Subject, run: StoredRun, notes: list[str]) -> list[Answer]:
    rubrics = {rubric.id: rubric for rubric in subject.loaded.rubrics.values()}
    judged = _judged(run, rubrics)
    answers: list[Answer] = []
    changed = 0
    for case in subject.golden:
        output = subject.outputs.last_attempt(case.id) if case.id in judged else None
        text = (output.text if output else None) or ""
        for (capability, rubric), said in judged.pop(case.id, {}).items():
            if text_sha256(text) == said.sha256:
                answers.append(said.answer(case, text, capability, rubrics[rubric]))
            else:
                changed += 1
    gone = sum(map(len, judged.values()))
    if changed:
        notes.append(f"{changed} answers were left out: they are not the texts that the run judged")
    if gone:
        notes.append(f"{gone} answers were left out: their cases are no longer in the golden set")
    return answers


def _judged(run: StoredRun, rubrics: Mapping[str, Rubric]) -> dict[str, dict[tuple[str, str], _Judged]]:
    """Return case id -> capability and rubric -> what the run said; rubrics that compare pairs, or are gone, are left out."""
    found: dict[str, dict[tuple[str, str], _Judged]] = {}
    for judgement in run.judgements():
        rubric = rubrics.get(judgement.rubric)
        if rubric is None or rubric.mode == "pairwise":
            continue
        said = found.setdefault(judgement.case_id, {}).setdefault(
            (judgement.capability, judgement.rubric), _Judged(judgement.output_sha256)
        )
        for criterion in (*(one.id for one in rubric.criteria), OVERALL):
            grade: str | Unscored | None
            try:
                grade = grade_of(criterion, judgement)
            except KeyError:  # a criterion that the rubric did not have when the run was made
                grade = None
            label = None if isinstance(grade, Unscored) else grade
            before = said.grades.setdefault(criterion, label)
            if before != label:
                said.grades[criterion] = None if None in (before, label) else UNSTABLE
    return found
