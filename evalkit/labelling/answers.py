"""What can be labelled: the answers of a run that its judge was asked about, or those of a suite that a judge would be asked about.

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
from evalkit.loading.golden import GoldenSet
from evalkit.loading.outputs import OutputsFolder, open_outputs
from evalkit.loading.suites import SUITE_FILE, LoadedSuite, load_suite
from evalkit.pipeline.columns import build_columns
from evalkit.pipeline.scored import exclusion_of
from evalkit.records.cases import Case
from evalkit.records.identity import text_sha256
from evalkit.records.rubrics import Criterion, Rubric
from evalkit.records.scores import Unscored
from evalkit.runstore.reader import StoredRun, open_run
from evalkit.text.normalise import is_blank

UNSTABLE = "unstable"
"""Grade of a criterion on which the samples of a run differ."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """One answer under one judge use."""

    case: Case
    text: str
    sha256: str
    """SHA-256 of the text."""
    capability: str
    rubric: Rubric
    grades: Mapping[str, str] = field(default_factory=dict)
    """Criterion -> the run's grade; without those that have none. Never shown to a labeller."""

    @property
    def criteria(self) -> tuple[Criterion, ...]:
        """The rubric's criteria in order, then `overall` as the conjunction of the critical ones."""
        critical = [criterion.id for criterion in self.rubric.criteria if criterion.critical]
        overall = Criterion.model_construct(
            id=OVERALL,
            question="Does the answer pass as a whole?",
            pass_condition=f"Each of these that applies passes: {', '.join(critical)}.",
            partial=None,
        )
        return (*self.rubric.criteria, overall)


@dataclass(frozen=True, kw_only=True)
class Subject:
    """Whose answers are labelled: a run, or a suite and one candidate."""

    loaded: LoadedSuite
    outputs: OutputsFolder
    golden: GoldenSet
    run: StoredRun | None
    """None where a suite was named."""

    @property
    def labels_file(self) -> Path:
        """Where the labels of a suite stand, unless somebody says otherwise."""
        return self.loaded.folder / "labels.jsonl"


@dataclass(frozen=True, slots=True, kw_only=True)
class Answers:
    """All that a draw can draw from."""

    subject: Subject
    answers: tuple[Answer, ...]
    """In the order of the golden set."""
    notes: tuple[str, ...] = ()
    """What a reader must know, e.g. that some answers have changed since the run."""


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
    answers = list(_would_be_judged(subject)) if subject.run is None else _were_judged(subject, subject.run, notes)
    if not answers:
        why = "; ".join(notes) or "no judge was, or would be, asked about an answer; only such answers are labelled"
        raise UsageError(f"{subject.loaded.file}: nothing can be labelled: {why}")
    return Answers(subject=subject, answers=tuple(answers), notes=tuple(notes))


def _would_be_judged(subject: Subject) -> Iterator[Answer]:
    columns = build_columns(subject.loaded)
    for case in subject.golden:
        output = subject.outputs.last_attempt(case.id)
        text = (output.text if output else None) or ""
        if exclusion_of(output) is not None or is_blank(text):
            continue
        for column in columns.kind_of(case).judged:
            use = column.measurement
            if use.rubric.mode != "pairwise":
                sha256 = text_sha256(text)
                yield Answer(case=case, text=text, sha256=sha256, capability=use.capability, rubric=use.rubric)


@dataclass(slots=True)
class _Judged:
    """What a run said about one answer under one judge use."""

    sha256: str
    rubric: str
    grades: dict[str, str | None] = field(default_factory=dict)

    def answer(self, case: Case, text: str, capability: str, rubric: Rubric) -> Answer:
        grades = {criterion: grade for criterion, grade in self.grades.items() if grade is not None}
        return Answer(case=case, text=text, sha256=self.sha256, capability=capability, rubric=rubric, grades=grades)


def _were_judged(subject: Subject, run: StoredRun, notes: list[str]) -> list[Answer]:
    rubrics = {rubric.id: rubric for rubric in subject.loaded.rubrics.values()}
    judged = _judged(run, rubrics)
    answers: list[Answer] = []
    changed = 0
    for case in subject.golden:
        output = subject.outputs.last_attempt(case.id) if case.id in judged else None
        text = (output.text if output else None) or ""
        for capability, said in judged.pop(case.id, {}).items():
            if text_sha256(text) == said.sha256:
                answers.append(said.answer(case, text, capability, rubrics[said.rubric]))
            else:
                changed += 1
    gone = sum(map(len, judged.values()))
    if changed:
        notes.append(f"{changed} answers were left out: they are not the texts that the run judged")
    if gone:
        notes.append(f"{gone} answers were left out: their cases are no longer in the golden set")
    if subject.loaded.sha256 != run.manifest.suite_sha256:
        notes.append(f"{subject.loaded.file} or a rubric has changed since the run; the criteria shown are today's")
    return answers


def _judged(run: StoredRun, rubrics: Mapping[str, Rubric]) -> dict[str, dict[str, _Judged]]:
    """Return case id -> capability -> what the run said; rubrics that compare pairs, or are gone, are left out."""
    found: dict[str, dict[str, _Judged]] = {}
    for judgement in run.judgements():
        rubric = rubrics.get(judgement.rubric)
        if rubric is None or rubric.mode == "pairwise":
            continue
        said = found.setdefault(judgement.case_id, {}).setdefault(
            judgement.capability, _Judged(judgement.output_sha256, judgement.rubric)
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
