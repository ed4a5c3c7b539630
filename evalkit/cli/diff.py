"""`evalkit diff`: two runs of one suite, case by case, with what the difference can carry."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from evalkit.cli.exits import Exit
from evalkit.cli.options import JsonOption, OutOption, examples, page_option

EXAMPLES = examples(
    "evalkit diff nightly demo",
    "evalkit diff runs/nightly demo --json",
    "evalkit diff nightly demo --html diff.html",
)


def diff(
    run_a: Annotated[
        str, typer.Argument(metavar="RUN_A", help="The run that is compared with: id, folder, or `latest`.")
    ],
    run_b: Annotated[str, typer.Argument(metavar="RUN_B", help="The run that is looked at; differences are B - A.")],
    *,
    out: OutOption = Path("runs"),
    html: Annotated[Path | None, page_option("diff")] = None,
    suite: Annotated[
        Path | None,
        typer.Option("--suite", metavar="SUITE", help="Where the suite is now, for --html, if it has moved since."),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Compare two runs of one suite: what was fixed, what broke.

    Rows are compared only where they measure the same: for a judge one configuration and one answering snapshot.

    Exit status: 0 compared, 2 no such run or a run that does not hold together, 4 at least one row is not comparable.
    """
    from evalkit.cli import streams
    from evalkit.errors import UsageError
    from evalkit.rundiff.compare import compare_runs
    from evalkit.runstore.reader import open_run

    if suite is not None and html is None:
        raise UsageError("--suite says where --html finds questions, sources and answers; it goes with --html FILE")
    runs = open_run(run_a, out), open_run(run_b, out)
    found = compare_runs(*runs)
    if html is not None:
        from evalkit.cli.stored_page import write_diff_page

        streams.note_all(write_diff_page(runs, found, html, suite).notes)
    if as_json:
        streams.print_json(found.model_dump())
    else:
        from evalkit.reporting.diff_view import print_diff
        from evalkit.reporting.escape import one_line

        print_diff(streams.out(), found)
        if html is not None:
            streams.out().line(f"page: {one_line(str(html))}")
    if found.refused:
        raise typer.Exit(Exit.NOT_COMPARABLE)
