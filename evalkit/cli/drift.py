"""`evalkit drift`: cached verdicts bought again, to see whether the served model is still the one that was measured."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from evalkit.cli.experiment import (
    PlanOption,
    RoundOption,
    SeedOption,
    carry_out,
    leave,
    requested,
    show_experiment,
)
from evalkit.cli.options import (
    CacheOption,
    CaseOption,
    JsonOption,
    JudgeOption,
    LimitOption,
    MaxCostOption,
    OutOption,
    OutputsOption,
    QuietOption,
    SuiteArgument,
    TagOption,
    examples,
)

EXAMPLES = examples(
    "evalkit drift suites/support_rag --judge judge.yaml --sample 50 --plan",
    "evalkit drift suites/support_rag --judge judge.yaml --sample 50",
)


def drift(
    suite: SuiteArgument,
    *,
    sample: Annotated[
        int, typer.Option("--sample", min=1, metavar="N", help="Cached verdicts to buy again, at most.")
    ] = 50,
    plan: PlanOption = False,
    outputs: OutputsOption = None,
    judge: JudgeOption = None,
    out: OutOption = Path("runs"),
    cache: CacheOption = None,
    case: CaseOption = None,
    tag: TagOption = None,
    limit: LimitOption = None,
    max_cost: MaxCostOption = None,
    seed: SeedOption = 1,
    new_round: RoundOption = None,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Buy a sample of cached verdicts again and compare.

    Same configuration, fresh verdicts. Flips are set beside the judge's own flip probability, as `evalkit stability` measured it
    under the same configuration, and the snapshots that answered are compared.

    Exit status: 0 within noise or not measured, 2 bad input, 3 drift, another snapshot, or incomplete, 130 interrupted.
    """
    import sys

    from evalkit.cli.progress import watcher
    from evalkit.experiments.drift import Drift, drifted
    from evalkit.experiments.questions import round_of
    from evalkit.experiments.subject import open_subject

    request = requested(suite, outputs, judge, out, cache, case=case, tag=tag, limit=limit, max_cost=max_cost)
    progress = watcher(sys.stderr, quiet=quiet)
    experiment = Drift(open_subject(request), sample, seed, round_of(new_round), progress)
    if carry_out([experiment.questions], plan=plan, as_json=as_json, quiet=quiet):
        result = experiment.result()
        show_experiment(result, out, as_json=as_json)
        leave(result, failed=drifted(result))
