"""Every command by name and summary. The module behind a name is imported when that command is typed, and no other.

Reading the options of every command takes longer than everything else that `evalkit --help` does, and a process runs one command.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any, cast

import typer
from typer.core import TyperCommand, TyperGroup

COMMANDS = {
    "run": "Score cached outputs against a golden set; writes runs/ID.",
    "show": "Show a run, or one case and what its verdict rests on.",
    "diff": "Compare two runs of one suite: what was fixed, what broke.",
    "compare": "Compare candidates pair by pair, in both orders.",
    "gate": "Hold a run against its suite's gates and policy.",
    "render": "Write a run's page: one HTML file, no network.",
    "init": "Write a small working suite to start from.",
    "check": "Validate a suite and lint its rubrics, without a call.",
    "schema": "Print a file format as JSON Schema (draft 2020-12).",
    "plan": "Show what a run would buy and cost, without a call.",
    "constitution": "Print the text that writer and judge share.",
    "calibrate": "Measure how far a judge agrees with people.",
    "trust": "Show which criteria of which judge may gate.",
    "stability": "Measure how far a judge agrees with itself.",
    "drift": "Buy a sample of cached verdicts again and compare.",
    "accept": "Decide, request by request, whether a result is done.",
    "review": "Walk through what a person should look at.",
    "battery": "Measure batteries on trajectories that were recorded.",
    "baseline": "Freeze a run for later runs to be held against.",
    "bias": "Measure the biases of a judge.",
    "cache": "Look at the verdict cache, check it, take it along.",
    "judge": "Commands about the judge itself.",
    "label": "Label answers, blind.",
}
"""Command -> how its own help begins, in the order in which `evalkit --help` lists them."""


def load(name: str) -> TyperCommand | TyperGroup:
    """Return the command as its module `evalkit.cli.NAME` defines it: the function NAME, or `app` with commands of its own."""
    module = import_module(f"evalkit.cli.{name}")
    if hasattr(module, "app"):
        return typer.main.get_group(module.app)
    app = typer.Typer(add_completion=False, rich_markup_mode=None)
    app.command(epilog=module.EXAMPLES)(getattr(module, name))
    return cast("TyperCommand", typer.main.get_command(app))


class Deferred(TyperCommand):
    """A command that is known by name and summary until it is typed."""

    def __init__(self, name: str, summary: str) -> None:
        super().__init__(name, help=summary, rich_markup_mode=None)

    def make_context(self, info_name: str | None, args: list[str], parent: Any = None, **extra: Any) -> Any:
        """Return the context of the command itself, which is what is then run; click's own types are private to typer."""
        return load(str(self.name)).make_context(info_name, args, parent, **extra)


class Commands(TyperGroup):
    """The group behind `evalkit`, which lists and suggests every command and imports the one that is typed."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        for name, summary in COMMANDS.items():
            self.add_command(Deferred(name, summary))
