"""Verdicts that were made elsewhere against people: figures only, never trusted. Joined by case id and criterion; there is no hash."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from evalkit.calibration.compare import Comparison, compare
from evalkit.calibration.ends import external_sources
from evalkit.calibration.pair_labels import labels_as_named
from evalkit.calibration.people import labelled_items
from evalkit.calibration.report import Calibrated, new_calibration, refuse_nothing, standard
from evalkit.calibration.rows import BINARY
from evalkit.loading.external_verdicts import read_external_verdicts
from evalkit.loading.labels import read_labels

STANDARD = BINARY | {"A", "B", "tie"}
"""Words that mean the same everywhere: a judge may be wrong on every item without a misspelling."""


def calibrate_verdicts(verdicts: Path, labels: Path, *, labellers: Sequence[str] = (), seed: int = 1) -> Calibrated:
    """Return how far the judges of a file agree with people.

    Raises InputError with the faults of both files, and for a label on a case with several pairs;
    UsageError for an unknown labeller and where no label is about a verdict.
    """
    read, given = read_external_verdicts(verdicts), read_labels(labels)
    labelled = labelled_items(labels_as_named(verdicts, read, given.labels), standard(given.labels, labellers))
    sources = external_sources(read.verdicts)
    found: Comparison = compare(sources, labelled, seed=seed)
    refuse_nothing(found.rows, found.unmatched, len(labelled), f"{verdicts}")
    said = {(text, criterion) for source in sources for text, criterion in source.given}
    about = {((one.item[0], one.item[1]), one.item[3]) for one in labelled}
    calibration = new_calibration(given, labellers, found).model_copy(
        update={
            "suite": verdicts.stem,
            "checked": False,
            "verdicts_sha256": read.sha256,
            "unlabelled": len(said - about),
            "notes": ("verdicts made elsewhere: not checked by evalkit, never trusted", *_no_common_word(found)),
        }
    )
    return Calibrated(calibration, found.disagreements)


def _no_common_word(found: Comparison) -> Iterable[str]:
    """Yield a note per row whose verdicts use none of the labels' words: an agreement of 0 would then be one of spelling."""
    for row in found.rows:
        human, judge = {cell.human for cell in row.confusion}, {cell.judge for cell in row.confusion}
        if row.n and human.isdisjoint(judge) and not human | judge <= STANDARD:
            yield (
                f"{row.judge}, {row.criterion}: no verdict uses a word of the labels (labels: {', '.join(sorted(human))[:200]}; verdicts: "
                f"{', '.join(sorted(judge))[:200]}); words are compared letter by letter: write both alike"
            )
