"""`evalkit run`: score cached outputs, ask the judge what code cannot decide, write runs/ID."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from evalkit.cli.exits import Exit, worst
from evalkit.cli.gate import JunitOption, SummaryOption
from evalkit.cli.option_groups import grouped
from evalkit.cli.options import (
    CacheOption,
    CaseOptions,
    JudgeOption,
    MaxCostOption,
    OutOption,
    OutputsOption,
    PrintOptions,
    SamplesOption,
    SuiteArgument,
    examples,
    own_file,
    requested,
)

if TYPE_CHECKING:
    from evalkit.pipeline.request import RunOutcome
    from evalkit.records.gates import Gated


EXAMPLES = examples(
    "evalkit run suites/support_rag",
    "evalkit run suites/support_rag --outputs baseline --outputs candidate",
    "evalkit run suites/support_rag --judge judge.yaml --max-cost 2.50 --run-id nightly",
)


@grouped
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
        typer.Option(
            "--record",
            metavar="FILE",
            callback=own_file("recording"),
            help="Write the replies of this run, for `client: replay`.",
        ),
    ] = None,
    only: CaseOptions,
    max_cost: MaxCostOption = None,
    samples: SamplesOption = None,
    gate: Annotated[
        bool, typer.Option("--gate", help="Hold the run against its suite's gates, as `evalkit gate` does.")
    ] = False,
    junit: JunitOption = None,
    summary: SummaryOption = None,
    html: Annotated[bool, typer.Option("--html", help="Write report.html into the run's folder as well.")] = False,
    shown: PrintOptions,
) -> None:
    """Score cached outputs against a golden set; writes runs/ID.

    What code can decide is decided in code; only the rest goes to the judge. Verdicts are bought once and kept.

    Exit status: 0 done, 1 a policy condition or a gate failed, 2 bad input, 3 invalid for gating, 130 interrupted.
    """
    from dataclasses import replace

    from evalkit.cli.progress import watcher
    from evalkit.pipeline.run import run_suite
    from evalkit.reporting.markdown import report_markdown

    asked = requested(
        suite, only, outputs=outputs, judge=judge, out=out, cache=cache, max_cost=max_cost, samples=samples
    )
    request = replace(asked, run_id=run_id, record=record)
    gating = gate or junit is not None or summary is not None
    if gating:
        from evalkit.pipeline.gate import require_gates

        require_gates(suite)
    with watcher(sys.stderr, quiet=shown.quiet) as progress:
        outcomes = run_suite(request, report_markdown, progress)
    gates = _gated(outcomes, suite, junit, summary) if gating else {}
    pages = _pages(outcomes) if html else []
    _show(outcomes, gates, as_json=shown.as_json)
    if not shown.as_json:
        _name(pages)
    status = _status(outcomes, gates)
    if status != Exit.DONE:
        raise typer.Exit(status)


def _gated(outcomes: Sequence[RunOutcome], suite: Path, junit: Path | None, summary: Path | None) -> dict[Path, Gated]:
    """Return what the gates of each run that was written whole came to, and write it for CI."""
    from evalkit.cli.gate import write_for_ci
    from evalkit.pipeline.gate import gate_run
    from evalkit.runstore.reader import StoredRun

    runs = [StoredRun(outcome.folder) for outcome in outcomes if outcome.exit_status != Exit.INTERRUPTED]
    found = [(run, gate_run(run, suite)) for run in runs]
    write_for_ci(found, junit, summary)
    return {run.folder: gated for run, gated in found}


def _status(outcomes: Sequence[RunOutcome], gates: Mapping[Path, Gated]) -> int:
    from evalkit.cli.gate import status_of

    return worst([*(outcome.exit_status for outcome in outcomes), *(status_of(found) for found in gates.values())])


def _pages(outcomes: Sequence[RunOutcome]) -> list[Path]:
    """Write the page of each run and return where they stand."""
    from evalkit.cli.stored_page import write_page
    from evalkit.runstore.reader import StoredRun

    return [write_page(StoredRun(outcome.folder)).path for outcome in outcomes]


def _name(pages: Sequence[Path]) -> None:
    from evalkit.cli import streams
    from evalkit.reporting.escape import one_line

    for page in pages:
        streams.out().line(f"page: {one_line(str(page))}")


def _show(outcomes: Sequence[RunOutcome], gates: Mapping[Path, Gated], *, as_json: bool) -> None:
    from evalkit.cli import streams

    if as_json:
        streams.print_json(
            {"exit_status": _status(outcomes, gates), "runs": [_as_json(o, gates.get(o.folder)) for o in outcomes]}
        )
        return
    from evalkit.reporting.gate_view import print_gated
    from evalkit.reporting.side_by_side import print_side_by_side
    from evalkit.reporting.terminal import print_headline, print_run

    page = streams.out()
    if len(outcomes) == 1:
        outcome = outcomes[0]
        print_run(page, outcome.report, outcome.manifest, outcome.folder, outcome.first_failures)
    else:
        for outcome in outcomes:
            print_headline(page, outcome.report, outcome.manifest, outcome.folder)
        print_side_by_side(page, [outcome.report for outcome in outcomes])
    for found in gates.values():
        page.line()
        print_gated(page, found)


def _as_json(outcome: RunOutcome, gates: Gated | None) -> dict[str, object]:
    return {
        "run_id": outcome.manifest.run_id,
        "folder": str(outcome.folder),
        "exit_status": outcome.exit_status,
        "report": outcome.report.model_dump(),
        "manifest": outcome.manifest.model_dump(),
        **({} if gates is None else {"gates": gates.model_dump()}),
    }
