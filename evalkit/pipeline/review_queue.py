"""The review queue of a run, made from its sources: the run's own verdicts, the newest flips of stability, and what others added.

An item of another source is taken in only where it is about this run's very answer and judge configuration; what an earlier run
under the same id left behind falls away with its answers.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from evalkit.pipeline.review_items import classified_items, disagreement_items, items_of, uncertain_items
from evalkit.records.classified import ClassifiedCase
from evalkit.records.review import KINDS, JudgedKey, ReviewItem
from evalkit.records.verdicts import Judgement
from evalkit.runstore.experiments import stored_queue
from evalkit.runstore.reader import StoredRun, runs_under
from evalkit.runstore.reviews import drop_queue, drop_source, in_order, read_source, write_queue, write_source

if TYPE_CHECKING:
    # Every judged run writes a queue; only what comes after a calibration imports it.
    from evalkit.calibration.selective import Votes
    from evalkit.records.calibrations import Disagreement, Selective


def queue_of(run: StoredRun) -> list[ReviewItem]:
    """Make a stored run's queue anew, write it, and return it. Raises RunStoreError."""
    by_use: dict[tuple[str, str, str], list[Judgement]] = defaultdict(list)
    for judgement in run.judgements():
        by_use[judgement.case_id, judgement.capability, judgement.rubric].append(judgement)
    return write_run_queue(run.folder, run.manifest.suite, by_use.values(), run.classified())


def write_run_queue(
    folder: Path, suite: str, judged: Iterable[Sequence[Judgement]], classified: Iterable[ClassifiedCase] = ()
) -> list[ReviewItem]:
    """Write the queue of the run in `folder` and return it; `judged` holds the samples of each case and judge use.

    `classified` holds what classifier scorers answered.

    Where there is nothing to look at there is no file. Raises RunStoreError.
    """
    keys: set[JudgedKey] = set()
    own: list[ReviewItem] = []
    for judgements in judged:
        first = judgements[0]
        keys.add((first.case_id, first.capability, first.output_sha256, first.judge_config_hash))
        own += items_of(judgements)
    answers = list(classified)
    keys |= {(one.case_id, one.capability, one.output_sha256, one.configuration_hash) for one in answers}
    own += classified_items(answers)
    items = [*_fitting(stored_queue(folder.parent, suite), keys), *own] if keys else own
    for kind in KINDS:
        items += _fitting(read_source(folder, kind) or (), keys)
    if items:
        write_queue(folder, items)
    else:
        drop_queue(folder)
    return in_order(items)


def _fitting(items: Iterable[ReviewItem], keys: set[JudgedKey]) -> Iterator[ReviewItem]:
    return (item for item in items if item.judged in keys)


def queue_disagreements(run: StoredRun, found: Iterable[Disagreement]) -> None:
    """Put what a calibration of a run found into its queue, in the place of what an earlier one found. Raises RunStoreError."""
    write_source(run.folder, "disagreement", disagreement_items(found))
    queue_of(run)


def queue_uncertain(run: StoredRun, rows: Iterable[Selective], votes: Votes | None) -> None:
    """Put what a judge may not decide alone into a run's queue, in the place of what was there.

    Without votes, where no risk was asked for, or with one sample a case nothing is sent: there is no vote to be unsure of. Raises
    RunStoreError.
    """
    voted = [row for row in rows if row.labels and row.samples > 1]
    if votes is None or not voted:
        drop_source(run.folder, "uncertain")
        queue_of(run)
        return
    from evalkit.calibration.selective import uncertain

    items = [
        item
        for row in voted
        for item in uncertain_items(row.capability, row.rubric, row.criterion, row.threshold, uncertain(row, votes))
    ]
    write_source(run.folder, "uncertain", items)
    queue_of(run)


def queues_after(out: Path, suite: str, configurations: frozenset[str]) -> list[Path]:
    """Make the queues of all runs of a suite under one of these judge configurations anew; return the runs' folders.

    For an experiment that has found something about their judge. Raises RunStoreError.
    """
    renewed = []
    for run in runs_under(out):
        uses = {use.judge_config_hash for use in run.manifest.judges}
        if run.manifest.suite == suite and uses & configurations:
            queue_of(run)
            renewed.append(run.folder)
    return renewed
