"""`evalkit init`: a small suite that runs."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated

import typer

from evalkit.cli.options import JsonOption, examples

EXAMPLES = examples(
    "evalkit init my_suite && evalkit run my_suite",
)


def init(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A new or empty folder.")],
    *,
    as_json: JsonOption = False,
) -> None:
    """Write a small working suite to start from."""
    from evalkit.cli import streams
    from evalkit.loading.starter import write_starter

    written = write_starter(folder)
    if as_json:
        streams.print_json({"folder": str(folder), "files": [str(path) for path in written]})
        return
    from evalkit.reporting.escape import one_line

    page = streams.out()
    for path in written:
        page.line(f"wrote {one_line(str(path))}")
    name = shlex.quote(str(folder))
    page.line(f"next: evalkit check {name}, then evalkit run {name}", style="bold")
