"""`evalkit render`: a stored run as one page that works offline."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from evalkit.cli.options import JsonOption, MovedSuiteOption, OutOption, RunArgument, examples, own_file

EXAMPLES = examples(
    "evalkit render latest",
    "evalkit render runs/nightly --html nightly.html",
)


def render(
    run: RunArgument,
    *,
    html: Annotated[
        Path | None,
        typer.Option(
            "--html",
            metavar="FILE",
            callback=own_file("render"),
            help="Where the page is written. Default: report.html in the run's folder.",
        ),
    ] = None,
    out: OutOption = Path("runs"),
    suite: MovedSuiteOption = None,
    as_json: JsonOption = False,
) -> None:
    """Write a run's page: one HTML file, no network.

    It shows whether the run may be believed, the rows, the failures, and every case that failed or was judged.

    Exit status: 0 written, 2 no such run, or the page cannot be written.
    """
    from evalkit.cli import streams
    from evalkit.cli.stored_page import write_page
    from evalkit.runstore.reader import open_run

    path, notes = write_page(open_run(run, out), html, suite)
    streams.note_all([*notes, "name the suite as it was for this run with --suite"] if notes else ())
    size = path.stat().st_size
    if as_json:
        streams.print_json({"file": str(path), "bytes": size})
        return
    from evalkit.reporting.escape import one_line

    streams.out().line(f"page: {one_line(str(path))} ({size / 1000:,.0f} kB)")
