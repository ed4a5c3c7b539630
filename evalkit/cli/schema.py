"""`evalkit schema`: the formats of files, as JSON Schema."""

from __future__ import annotations

from typing import Annotated

import typer

from evalkit.cli.options import examples

EXAMPLES = examples(
    "evalkit schema golden > golden.schema.json",
)


def schema(
    name: Annotated[
        str | None, typer.Argument(metavar="[NAME]", help="A format's name; without one, the names.")
    ] = None,
) -> None:
    """Print a file format as JSON Schema (draft 2020-12)."""
    from evalkit.cli import streams
    from evalkit.loading.schemas import SCHEMAS, format_schema

    if name is None:
        for known in SCHEMAS:
            streams.out().line(known)
        return
    streams.print_json(format_schema(name))
