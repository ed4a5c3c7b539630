"""The command line: parse, call, render, exit status. One file per command; nothing heavy is imported before a command runs."""

from __future__ import annotations

from typing import Annotated

import typer

from evalkit import __version__
from evalkit.cli import (
    accept,
    baseline,
    battery,
    bias,
    cache,
    calibrate,
    check,
    compare,
    constitution,
    diff,
    drift,
    gate,
    init,
    judge,
    label,
    plan,
    render,
    review,
    run,
    schema,
    show,
    stability,
    trust,
)
from evalkit.cli.entry import run_and_exit
from evalkit.cli.options import examples

# Plain help: it is quick, fits every console and keeps the examples' lines.
app = typer.Typer(
    name="evalkit",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command(epilog=run.EXAMPLES)(run.run)
app.command(epilog=show.EXAMPLES)(show.show)
app.command(epilog=diff.EXAMPLES)(diff.diff)
app.command(epilog=compare.EXAMPLES)(compare.compare)
app.command(epilog=gate.EXAMPLES)(gate.gate)
app.command(epilog=render.EXAMPLES)(render.render)
app.command(epilog=init.EXAMPLES)(init.init)
app.command(epilog=check.EXAMPLES)(check.check)
app.command(epilog=schema.EXAMPLES)(schema.schema)
app.command(epilog=plan.EXAMPLES)(plan.plan)
app.command(epilog=constitution.EXAMPLES)(constitution.constitution)
app.add_typer(baseline.app, name="baseline")
app.command(epilog=calibrate.EXAMPLES)(calibrate.calibrate)
app.command(epilog=trust.EXAMPLES)(trust.trust)
app.command(epilog=stability.EXAMPLES)(stability.stability)
app.command(epilog=drift.EXAMPLES)(drift.drift)
app.command(epilog=accept.EXAMPLES)(accept.accept)
app.command(epilog=review.EXAMPLES)(review.review)
app.command(epilog=battery.EXAMPLES)(battery.battery)
app.add_typer(bias.app, name="bias")
app.add_typer(cache.app, name="cache")
app.add_typer(judge.app, name="judge")
app.add_typer(label.app, name="label")


def _version(value: bool) -> None:  # noqa: FBT001 - typer calls it with the option's value
    if value:
        typer.echo(f"evalkit {__version__}")
        raise typer.Exit


@app.callback(
    epilog=examples(
        "evalkit init my_suite        a small suite that runs",
        "evalkit run my_suite         score it; writes runs/ID",
        "evalkit show latest CASE     why a case passed or failed",
    )
)
def evalkit(
    *,
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and leave.")
    ] = False,
) -> None:
    """Score cached LLM outputs against a golden set; ask a judge only what code cannot decide."""


def main() -> None:
    """Run the command line and leave with its exit status."""
    run_and_exit(lambda: app(standalone_mode=True))
