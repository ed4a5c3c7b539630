"""What the commands of experiments share: their options, and how a result is kept and shown."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from evalkit.cli.exits import Exit

if TYPE_CHECKING:
    from evalkit.experiments.questions import Questions
    from evalkit.pipeline.request import RunRequest
    from evalkit.records.experiments import Experiment
    from evalkit.records.plans import Plan

OptionalSuite = Annotated[
    Path | None, typer.Argument(metavar="[SUITE]", help="A suite's folder, or its suite.yaml; or give --verdicts.")
]
VerdictsOption = Annotated[
    Path | None,
    typer.Option("--verdicts", metavar="FILE", help="Verdicts made elsewhere (external-verdicts/1); nothing is asked."),
]
SeedOption = Annotated[int, typer.Option("--seed", min=0, metavar="N", help="Seed of whatever is drawn; recorded.")]
PlanOption = Annotated[bool, typer.Option("--plan", help="Say what would be bought and leave; no call.")]
RoundOption = Annotated[
    int | None,
    typer.Option(
        "--round",
        min=1000,
        max=99_999_999,
        metavar="N",
        help="Names the fresh verdicts, from 1000 on: the same number reads them again, another buys new ones. Default: today, YYYYMMDD (UTC).",
    ),
]


def requested(
    suite: Path,
    outputs: list[str] | None,
    judge: Path | None,
    out: Path,
    cache: Path | None,
    *,
    case: list[str] | None,
    tag: list[str] | None,
    limit: int | None,
    max_cost: float | None,
) -> RunRequest:
    """Return what the options that experiments share with `run` ask for."""
    from evalkit.pipeline.request import RunRequest

    return RunRequest(
        suite=suite,
        outputs=tuple(outputs or ()),
        judge=judge,
        out=out,
        cache=cache,
        cases=tuple(case or ()),
        tags=tuple(tag or ()),
        limit=limit,
        max_cost=max_cost,
    )


def named(chosen: Sequence[str] | None, known: Iterable[str], what: str) -> list[str]:
    """Return the names chosen, all of them by default. Raises UsageError for an unknown one, with the known ones."""
    from evalkit.errors import UsageError

    names = list(known)
    for name in chosen or ():
        if name not in names:
            raise UsageError(f"no {what} {name!r}; known: {', '.join(names)}")
    return list(dict.fromkeys(chosen or names))


def carry_out(asked: Sequence[Questions], *, plan: bool, as_json: bool, quiet: bool) -> bool:
    """Answer all questions and return True; with `plan`, print what would be bought and return False."""
    from evalkit.cli.progress import watcher

    progress = watcher(sys.stderr, quiet=quiet)
    if plan:
        _print_plans([questions.plan(progress) for questions in asked], as_json=as_json)
        return False
    try:
        spent, interrupted = 0.0, False
        for questions in asked:
            questions.answer(progress, spent=spent, interrupted=interrupted)
            spent += questions.purchases.cost_usd or 0.0
            interrupted = interrupted or questions.purchases.stopped == "interrupted"
    finally:
        progress.close()
    return True


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


def show_experiment(experiment: Experiment, out: Path, *, as_json: bool, queue: Path | None = None) -> None:
    """Keep an experiment under `out` and print it."""
    from evalkit.cli import streams
    from evalkit.runstore.experiments import write_experiment

    path = write_experiment(out, experiment)
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
