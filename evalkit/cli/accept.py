"""`evalkit accept`: generator, judge and state machine over a suite, cached or live."""

from __future__ import annotations

import sys
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from evalkit.cli.exits import Exit
from evalkit.cli.experiment import PlanOption
from evalkit.cli.option_groups import grouped
from evalkit.cli.options import (
    CacheOption,
    CaseOptions,
    JudgeOption,
    MaxCostOption,
    OneOutputsOption,
    OutOption,
    PrintOptions,
    SuiteArgument,
    examples,
    own_file,
    requested,
)

if TYPE_CHECKING:
    from evalkit.acceptance.generator import GeneratorConfig
    from evalkit.acceptance.request import AcceptOutcome, AcceptRequest

EXAMPLES = examples(
    "evalkit accept suites/refund_replies",
    "evalkit accept suites/refund_replies --export acceptance.yaml",
    "evalkit accept suites/refund_replies --generator 'python3 examples/generators/improves.py'",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class GeneratorOptions:
    """A generator that is asked live, and its limits; without one, cached attempts are replayed."""

    generator: Annotated[
        str | None,
        typer.Option("--generator", metavar="CMD", help="Live: a command; one JSON object on stdin, one on stdout."),
    ] = None
    shell: Annotated[bool, typer.Option("--shell", help="Run the command in a shell.")] = False
    generator_model: Annotated[
        str | None,
        typer.Option(
            "--generator-model", metavar="MODEL|FILE", help="Live: a litellm model, or a file like judge.yaml."
        ),
    ] = None
    candidate: Annotated[
        Path | None,
        typer.Option("--candidate", metavar="FILE", help="A candidate.yaml: model and family behind --generator."),
    ] = None
    time_limit: Annotated[
        float, typer.Option("--time-limit", min=0.1, metavar="S", help="Seconds of one command before it is killed.")
    ] = 120.0
    max_output: Annotated[
        int, typer.Option("--max-output", min=1, metavar="BYTES", help="Most bytes that a command may write.")
    ] = 1 << 20
    jobs: Annotated[int, typer.Option("--jobs", min=1, max=64, metavar="N", help="Live turns at once.")] = 4

    def config(self) -> GeneratorConfig | None:
        """Return the generator that is named, None where none is. Raises UsageError for two, InputError for faulty files."""
        from evalkit.acceptance.setup import command_generator, model_generator
        from evalkit.errors import UsageError

        if self.generator is not None and self.generator_model is not None:
            raise UsageError("--generator and --generator-model: one of them makes the candidates")
        if self.generator is not None:
            named = command_generator(self.generator, self.candidate, shell=self.shell)
        elif self.generator_model is not None:
            named = model_generator(self.generator_model, self.candidate)
        else:
            self._refuse_without_generator()
            return None
        if self.generator is None and self.shell:
            raise UsageError("--shell runs the command of --generator; --generator-model runs none")
        return replace(named, time_limit_s=self.time_limit, max_bytes=self.max_output, jobs=self.jobs)

    def _refuse_without_generator(self) -> None:
        """Raise UsageError for what only a live generator could heed."""
        from evalkit.errors import UsageError

        plain = GeneratorOptions()
        given = [
            f"--{one.name.replace('_', '-')}"
            for one in fields(self)
            if getattr(self, one.name) != getattr(plain, one.name)
        ]
        if given:
            raise UsageError(
                f"{', '.join(given)}: of a live generator (--generator or --generator-model); cached attempts name their candidate in "
                "candidate.yaml beside outputs.jsonl"
            )


@grouped
def accept(
    suite: SuiteArgument,
    *,
    outputs: OneOutputsOption = None,
    spec: Annotated[
        Path | None,
        typer.Option("--spec", metavar="FILE", help="An acceptance specification instead of the suite's own terms."),
    ] = None,
    export: Annotated[
        Path | None,
        typer.Option(
            "--export",
            metavar="FILE",
            callback=own_file("specification"),
            help="Write the suite's specification and leave.",
        ),
    ] = None,
    live: GeneratorOptions,
    judge_blocked: Annotated[
        bool, typer.Option("--judge-blocked", help="Live: judge candidates that policy blocks too, for the record.")
    ] = False,
    plan: PlanOption = False,
    judge: JudgeOption = None,
    out: OutOption = Path("runs"),
    run_id: Annotated[
        str | None,
        typer.Option(
            "--run-id",
            metavar="ID",
            help="Name under OUT/acceptance/SUITE/; a live run of that name goes on. Default: of the outputs (with --spec and --judge) or the generator.",
        ),
    ] = None,
    cache: CacheOption = None,
    only: CaseOptions,
    max_cost: MaxCostOption = None,
    shown: PrintOptions,
) -> None:
    """Decide, request by request, whether a result is done.

    Policy in code blocks, a judge grades, a state machine decides; missed criteria go back to the generator as feedback. Replays cached
    attempts 1, 2, 3; or asks a live generator, whose attempts are on the disk before they are judged, so that a killed run goes on.

    Exit status: 0 all complete, 1 some are not, 2 bad input, 3 a judgment was skipped, 130 interrupted.
    """
    from evalkit.acceptance.request import AcceptRequest
    from evalkit.errors import UsageError

    generator = live.config()
    if generator is not None and outputs:
        raise UsageError("--outputs replays cached attempts; a live generator makes its own")
    run = requested(suite, only, outputs=outputs, judge=judge, out=out, cache=cache, max_cost=max_cost)
    request = AcceptRequest(
        run=replace(run, run_id=run_id), spec=spec, generator=generator, judge_blocked=judge_blocked
    )
    if export is not None:
        _export(request, export, as_json=shown.as_json)
    elif plan:
        _plan(request, as_json=shown.as_json)
    else:
        _accept(request, shown)


def _export(request: AcceptRequest, target: Path, *, as_json: bool) -> None:
    from evalkit.acceptance.setup import export_spec
    from evalkit.cli import streams
    from evalkit.reporting.escape import one_line

    loaded = export_spec(request, target)
    if as_json:
        streams.print_json({"file": str(target), "sha256": loaded.sha256, "notes": list(loaded.notes)})
        return
    page = streams.out()
    page.line(f"written: {one_line(str(target))} ({len(loaded.spec.criteria)} criteria, {loaded.sha256[:12]})")
    for note in loaded.notes:
        page.line(f"note: {one_line(note, 400)}", indent=2)


def _plan(request: AcceptRequest, *, as_json: bool) -> None:
    from evalkit.acceptance.plan import plan_acceptance
    from evalkit.cli import streams
    from evalkit.records.progress import Silent

    found = plan_acceptance(request, Silent())
    if as_json:
        streams.print_json(found.model_dump())
        return
    streams.out().line(
        f"at most: {found.cases} requests, {found.turns} candidates, {found.requests} judge requests, "
        f"of which {found.cached} need no purchase and {found.to_buy} would be bought; nothing was asked"
    )


def _accept(request: AcceptRequest, shown: PrintOptions) -> None:
    from evalkit.acceptance.run import accept_suite
    from evalkit.cli.progress import watcher
    from evalkit.reporting.acceptance_view import acceptance_markdown

    with watcher(sys.stderr, quiet=shown.quiet) as progress:
        outcome = accept_suite(request, acceptance_markdown, progress)
    _show(outcome, as_json=shown.as_json)
    if outcome.report.exit_status != Exit.DONE:
        raise typer.Exit(outcome.report.exit_status)


def _show(outcome: AcceptOutcome, *, as_json: bool) -> None:
    from evalkit.cli import streams

    if as_json:
        report, purchases = outcome.report.model_dump(mode="json"), outcome.purchases.model_dump(mode="json")
        streams.print_json({"folder": str(outcome.folder), "report": report, "purchases": purchases})
        return
    from evalkit.reporting.acceptance_view import print_acceptance
    from evalkit.reporting.escape import one_line

    print_acceptance(streams.out(), outcome.report, outcome.purchases, outcome.not_complete)
    streams.out().line(f"written: {one_line(str(outcome.folder))}")
