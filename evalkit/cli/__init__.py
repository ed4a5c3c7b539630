"""The command line: parse, call, render, exit status. One file per command; nothing heavy is imported before a command runs."""

from __future__ import annotations

from typing import Annotated

import typer

from evalkit import __version__
from evalkit.cli.commands import Commands
from evalkit.cli.entry import run_and_exit
from evalkit.cli.options import examples

# Plain help: it is quick, fits every console and keeps the examples' lines.
app = typer.Typer(
    name="evalkit",
    cls=Commands,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)


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
