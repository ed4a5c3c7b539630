"""`evalkit constitution`: the content standard of a suite, as its judge reads it, for the writer's prompt."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from evalkit.cli.options import JsonOption, SuiteArgument, examples

EXAMPLES = examples(
    "evalkit constitution suites/gemstones > standard.txt",
    "evalkit constitution suites/gemstones --sha256",
)


def constitution(
    suite: SuiteArgument,
    *,
    rubric: Annotated[
        str | None,
        typer.Option("--rubric", metavar="NAME", help="Whose constitution, where the suite's rubrics have several."),
    ] = None,
    sha256: Annotated[
        bool, typer.Option("--sha256", help="Print only its hash: what candidate.yaml says as `constitution_sha256`.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Print the text that writer and judge share.

    It is the text in the judge's prompt, character for character; put it into the writer's prompt too. A run flags outputs whose
    candidate.yaml names another hash.

    Exit status: 0 printed, 2 the suite has none, or several.
    """
    from evalkit.cli import streams
    from evalkit.pipeline.constitution import constitution_of
    from evalkit.records.identity import text_sha256

    text = constitution_of(suite, rubric)
    if as_json:
        streams.print_json({"sha256": text_sha256(text), "text": text})
    elif sha256:
        streams.out().line(text_sha256(text))
    else:
        sys.stdout.flush()
        sys.stdout.buffer.write(text.encode("utf-8", "surrogatepass"))
        sys.stdout.buffer.flush()
