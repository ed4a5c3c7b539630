"""`evalkit bias`: experiments on a judge's known leanings, each on cached outputs and by paired comparison."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from evalkit.cli.experiment import show_experiment
from evalkit.cli.options import JsonOption, OutOption, examples

app = typer.Typer(no_args_is_help=True, help="Measure the biases of a judge.", rich_markup_mode=None)


@app.callback()
def _bias() -> None:
    """Measure the biases of a judge."""


@app.command(epilog=examples("evalkit bias position --verdicts verdicts.jsonl"))
def position(
    *,
    verdicts: Annotated[
        Path, typer.Option("--verdicts", metavar="FILE", help="Pairs judged elsewhere (external-verdicts/1).")
    ],
    out: OutOption = Path("runs"),
    as_json: JsonOption = False,
) -> None:
    """Compare verdicts on pairs in both orders.

    Works on verdicts made elsewhere: a suite's judge does not compare pairs yet, it grades one answer at a time. Repetitions of
    one order are the noise beneath. A pair without a readable verdict in both orders is excluded and counted.

    Exit status: 0 measured, 2 bad input.
    """
    from evalkit.experiments.external import position_of_verdicts

    show_experiment(position_of_verdicts(verdicts), out, as_json=as_json)
