"""Which judge: every candidate is asked about the same labelled answers, then held against people and against each other."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path

from evalkit import __version__
from evalkit.calibration.choice import choose, cross_table, figures_of
from evalkit.calibration.compare import compare
from evalkit.calibration.ends import Source
from evalkit.calibration.people import Labelled, labelled_items
from evalkit.calibration.report import refuse_nothing, standard
from evalkit.errors import UsageError
from evalkit.experiments.questions import Questions, failed_too_often
from evalkit.experiments.subject import Subject, open_subject
from evalkit.judging.requests import requests_for
from evalkit.judging.results import criteria_of
from evalkit.loading.labels import read_labels
from evalkit.pipeline.request import RunRequest
from evalkit.providers.meter import cost_of_purchases
from evalkit.records.answered import labelled, together
from evalkit.records.choices import CapabilityChoice, Choice, CriterionFigures, JudgeCandidate
from evalkit.records.identity import text_sha256


@dataclass
class Choosing:
    """One comparison of judges: `questions` to be planned or answered, one per candidate, then `result`."""

    request: RunRequest
    """Suite and outputs; its judge is not asked."""
    files: Sequence[Path]
    """Candidates, the strongest or most expensive first."""
    labels: Path
    labellers: Sequence[str] = ()
    seed: int = 1
    questions: list[Questions] = field(default_factory=list)
    labelled: list[Labelled] = field(default_factory=list)
    sources: list[list[Source]] = field(default_factory=list)
    _places: list[list[tuple[Source, list[int]]]] = field(default_factory=list)
    _labels_sha256: str = ""

    def __post_init__(self) -> None:
        """Gather the requests.

        Raises InputError with the faults of the files, UsageError as `Subject.judged`, for a candidate that is named twice and for
        an unknown labeller.
        """
        names = [str(file) for file in self.files]
        if len(set(names)) != len(names):
            raise UsageError("a candidate is named twice; each judge.yaml is tried once")
        given = read_labels(self.labels)
        self._labels_sha256 = given.sha256
        subjects = [open_subject(replace(self.request, judge=file)) for file in self.files]
        asked: dict[tuple[str | None, str], str] = {
            (column.measurement.rubric.id, criterion): wording
            for column in subjects[0].columns.judged
            for criterion, wording in column.measurement.rubric.wordings().items()
        }
        self.labelled = labelled_items(given.labels, standard(given.labels, self.labellers), asked)
        for subject in subjects:
            self._gather(subject)

    def _gather(self, subject: Subject) -> None:
        wanted = {(one.item[0], one.item[1]) for one in self.labelled}
        questions = Questions(subject, role="home")
        sources: dict[int, Source] = {}
        places: list[tuple[Source, list[int]]] = []
        judge = subject.loaded.judge
        for column in subject.columns.judged:
            measurement = column.measurement
            sources[id(column)] = Source(
                judge=judge.name,
                capability=measurement.capability,
                rubric=measurement.rubric.id,
                mode=measurement.rubric.mode,
                judge_config_hash=measurement.config_hash,
                criteria=tuple(criteria_of(measurement)),
            )
        for judged in subject.judged():
            source = sources[id(judged.column)]
            source.cases.add(judged.case.id)
            if (judged.case.id, text_sha256(judged.output.text or "")) in wanted:
                requests = requests_for(judged.column.measurement, judged.case, judged.output, range(judge.samples))
                places.append((source, questions.ask(judged.column, requests)))
        self.questions.append(questions)
        self.sources.append(list(sources.values()))
        self._places.append(places)

    def result(self) -> Choice:
        """Return figures, the judge of each capability and the cross table. After `answer`; UsageError where no label fits."""
        for questions, places in zip(self.questions, self._places, strict=True):
            for source, asked in places:
                ends = [questions.judgements[place] for place in asked]
                source.judgements[ends[0].case_id, ends[0].output_sha256] = ends
        names = [str(file) for file in self.files]
        subject = self.questions[0].subject
        figures: list[CriterionFigures] = []
        unmatched: dict[str, int] = {}
        for name, sources, questions in zip(names, self.sources, self.questions, strict=True):
            found = compare(sources, self.labelled, seed=self.seed)
            refuse_nothing(found.rows, found.unmatched, len(self.labelled), f"outputs {subject.outputs.name}")
            unmatched = found.unmatched
            figures += figures_of(
                name,
                found.rows,
                subject.loaded.suite.trust,
                floor=_is_floor(questions),
                withheld=_not_its_own(questions, self._ceiling),
            )
        candidates = [_candidate(name, asked) for name, asked in zip(names, self.questions, strict=True)]
        costs = {candidate.file: candidate.cost_per_verdict for candidate in candidates}
        chosen = []
        for capability in dict.fromkeys(source.capability for source in self.sources[0]):
            one = choose(capability, names, figures, costs)
            known = [f"{s.rubric}/{c}" for s in self.sources[0] if s.capability == capability for c in s.criteria]
            chosen.append(one.model_copy(update={"unlabelled": tuple(c for c in known if c not in one.criteria)}))
        return Choice(
            made_at=datetime.now(UTC).isoformat(timespec="seconds"),
            evalkit_version=__version__,
            suite=subject.loaded.suite.name,
            outputs=subject.outputs.name,
            outputs_sha256=subject.outputs.sha256,
            labels_sha256=self._labels_sha256,
            completeness="incomplete" if any(self._lacks(asked) for asked in self.questions) else "complete",
            candidates=tuple(candidates),
            figures=tuple(figures),
            capabilities=tuple(chosen),
            routes=_routes(chosen, _judge_file(subject)),
            cross=tuple(cross_table(self.sources, names, self.labelled)),
            unmatched=unmatched,
        )

    @property
    def _ceiling(self) -> float:
        return self.questions[0].subject.loaded.suite.budgets.judge_error

    def _lacks(self, asked: Questions) -> bool:
        return asked.purchases.not_bought > 0 or failed_too_often(asked.purchases.cascade, self._ceiling)


def _judge_file(subject: Subject) -> Path:
    """Return the judge.yaml of the suite, or where it would stand."""
    return subject.loaded.folder / (subject.loaded.suite.judge or "judge.yaml")


def _routes(chosen: Sequence[CapabilityChoice], file: Path) -> dict[str, str]:
    """Return the routes for `file`, relative to its folder; what it decides itself needs none, and a route to it would be refused."""
    folder = file.resolve().parent
    named = {one.capability: Path(one.chosen).resolve() for one in chosen if one.chosen is not None}
    return {
        capability: Path(os.path.relpath(path, folder)).as_posix()
        for capability, path in named.items()
        if path != file.resolve()
    }


def _is_floor(asked: Questions) -> bool:
    """Tell whether a rule decides for a candidate: it is the floor, or a cascade with the floor as its classifier."""
    tiers = [column.measurement.cheap for column in asked.columns]
    return asked.judge.client == "floor" or any(tier is not None and tier.config.style == "floor" for tier in tiers)


def _not_its_own(asked: Questions, ceiling: float) -> str:
    """Return why a candidate's verdicts earn it nothing: the judge stood in for its classifier, or several snapshots answered."""
    use = asked.purchases.cascade
    if use is not None and failed_too_often(use, ceiling):
        return f"the classifier gave no answer for {use.classifier_failed} of {use.verdicts} verdicts, and the judge decided them alone"
    snapshots, of_classifier = together(asked.judges())
    if max(len(snapshots), len(of_classifier)) > 1:
        return f"mixed: several snapshots answered ({', '.join(labelled(snapshots, of_classifier))})"
    return ""


def _candidate(file: str, asked: Questions) -> JudgeCandidate:
    judge = asked.judge
    bought = [one.purchase for one in asked.judgements if one.verdict is not None and one.purchase is not None]
    known = [p for p in bought if p.input_tokens is not None and p.output_tokens is not None]
    cost = cost_of_purchases(judge, known)
    floor = judge.client == "floor"
    each = 0.0 if floor else cost / len(known) if cost is not None and known and len(known) == len(bought) else None
    if asked.purchases.cascade is not None:
        each = _of_both_tiers(asked, cost if len(known) == len(bought) else None)
    return JudgeCandidate(
        file=file,
        judge=judge.name,
        requests=len(asked.requests),
        verdicts=sum(one.verdict is not None for one in asked.judgements),
        cost_per_verdict=each,
        latency_ms=asked.latency,
        cost_usd=asked.purchases.cost_usd,
        cascade=asked.purchases.cascade,
    )


def _of_both_tiers(asked: Questions, judged: float | None) -> float | None:
    """Return US dollars per verdict of a cascade, whoever gave it; `judged` is what the judge's verdicts took together."""
    cascade = asked.purchases.cascade
    verdicts = sum(one.verdict is not None for one in asked.judgements)
    if cascade is None or cascade.answers_cost_usd is None or judged is None or not verdicts:
        return None
    return (judged + cascade.answers_cost_usd) / verdicts
