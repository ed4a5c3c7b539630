"""`evalkit plan`: what a run would buy, before anything is spent."""

from __future__ import annotations

import sys

from evalkit.cli.options import (
    CacheOption,
    CaseOption,
    JsonOption,
    JudgeOption,
    LimitOption,
    OutputsOption,
    QuietOption,
    SamplesOption,
    SuiteArgument,
    TagOption,
    examples,
)

EXAMPLES = examples(
    "evalkit plan suites/support_rag --judge judge.yaml",
)


def plan(
    suite: SuiteArgument,
    *,
    outputs: OutputsOption = None,
    judge: JudgeOption = None,
    cache: CacheOption = None,
    case: CaseOption = None,
    tag: TagOption = None,
    limit: LimitOption = None,
    samples: SamplesOption = None,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Show what a run would buy and cost, without a call.

    Verdicts, tokens by component, cost, and what each lever saves.
    """
    from evalkit.cli import streams
    from evalkit.cli.progress import watcher
    from evalkit.pipeline.plan import plan_suite
    from evalkit.pipeline.request import RunRequest

    request = RunRequest(
        suite=suite,
        outputs=tuple(outputs or ()),
        judge=judge,
        cache=cache,
        cases=tuple(case or ()),
        tags=tuple(tag or ()),
        limit=limit,
        samples=samples,
    )
    plans = plan_suite(request, watcher(sys.stderr, quiet=quiet))
    if as_json:
        streams.print_json([found.model_dump() for found in plans])
        return
    from evalkit.reporting.plan_view import print_plan

    page = streams.out()
    for found in plans:
        print_plan(page, found)
