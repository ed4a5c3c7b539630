"""Pages of stored runs: everything they may show is gathered here and written, whole or not at all."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from evalkit.errors import RunStoreError
from evalkit.experiments.beside_run import Swapped, beside_run, comparison_beside
from evalkit.pipeline.page_figures import bands_by_row, tokens_by_capability
from evalkit.pipeline.read_back import read_back
from evalkit.records.calibrations import Calibration
from evalkit.records.diffs import RunDiff
from evalkit.records.reports import Report
from evalkit.reporting.html.diff_material import DiffMaterial, changed_cases
from evalkit.reporting.html.document import diff_html, report_html
from evalkit.reporting.html.material import PageMaterial, listed_ids
from evalkit.runstore.calibrations import stored_calibrations
from evalkit.runstore.comparisons import stored_comparisons
from evalkit.runstore.experiments import stored_experiments, stored_queue
from evalkit.runstore.layout import HTML
from evalkit.runstore.own_files import write_own
from evalkit.runstore.reader import StoredRun
from evalkit.runstore.verify import verify


class WrittenPage(NamedTuple):
    """A page on the disk."""

    path: Path
    notes: tuple[str, ...]
    """Which texts it lacks, and why."""


def write_page(run: StoredRun, file: Path | None = None, suite: Path | None = None) -> WrittenPage:
    """Write the page of a run to `file`, by default report.html in the run's folder.

    `suite` overrides where the manifest says the suite is. Raises RunStoreError where the run cannot be read or the disk
    refuses, UsageError where another kind of file is there, or `file` stands in another run's folder.
    """
    path = file or run.folder / HTML
    material = gather(run, suite)
    write_own(path, report_html(material), "render", run=run.folder)
    return WrittenPage(path, material.texts.notes)


def write_diff_page(
    runs: tuple[StoredRun, StoredRun], diff: RunDiff, file: Path, suite: Path | None = None
) -> WrittenPage:
    """Write the page of a comparison; `suite` overrides where the manifests say the suite is.

    Raises RunStoreError where a run cannot be read or the disk refuses, UsageError where another kind of file is there.
    """
    ids = {case.case_id for case in changed_cases(diff)}
    material = DiffMaterial(
        diff=diff,
        manifests=(runs[0].manifest, runs[1].manifest),
        failures=(list(runs[0].failures()), list(runs[1].failures())),
        texts=(read_back(runs[0].manifest, ids, suite), read_back(runs[1].manifest, ids, suite)),
    )
    write_own(file, diff_html(material), "diff")
    return WrittenPage(file, tuple(dict.fromkeys((*material.texts[0].notes, *material.texts[1].notes))))


def gather(run: StoredRun, suite: Path | None) -> PageMaterial:
    """Return what a run's page may show. Raises RunStoreError where the run cannot be read."""
    faults = tuple(str(fault) for fault in verify(run))
    failures, judgements = list(run.failures()), list(run.judgements())
    scores = run.scores() if run.has_scores else None
    texts = read_back(run.manifest, set(listed_ids(failures, judgements, scores)), suite)
    beside, unread = [], ""
    swapped: Swapped | None = None
    flips: frozenset[tuple[str, str]] = frozenset()
    calibrations: list[Calibration] = []
    out, name = run.folder.parent, run.manifest.suite
    try:
        beside = beside_run(run.report, run.manifest.judges, stored_experiments(out, name))
        swapped = comparison_beside(run.manifest.judges, stored_comparisons(out, name))
        flips = _flips(run.report, out, name)
        calibrations = [calibration for _, calibration in stored_calibrations(out, name)]
    except RunStoreError as error:
        unread = str(error)
    return PageMaterial(
        report=run.report,
        manifest=run.manifest,
        failures=failures,
        judgements=judgements,
        texts=texts,
        scores=scores,
        beside=beside,
        swapped=swapped,
        calibrations=calibrations,
        unread=unread,
        faults=faults,
        flips=flips,
        bands=bands_by_row(run.report, judgements, texts.outputs),
        tokens=tokens_by_capability(judgements),
    )


def _flips(report: Report, out: Path, suite: str) -> frozenset[tuple[str, str]]:
    """Return the cases in the review queue whose grade flipped under a judge configuration of this run."""
    uses = {judge.judge_config_hash for judge in report.judges}
    return frozenset(
        (item.case_id, item.output_sha256) for item in stored_queue(out, suite) if item.judge_config_hash in uses
    )
