"""`evalkit drift`: cached verdicts bought again, to see whether the served model is still the one that was measured."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from evalkit.cli.experiment import AskOptions, RoundOption, SeedOption, measure
from evalkit.cli.option_groups import grouped
from evalkit.cli.options import PrintOptions, SuiteArgument, examples

EXAMPLES = examples(
    "evalkit drift suites/support_rag --judge judge.yaml --sample 50 --plan",
    "evalkit drift suites/support_rag --judge judge.yaml --sample 50",
)


@grouped
def drift(
    suite: SuiteArgument,
    *,
    sample: Annotated[
        int, typer.Option("--sample", min=1, metavar="N", help="Cached verdicts to buy again, at most.")
    ] = 50,
    ask: AskOptions,
    seed: SeedOption = 1,
    new_round: RoundOption = None,
    shown: PrintOptions,
) -> None:
    """Buy a sample of cached verdicts again and compare.

    Same configuration, fresh verdicts. Flips are set beside the judge's own flip probability, as `evalkit stability` measured it
    under the same configuration, and the snapshots that answered are compared. Nothing that was bought before is read again; only a
    drift that was interrupted goes on, with the same command on the same day.

    Exit status: 0 within noise or not measured, 2 bad input, 3 drift, another snapshot, or incomplete, 130 interrupted.
    """
    from evalkit.cli.progress import watcher
    from evalkit.experiments.drift import Drift, drifted
    from evalkit.experiments.subject import open_subject

    subject = open_subject(ask.request(suite))
    with watcher(sys.stderr, quiet=shown.quiet) as progress:
        experiment = Drift(subject, sample, seed, new_round, progress)
        if not ask.plan:
            experiment.begin()
    measure([experiment.questions], experiment.result, ask, shown, unfit=drifted, kept=experiment.finish)
