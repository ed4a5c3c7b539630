"""`evalkit calibrate`: a judge's verdicts against people's labels; a comparison's judge against their preferences."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from evalkit.cli.options import JsonOption, OutOption, PeopleLabelsOption, examples

if TYPE_CHECKING:
    from evalkit.calibration.report import Calibrated
    from evalkit.runstore.calibrations import CalibrationFiles
    from evalkit.runstore.reader import StoredRun

EXAMPLES = examples(
    "evalkit calibrate nightly --labels suites/support_rag/labels.jsonl",
    "evalkit calibrate judged --labels suites/support_rag/labels.jsonl --risk 0.05",
    "evalkit calibrate runs/comparisons/support_rag/candidate-vs-baseline --labels preferences.jsonl",
    "evalkit calibrate --verdicts verdicts.jsonl --labels labels.jsonl",
)


def calibrate(
    run: Annotated[
        str | None,
        typer.Argument(
            metavar="[RUN|COMPARISON]",
            help="A run's id, its folder, or `latest`; or a comparison's folder; or give --verdicts.",
        ),
    ] = None,
    *,
    labels: PeopleLabelsOption,
    verdicts: Annotated[
        Path | None,
        typer.Option(
            "--verdicts", metavar="FILE", help="Verdicts made elsewhere (external-verdicts/1) instead of a run."
        ),
    ] = None,
    labeller: Annotated[
        list[str] | None,
        typer.Option(
            "--labeller",
            metavar="NAME",
            help="Whose labels are the standard; repeatable. Default: all, by strict majority.",
        ),
    ] = None,
    suite: Annotated[
        Path | None, typer.Option("--suite", metavar="SUITE", help="Where the run's suite is now, if it has moved.")
    ] = None,
    risk: Annotated[
        float | None,
        typer.Option(
            "--risk",
            metavar="SHARE",
            help="Which verdicts of a judge with several samples a case, and which answers of a classifier, may decide alone with at "
            "most this share of errors.",
        ),
    ] = None,
    no_ledger: Annotated[
        bool, typer.Option("--no-ledger", help="Measure only: leave the suite's trust.json as it is.")
    ] = False,
    out: OutOption = Path("runs"),
    seed: Annotated[int, typer.Option("--seed", min=0, metavar="N", help="Seed of weighted bounds; recorded.")] = 1,
    as_json: JsonOption = False,
) -> None:
    """Measure how far a judge agrees with people.

    Per capability and criterion: agreement, true-pass and true-fail rate with bounds, kappa, AC1, confusion counts, beside the floor
    judge, the same label for everything, and what people agree among themselves; of classifier scorers the same, and whether
    their probabilities come true. Labels are joined to verdicts by case, hash of the output and criterion. Of a comparison labels are
    A, B and tie: agreement, kappa and confusion, pairs that depend on the order by each rule, beside "the longer one wins"; they gate
    nothing and earn no trust. Writes OUT/calibrations/SUITE/calibration-DATE.json, .jsonl with every disagreement, and .md; and what
    the judge has earned, criterion by criterion, into trust.json in the suite's folder.

    Exit status: 0 measured, 2 bad input.
    """
    from evalkit.runstore.comparisons import comparison_at

    _refuse_mixed(run, verdicts, risk)
    if verdicts is not None:
        from evalkit.calibration.external import calibrate_verdicts

        found = calibrate_verdicts(verdicts, labels, labellers=labeller or (), seed=seed)
    elif (folder := comparison_at(run or "")) is not None:
        from evalkit.experiments.calibrating_pairs import calibrate_pairs

        _refuse_of_runs(suite, risk)
        found = calibrate_pairs(folder, labels, labellers=labeller or (), seed=seed)
    else:
        from evalkit.runstore.reader import open_run

        found = _of_run(open_run(run or "", out), labels, suite=suite, labellers=labeller or (), risk=risk, seed=seed)
    files, ledger = _keep(found, out, with_ledger=not no_ledger)
    if as_json:
        _print_json(found, files, ledger)
    else:
        _show(found, (*files, *([ledger] if ledger else [])))


def _refuse_mixed(run: str | None, verdicts: Path | None, risk: float | None) -> None:
    """Raise UsageError unless one thing is named whose verdicts are compared, and a risk, if any, that can be kept of it."""
    from evalkit.errors import UsageError

    if (run is None) == (verdicts is None):
        raise UsageError("name a RUN whose verdicts are compared, or a file with --verdicts; not both")
    if risk is not None and (verdicts is not None or not 0 < risk < 1):
        raise UsageError("--risk is a share above 0 and below 1, of a RUN's verdicts")


def _refuse_of_runs(suite: Path | None, risk: float | None) -> None:
    """Raise UsageError where something is asked of a comparison that only a run has."""
    from evalkit.errors import UsageError

    if suite is not None or risk is not None:
        raise UsageError("--suite and --risk are about a RUN; a comparison of candidates needs neither")


def _of_run(
    run: StoredRun,
    labels: Path,
    *,
    suite: Path | None,
    labellers: Sequence[str],
    risk: float | None,
    seed: int,
) -> Calibrated:
    """Calibrate a run, and put what a person should look at into its review queue."""
    from evalkit.experiments.calibrating import calibrate_run
    from evalkit.pipeline.review_queue import queue_disagreements, queue_uncertain

    found = calibrate_run(run, labels, suite=suite, labellers=labellers, risk=risk, seed=seed)
    queue_disagreements(run, found.disagreements)
    queue_uncertain(run, found.calibration.selective, found.votes)
    return found


def _keep(found: Calibrated, out: Path, *, with_ledger: bool) -> tuple[CalibrationFiles, Path | None]:
    """Write a calibration and what the judge has earned; return the files, and the ledger's where one was written."""
    from evalkit.reporting.calibration_view import calibration_markdown
    from evalkit.runstore.calibrations import write_calibration
    from evalkit.runstore.ledger import write_ledger

    calibration, disagreements = found.calibration, found.disagreements
    files = write_calibration(out, calibration, disagreements, calibration_markdown(calibration, disagreements))
    earned = found.earned if with_ledger and found.earned and found.earned.enters else None
    return files, None if earned is None else write_ledger(earned.folder, earned.ledger)


def _print_json(found: Calibrated, files: CalibrationFiles, ledger: Path | None) -> None:
    from evalkit.cli import streams

    streams.print_json(
        {
            "file": str(files.calibration),
            "disagreements": str(files.disagreements),
            "markdown": str(files.markdown),
            "ledger": None if ledger is None else str(ledger),
            "calibration": found.calibration.model_dump(mode="json"),
            "trust": [row.model_dump(mode="json") for row in found.earned.rows] if found.earned else [],
        }
    )


def _show(found: Calibrated, written: Iterable[Path]) -> None:
    from evalkit.cli import streams
    from evalkit.reporting.calibration_view import print_calibration
    from evalkit.reporting.escape import one_line
    from evalkit.reporting.trust_view import print_earned

    page = streams.out()
    print_calibration(page, found.calibration, found.disagreements)
    if found.earned:
        print_earned(page, found.earned.rows, found.earned.before, found.earned.left)
    for path in written:
        page.line(f"written: {one_line(str(path))}")
