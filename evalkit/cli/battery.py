"""`evalkit battery`: what a classifier decides in batteries, over cached trajectories with expected decisions."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from evalkit.cli.exits import Exit
from evalkit.cli.experiment import SeedOption
from evalkit.cli.option_groups import grouped
from evalkit.cli.options import (
    CacheOption,
    CaseOptions,
    OneOutputsOption,
    OutOption,
    PrintOptions,
    SuiteArgument,
    examples,
    requested,
)

if TYPE_CHECKING:
    from evalkit.experiments.batteries.measure import BatteryPlan
    from evalkit.records.battery_reports import BatteryReport

EXAMPLES = examples(
    "evalkit battery suites/tool_guard",
    "evalkit battery suites/tool_relevance --battery tool_relevance --json",
    "evalkit battery suites/tool_guard --classifier classifier.yaml --plan",
)


@grouped
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
    outputs: OneOutputsOption = None,
    out: OutOption = Path("runs"),
    cache: CacheOption = None,
    only: CaseOptions,
    seed: SeedOption = 1,
    shown: PrintOptions,
) -> None:
    """Measure batteries on trajectories that were recorded.

    Each expected decision of the suite is made by the battery itself: confusion matrix, false decisions with intervals, the same answers
    under other thresholds, and a control in which the probabilities are shuffled. Writes OUT/batteries/SUITE/battery-DATE.json.

    Exit status: 0 measured, 2 bad input, 3 an evaluation failed, 130 interrupted.
    """
    from evalkit.cli.progress import watcher
    from evalkit.experiments.batteries.asking import asked_by, opened
    from evalkit.experiments.batteries.measure import open_measurement
    from evalkit.runstore.batteries import write_batteries

    request = requested(suite, only, outputs=outputs, out=out, cache=cache)
    found = open_measurement(request, name or ())
    config, asker = opened(classifier or found.batteries.classifier)
    with (
        watcher(sys.stderr, quiet=shown.quiet) as progress,
        asked_by(config, asker, request, progress, live=not plan) as asked,
    ):
        if plan:
            _show_plan(found.plan(asked), as_json=shown.as_json)
            return
        report = found.report(asked, seed=seed, cap=config.max_in_flight, progress=progress)
    _show(report, write_batteries(out, report), as_json=shown.as_json)
    if any(figures.excluded for figures in report.batteries):
        raise typer.Exit(Exit.INVALID)


def _show(report: BatteryReport, path: Path, *, as_json: bool) -> None:
    from evalkit.cli import streams

    if as_json:
        streams.print_json({"file": str(path), "report": report.model_dump(mode="json")})
        return
    from evalkit.reporting.battery_view import print_batteries
    from evalkit.reporting.escape import one_line

    page = streams.out()
    print_batteries(page, report)
    page.line()
    page.line(f"written: {one_line(str(path))}")


def _show_plan(plan: BatteryPlan, *, as_json: bool) -> None:
    from dataclasses import asdict

    from evalkit.cli import streams

    if as_json:
        streams.print_json(asdict(plan))
        return
    streams.out().line(
        f"would ask {plan.evaluations} evaluations, about {plan.tokens:,} input tokens (estimated); {plan.cached} are in the cache"
    )
