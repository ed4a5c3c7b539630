"""`evalkit run`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def run(
    suite: Annotated[Path, typer.Argument(help="A suite's folder, or its suite.yaml.")],
    outputs: Annotated[str, typer.Option(help="A folder under the suite's outputs/.")] = "candidate",
    out: Annotated[Path, typer.Option(help="Where run folders are written.")] = Path("runs"),
    run_id: Annotated[str, typer.Option(help="Name of the run's folder.")] = "latest",
) -> None:
    """Score a candidate's cached outputs and write runs/ID."""
    from rich.console import Console

    from evalkit.pipeline.run import run_suite
    from evalkit.reporting.terminal import print_report

    print_report(run_suite(suite, outputs, out, run_id), Console())
