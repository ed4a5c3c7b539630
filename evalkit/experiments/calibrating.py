"""A run's judge against people, with the floor judge on the same answers. Nothing is bought: the verdicts are the run's own."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from evalkit.calibration.classified import about_classifiers, compare_classifiers
from evalkit.calibration.compare import Floor, compare
from evalkit.calibration.ends import end_of
from evalkit.calibration.people import Labelled, Wordings, labelled_items, unsaid
from evalkit.calibration.probabilities import Stated, probability_rows, stated_by_cascades, stated_by_scorers
from evalkit.calibration.report import Calibrated, Earned, named, new_calibration, refuse_nothing, standard
from evalkit.calibration.run_sources import run_sources
from evalkit.calibration.selective import Votes, selective_rows
from evalkit.errors import UserError
from evalkit.experiments.earning import earned, left_alone
from evalkit.experiments.subject import Subject, open_subject
from evalkit.judging.requests import requests_for
from evalkit.judging.results import criteria_of
from evalkit.judging.verdicts import lookup
from evalkit.loading.labels import read_labels
from evalkit.pipeline.columns import build_columns
from evalkit.pipeline.request import RunRequest
from evalkit.records.calibrations import Calibration
from evalkit.records.classified import CRITERION, ClassifiedCase
from evalkit.records.judges import FLOOR_NAME, JudgeConfig
from evalkit.records.labels import Label, LabelledItem
from evalkit.runstore.reader import StoredRun


def calibrate_run(
    run: StoredRun,
    labels: Path,
    *,
    suite: Path | None = None,
    labellers: Sequence[str] = (),
    risk: float | None = None,
    seed: int = 1,
) -> Calibrated:
    """Return how far a run's judge agrees with people; `suite` says where the suite is now, if it has moved.

    With `risk`, above 0 and below 1, also which verdicts the judge may decide alone. Where classifier scorers answered, what the bands
    read and the probabilities themselves, both against the labels about them.

    Where the suite's files cannot be read there is neither a floor judge nor a ledger, with a note. Raises InputError with the
    faults of the labels, RunStoreError for a run, experiment or ledger that cannot be read, UsageError for an unknown labeller
    and where no label is about this run.
    """
    given = read_labels(labels)
    wordings = wordings_of(run)
    items = labelled_items(given.labels, standard(given.labels, labellers), wordings)
    about, answers = about_classifiers(items, run.manifest.classifiers), list(run.classified())
    labelled = about.others
    found = run_sources(run.report, run.judgements(), labelled)
    notes = [
        f"two questions of this run are called {name}: a label cannot say which it answers" for name in about.ambiguous
    ]
    subject = _subject(run, suite, notes) if run.report.judges else None
    notes += [] if subject is None else _shared(subject, labelled)
    compared = compare(
        found.sources,
        labelled,
        seed=seed,
        populations=found.populations,
        floor=_floor(run, subject, labelled, notes),
    )
    classified = compare_classifiers(run.report.rows, run.manifest.classifiers, answers, about, seed=seed)
    refuse_nothing([*compared.rows, *classified.rows], compared.unmatched, len(items), f"run {run.name}")
    calibration = new_calibration(given, labellers, compared).model_copy(
        update={
            "suite": run.report.suite.get("name", ""),
            "run": run.name,
            "outputs_sha256": run.report.outputs.get("sha256"),
            "labellers": named(given.labels, labellers, compared.labellers | classified.labellers),
            "unmatched": dict(sorted((Counter(compared.unmatched) + Counter(classified.unmatched)).items())),
            "unlabelled": found.unlabelled,
            "classifiers": classified.rows,
            "probabilities": probability_rows(
                _stated(run, answers), (*about.outcomes, *labelled), risk=risk, seed=seed
            ),
            "notes": (*notes, *_on_wordings(given.labels, wordings, run)),
        }
    )
    differ = (*compared.disagreements, *classified.disagreements)
    calibration, won = _with_earned(run, subject, calibration)
    if risk is None:
        return Calibrated(calibration, differ, won)
    votes = Votes.of(run.judgements())
    rows = selective_rows(run.report, votes, labelled, risk)
    return Calibrated(calibration.model_copy(update={"selective": rows}), differ, won, votes)


def _with_earned(
    run: StoredRun, subject: Subject | None, calibration: Calibration
) -> tuple[Calibration, Earned | None]:
    """Return the calibration with a note on what it left alone in the ledger, and what the judge earned by it; None without a subject."""
    if subject is None:
        return calibration, None
    won = earned(run, subject.loaded, calibration)
    return calibration.model_copy(update={"notes": (*calibration.notes, *left_alone(won))}), won


def _stated(run: StoredRun, answers: Iterable[ClassifiedCase]) -> Iterator[Stated]:
    """Yield every probability that a classifier of the run stated: its scorers, and the cheap tiers of its cascades."""
    yield from stated_by_scorers(answers)
    if run.report.cascades:
        yield from stated_by_cascades(run.report.cascades, run.judgements())


def wordings_of(run: StoredRun) -> Wordings:
    """Return what a run's judge and classifiers were asked, by rubric and criterion; empty for a run that does not say."""
    by_judge: dict[tuple[str | None, str], str] = {
        (str(use.identity["rubric"]), criterion): asked
        for use in run.manifest.judges
        for criterion, asked in use.wordings.items()
    }
    return by_judge | {
        (use.scorer, CRITERION): use.asked_sha256 for use in run.manifest.classifiers if use.asked_sha256 is not None
    }


def _on_wordings(labels: Sequence[Label], wordings: Wordings, run: StoredRun) -> Iterator[str]:
    if run.manifest.judges and not any(use.wordings for use in run.manifest.judges):
        yield "this run does not say how its criteria were worded: labels are not held against the wording"
    count = unsaid(labels, wordings)
    if count:
        yield f"{count} labels do not say under which wording of the criterion they were made: they count as if under this one"
    other = sum(
        one.asked_sha256 is not None and wordings.get(one.item[2:], one.asked_sha256) != one.asked_sha256
        for one in labels
    )
    if other:
        yield f"{other} labels answer another wording of their criterion than the run's: excluded as other_wording"


def _shared(subject: Subject, labelled: Sequence[Labelled]) -> Iterator[str]:
    """Yield how many labelled cases are no observations of their own."""
    wanted = {one.item[0] for one in labelled}
    clusters = Counter(case.cluster for case in subject.golden if case.id in wanted and case.cluster is not None)
    sharing = sum(count for count in clusters.values() if count > 1)
    if sharing:
        yield (
            f"{sharing} of {len(wanted)} labelled cases share a cluster (`meta.cluster`) with another, {len(clusters)} clusters in all: bounds "
            "and intervals take every label as independent and are too narrow where the judge errs on a cluster as a whole"
        )


def _subject(run: StoredRun, suite: Path | None, notes: list[str]) -> Subject | None:
    """Return the run's suite and outputs; None, with a note, where they cannot be read or are another suite's."""
    manifest = run.manifest
    there = manifest.outputs_path if Path(manifest.outputs_path).is_file() else manifest.outputs
    request = RunRequest(suite=suite or Path(manifest.suite_path), outputs=(there,))
    try:
        found = open_subject(request, routed=True)
    except UserError as error:
        notes.append(f"no floor judge and no trust: the suite cannot be read: {str(error).splitlines()[0]}")
        return None
    if found.loaded.suite.name != manifest.suite:
        notes.append(f"no floor judge and no trust: {found.loaded.file} is another suite than the run's")
        return None
    return found


def _floor(run: StoredRun, subject: Subject | None, labelled: Sequence[Labelled], notes: list[str]) -> Floor | None:
    if not run.report.judges:
        return None
    if all(judge.judge == FLOOR_NAME for judge in run.report.judges):
        notes.append("the judge of this run is the floor judge: there is none to set beside it")
        return None
    return floor_labels(subject, labelled) if subject else None


def floor_labels(subject: Subject, labelled: Sequence[Labelled]) -> Floor:
    """Return what the floor judge says of the labelled answers of a suite; answers that have changed since are left out."""
    loaded = replace(subject.loaded, judge=JudgeConfig(), routes={})
    floor = replace(subject, loaded=loaded, columns=build_columns(loaded))
    texts = {(one.item[0], one.item[1]) for one in labelled}
    cases = {case_id for case_id, _ in texts}
    labels: dict[str, dict[LabelledItem, str]] = {}
    for judged in floor.judged():
        if judged.case.id not in cases:
            continue
        measurement = judged.column.measurement
        ends, _ = lookup(requests_for(measurement, judged.case, judged.output, range(1)), None)
        ended = [end for end in ends if end is not None]
        if not ended or (judged.case.id, ended[0].output_sha256) not in texts:
            continue
        for criterion in criteria_of(measurement):
            label = end_of(ended, criterion).label
            if label is not None:
                item = judged.case.id, ended[0].output_sha256, measurement.rubric.id, criterion
                labels.setdefault(measurement.capability, {})[item] = label
    return Floor(FLOOR_NAME, labels)
