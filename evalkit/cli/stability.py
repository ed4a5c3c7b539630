"""`evalkit stability`: the same questions several times, and how far the verdicts agree with each other."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from evalkit.cli.experiment import (
    AskOptions,
    OptionalSuite,
    SeedOption,
    VerdictsOption,
    carry_out,
    leave,
    show_experiment,
)
from evalkit.cli.option_groups import grouped
from evalkit.cli.options import PrintOptions, examples

EXAMPLES = examples(
    "evalkit stability suites/support_rag --runs 3 --plan",
    "evalkit stability suites/support_rag --runs 3",
    "evalkit stability --verdicts verdicts.jsonl",
)


@grouped
def stability(
    suite: OptionalSuite = None,
    *,
    verdicts: VerdictsOption = None,
    runs: Annotated[
        int, typer.Option("--runs", min=2, max=25, metavar="N", help="Verdicts per case; none answers for another.")
    ] = 3,
    ask: AskOptions,
    seed: SeedOption = 1,
    shown: PrintOptions,
) -> None:
    """Measure how far a judge agrees with itself.

    Asks the same questions N times and writes OUT/experiments/SUITE/stability-DATE.json and, with every verdict that flipped,
    review_queue.jsonl beside it; the queues of runs under the same judge take the flips in. A capability whose lower bound of
    pairwise agreement is under the suite's floor (budgets.self_agreement) is unstable and supports no gate.

    Exit status: 0 measured, 2 bad input, 3 unstable or incomplete, 130 interrupted.
    """
    from evalkit.errors import UsageError

    if (suite is None) == (verdicts is None):
        raise UsageError("name a SUITE whose judge is asked, or a file with --verdicts; not both")
    if verdicts is not None:
        from evalkit.experiments.external import stability_of_verdicts

        show_experiment(stability_of_verdicts(verdicts, seed), ask.out, as_json=shown.as_json)
        return
    from evalkit.experiments.stability import Stability
    from evalkit.experiments.subject import open_subject
    from evalkit.pipeline.review_queue import queues_after
    from evalkit.runstore.experiments import write_queue

    experiment = Stability(open_subject(ask.request(suite or Path())), runs, seed)
    if not carry_out([experiment.questions], shown, plan=ask.plan):
        return
    result = experiment.result()
    flips = experiment.queue()
    queue = write_queue(ask.out, result.suite, flips, experiment.measured)
    queues_after(ask.out, result.suite, frozenset(judge.judge_config_hash or "" for judge in result.judges))
    show_experiment(result, ask.out, as_json=shown.as_json, queue=queue if flips else None)
    leave(result, failed=bool(result.unstable))
