"""What the commands of experiments share: their options, and how a result is kept and shown."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from evalkit.cli.exits import Exit
from evalkit.cli.options import (
    CacheOption,
    CaseOptions,
    JudgeOption,
    MaxCostOption,
    OneOutputsOption,
    OutOption,
    PrintOptions,
    requested,
)

if TYPE_CHECKING:
    from evalkit.experiments.questions import Questions
    from evalkit.pipeline.request import RunRequest
    from evalkit.records.experiments import Experiment
    from evalkit.records.plans import Plan
    from evalkit.records.progress import Progress

OptionalSuite = Annotated[
    Path | None, typer.Argument(metavar="[SUITE]", help="A suite's folder, or its suite.yaml; or give --verdicts.")
]
VerdictsOption = Annotated[
    Path | None,
    typer.Option("--verdicts", metavar="FILE", help="Verdicts made elsewhere (external-verdicts/1); nothing is asked."),
]
PairRubricOption = Annotated[
    str | None,
    typer.Option("--rubric", metavar="NAME", help="A pairwise rubric, instead of the suite's own or `preference`."),
]
SeedOption = Annotated[int, typer.Option("--seed", min=0, metavar="N", help="Seed of whatever is drawn; recorded.")]
PlanOption = Annotated[bool, typer.Option("--plan", help="Say what would be bought and leave; no call.")]
RoundOption = Annotated[
    int | None,
    typer.Option(
        "--round",
        min=1000,
        max=999_999_999_999,
        metavar="N",
        help="Names the fresh verdicts, from 1000 on: the same number reads them again, another buys new ones. Default: of today (UTC) and this kind of experiment; drift counts on.",
    ),
]


@dataclass(frozen=True, slots=True, kw_only=True)
class AskOptions:
    """What an experiment asks, of whom, about which cases, and at what cost at the most."""

    plan: PlanOption = False
    outputs: OneOutputsOption = None
    judge: JudgeOption = None
    out: OutOption = Path("runs")
    cache: CacheOption = None
    only: CaseOptions
    max_cost: MaxCostOption = None

    def request(self, suite: Path) -> RunRequest:
        """Return what is asked for of a suite."""
        return requested(
            suite,
            self.only,
            outputs=self.outputs,
            judge=self.judge,
            out=self.out,
            cache=self.cache,
            max_cost=self.max_cost,
        )


def named(chosen: Sequence[str] | None, known: Iterable[str], what: str) -> list[str]:
    """Return the names chosen, all of them by default. Raises UsageError for an unknown one, with the known ones."""
    from evalkit.errors import UsageError

    names = list(known)
    for name in chosen or ():
        if name not in names:
            raise UsageError(f"no {what} {name!r}; known: {', '.join(names)}")
    return list(dict.fromkeys(chosen or names))


def measure(
    asked: Sequence[Questions],
    result: Callable[[], Experiment],
    ask: AskOptions,
    shown: PrintOptions,
    *,
    unfit: Callable[[Experiment], bool] = lambda _: False,
    kept: Callable[[Experiment], None] = lambda _: None,
) -> None:
    """Answer all questions, keep and print what they came to, and leave; with --plan, print what would be bought.

    `unfit` tells whether the experiment found the judge unfit to gate; `kept` is called once its file is written.
    """
    if carry_out(asked, shown, plan=ask.plan):
        found = result()
        show_experiment(found, ask.out, as_json=shown.as_json, kept=kept)
        leave(found, failed=unfit(found))


def carry_out(asked: Sequence[Questions], shown: PrintOptions, *, plan: bool) -> bool:
    """Answer all questions and return True; with `plan`, print what would be bought and return False."""
    from evalkit.cli.progress import watcher

    with watcher(sys.stderr, quiet=shown.quiet) as progress:
        plans = [questions.plan(progress) for questions in asked] if plan else []
        if not plan:
            _answer(asked, progress)
    if plan:
        _print_plans(plans, as_json=shown.as_json)
    return not plan


def _answer(asked: Sequence[Questions], progress: Progress) -> None:
    """Answer all questions under one limit of cost; after an interruption nothing more is asked."""
    spent, interrupted = 0.0, False
    for questions in asked:
        questions.answer(progress, spent=spent, interrupted=interrupted)
        spent += questions.purchases.cost_usd or 0.0
        interrupted = interrupted or questions.purchases.stopped == "interrupted"


def _print_plans(plans: Sequence[Plan], *, as_json: bool) -> None:
    from evalkit.cli import streams

    if as_json:
        streams.print_json([plan.model_dump() for plan in plans])
        return
    from evalkit.reporting.plan_view import print_plan

    for plan in plans:
        print_plan(streams.out(), plan)


def leave(experiment: Experiment, *, failed: bool = False) -> None:
    """Leave with the exit status of an experiment; `failed`: it found the judge unfit to gate."""
    if experiment.purchases.stopped == "interrupted":
        raise typer.Exit(Exit.INTERRUPTED)
    if failed or experiment.completeness == "incomplete":
        raise typer.Exit(Exit.INVALID)


def show_experiment(
    experiment: Experiment,
    out: Path,
    *,
    as_json: bool,
    queue: Path | None = None,
    kept: Callable[[Experiment], None] = lambda _: None,
) -> None:
    """Keep an experiment under `out` and print it; `kept` is called in between."""
    from evalkit.cli import streams
    from evalkit.runstore.experiments import write_experiment

    path = write_experiment(out, experiment)
    kept(experiment)
    if as_json:
        document = {"file": str(path), "review_queue": str(queue) if queue else None}
        streams.print_json({**document, "experiment": experiment.model_dump(mode="json")})
        return
    from evalkit.reporting.escape import one_line
    from evalkit.reporting.experiment_view import print_experiment

    page = streams.out()
    print_experiment(page, experiment)
    page.line()
    page.line(f"written: {one_line(str(path))}")
    if queue:
        page.line(f"to be reviewed: {one_line(str(queue))}")
