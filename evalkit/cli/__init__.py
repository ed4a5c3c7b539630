"""The command line: parse, call, render, exit status. One file per command; nothing heavy is imported before a command runs."""

from __future__ import annotations

import typer

from evalkit.cli.run import run

app = typer.Typer(no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False)
app.command()(run)


@app.callback()
def evalkit() -> None:
    """Score cached LLM outputs against a golden set; ask a judge only what code cannot decide."""


def main() -> None:
    """Run the command line."""
    app()
