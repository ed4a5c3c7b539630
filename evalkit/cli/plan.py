"""`evalkit plan`: what a run would buy, before anything is spent."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from evalkit.cli.option_groups import grouped
from evalkit.cli.options import (
    CacheOption,
    CaseOptions,
    JudgeOption,
    OutputsOption,
    PrintOptions,
    SamplesOption,
    SuiteArgument,
    examples,
    requested,
)

if TYPE_CHECKING:
    from evalkit.pipeline.request import RunRequest

EXAMPLES = examples(
    "evalkit plan suites/support_rag --judge judge.yaml",
    "evalkit plan suites/support_rag --labels --fail-share 0.12",
)


@grouped
def plan(
    suite: SuiteArgument,
    *,
    outputs: OutputsOption = None,
    judge: JudgeOption = None,
    cache: CacheOption = None,
    only: CaseOptions,
    samples: SamplesOption = None,
    labels: Annotated[
        bool, typer.Option("--labels", help="How many labels the suite's trust bars take, instead of what a run buys.")
    ] = False,
    fail_share: Annotated[
        float,
        typer.Option("--fail-share", metavar="SHARE", help="Expected share of answers that people fail, for --labels."),
    ] = 0.12,
    shown: PrintOptions,
) -> None:
    """Show what a run would buy and cost, without a call.

    Verdicts, tokens by component, cost, and what each lever saves. With --labels: how many labels of which kind the bars of
    suite.yaml take, and what a comparison of so many cases can show.
    """
    from evalkit.cli import streams
    from evalkit.cli.progress import watcher
    from evalkit.pipeline.plan import plan_suite

    request = requested(suite, only, outputs=outputs, judge=judge, cache=cache, samples=samples)
    with watcher(sys.stderr, quiet=shown.quiet) as progress:
        plans = plan_suite(request, progress)
    if labels:
        _labels(request, {row.capability: row.cases for row in plans[0].rows}, fail_share, as_json=shown.as_json)
        return
    if shown.as_json:
        streams.print_json([found.model_dump() for found in plans])
        return
    from evalkit.reporting.plan_view import print_plan

    page = streams.out()
    for found in plans:
        print_plan(page, found)


def _labels(request: RunRequest, cases: dict[str, int], fail_share: float, *, as_json: bool) -> None:
    """Print how many labels it takes; `cases` are the judged cases of each capability."""
    from evalkit.calibration.planning import label_plan
    from evalkit.cli import streams
    from evalkit.pipeline.run import configured

    suite = configured(request).suite
    found = label_plan(suite.name, suite.trust, fail_share, cases)
    if as_json:
        streams.print_json(found.model_dump(mode="json"))
        return
    from evalkit.reporting.label_plan_view import print_label_plan

    print_label_plan(streams.out(), found)
