"""`evalkit run`: score cached outputs, ask the judge what code cannot decide, write runs/ID."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from evalkit.cli.exits import Exit, worst
from evalkit.cli.options import (
    CacheOption,
    CaseOption,
    JsonOption,
    JudgeOption,
    LimitOption,
    OutOption,
    OutputsOption,
    QuietOption,
    SamplesOption,
    SuiteArgument,
    TagOption,
    examples,
)

if TYPE_CHECKING:
    from evalkit.pipeline.request import RunOutcome


EXAMPLES = examples(
    "evalkit run suites/support_rag",
    "evalkit run suites/support_rag --outputs baseline --outputs candidate",
    "evalkit run suites/support_rag --judge judge.yaml --max-cost 2.50 --run-id nightly",
)


def run(
    suite: SuiteArgument,
    *,
    outputs: OutputsOption = None,
    judge: JudgeOption = None,
    out: OutOption = Path("runs"),
    run_id: Annotated[
        str | None,
        typer.Option(
            "--run-id",
            metavar="ID",
            help="The run's name; an earlier run of the same suite is replaced. Default: from the clock.",
        ),
    ] = None,
    cache: CacheOption = None,
    record: Annotated[
        Path | None,
        typer.Option("--record", metavar="FILE", help="Write the replies of this run, for `client: replay`."),
    ] = None,
    case: CaseOption = None,
    tag: TagOption = None,
    limit: LimitOption = None,
    max_cost: Annotated[
        float | None,
        typer.Option("--max-cost", min=0, metavar="USD", help="Stop buying at this cost; needs prices in judge.yaml."),
    ] = None,
    samples: SamplesOption = None,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Score cached outputs against a golden set; writes runs/ID.

    What code can decide is decided in code; only the rest goes to the judge. Verdicts are bought once and kept.

    Exit status: 0 done, 1 a policy condition failed, 2 bad input, 3 invalid for gating, 130 interrupted.
    """
    from evalkit.cli.progress import watcher
    from evalkit.pipeline.request import RunRequest
    from evalkit.pipeline.run import run_suite
    from evalkit.reporting.markdown import report_markdown

    request = RunRequest(
        suite=suite,
        outputs=tuple(outputs or ()),
        judge=judge,
        out=out,
        run_id=run_id,
        cache=cache,
        record=record,
        cases=tuple(case or ()),
        tags=tuple(tag or ()),
        limit=limit,
        max_cost=max_cost,
        samples=samples,
    )
    progress = watcher(sys.stderr, quiet=quiet)
    try:
        outcomes = run_suite(request, report_markdown, progress)
    finally:
        progress.close()
    _show(outcomes, as_json=as_json)
    status = worst(outcome.exit_status for outcome in outcomes)
    if status != Exit.DONE:
        raise typer.Exit(status)


def _show(outcomes: Sequence[RunOutcome], *, as_json: bool) -> None:
    from evalkit.cli import streams

    if as_json:
        streams.print_json(
            {"exit_status": worst(o.exit_status for o in outcomes), "runs": [_as_json(o) for o in outcomes]}
        )
        return
    from evalkit.reporting.side_by_side import print_side_by_side
    from evalkit.reporting.terminal import print_headline, print_run

    page = streams.summary()
    if len(outcomes) == 1:
        outcome = outcomes[0]
        print_run(page, outcome.report, outcome.manifest, outcome.folder, outcome.first_failures)
        return
    for outcome in outcomes:
        print_headline(page, outcome.report, outcome.manifest, outcome.folder)
    print_side_by_side(page, [outcome.report for outcome in outcomes])


def _as_json(outcome: RunOutcome) -> dict[str, object]:
    return {
        "run_id": outcome.manifest.run_id,
        "folder": str(outcome.folder),
        "exit_status": outcome.exit_status,
        "report": outcome.report.model_dump(),
        "manifest": outcome.manifest.model_dump(),
    }
