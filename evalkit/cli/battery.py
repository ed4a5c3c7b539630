"""`evalkit battery`: what a classifier decides in batteries, over cached trajectories with expected decisions."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from evalkit.cli.exits import Exit
from evalkit.cli.experiment import SeedOption, requested
from evalkit.cli.options import (
    CacheOption,
    CaseOption,
    JsonOption,
    LimitOption,
    OutOption,
    OutputsOption,
    QuietOption,
    SuiteArgument,
    TagOption,
    examples,
)

if TYPE_CHECKING:
    from evalkit.experiments.batteries.measure import BatteryPlan

EXAMPLES = examples(
    "evalkit battery suites/tool_guard",
    "evalkit battery suites/tool_relevance --battery tool_relevance --json",
    "evalkit battery suites/tool_guard --classifier classifier.yaml --plan",
)


def battery(
    suite: SuiteArgument,
    *,
    classifier: Annotated[
        Path | None,
        typer.Option("--classifier", metavar="FILE", help="A classifier.yaml. Default: the suite's, or the floor."),
    ] = None,
    name: Annotated[
        list[str] | None, typer.Option("--battery", metavar="NAME", help="Only this battery; repeatable.")
    ] = None,
    plan: Annotated[bool, typer.Option("--plan", help="Say what would be asked and leave; no call.")] = False,
    outputs: OutputsOption = None,
    out: OutOption = Path("runs"),
    cache: CacheOption = None,
    case: CaseOption = None,
    tag: TagOption = None,
    limit: LimitOption = None,
    seed: SeedOption = 1,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Measure batteries on trajectories that were recorded.

    Each expected decision of the suite is made by the battery itself: confusion matrix, false decisions with intervals, the same answers
    under other thresholds, and a control in which the probabilities are shuffled. Writes OUT/batteries/SUITE/battery-DATE.json.

    Exit status: 0 measured, 2 bad input, 3 an evaluation failed, 130 interrupted.
    """
    from evalkit.cli import streams
    from evalkit.cli.progress import watcher
    from evalkit.experiments.batteries.asking import asked_by, opened
    from evalkit.experiments.batteries.measure import open_measurement
    from evalkit.runstore.batteries import write_batteries

    request = requested(suite, outputs, None, out, cache, case=case, tag=tag, limit=limit, max_cost=None)
    found = open_measurement(request, name or ())
    config, asker = opened(classifier or found.batteries.classifier)
    progress = watcher(sys.stderr, quiet=quiet)
    try:
        with asked_by(config, asker, request, progress, live=not plan) as asked:
            if plan:
                _show_plan(found.plan(asked), as_json=as_json)
                return
            report = found.report(asked, seed=seed, cap=config.max_in_flight, progress=progress)
    finally:
        progress.close()
    path = write_batteries(out, report)
    if as_json:
        streams.print_json({"file": str(path), "report": report.model_dump(mode="json")})
    else:
        from evalkit.reporting.battery_view import print_batteries
        from evalkit.reporting.escape import one_line

        page = streams.out()
        print_batteries(page, report)
        page.line()
        page.line(f"written: {one_line(str(path))}")
    if any(figures.excluded for figures in report.batteries):
        raise typer.Exit(Exit.INVALID)


def _show_plan(plan: BatteryPlan, *, as_json: bool) -> None:
    from dataclasses import asdict

    from evalkit.cli import streams

    if as_json:
        streams.print_json(asdict(plan))
        return
    streams.out().line(
        f"would ask {plan.evaluations} evaluations, about {plan.tokens:,} input tokens (estimated); {plan.cached} are in the cache"
    )
