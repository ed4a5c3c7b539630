"""`evalkit gate`: does a run hold its suite's thresholds and conditions? For people and for CI."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from evalkit.cli.exits import Exit
from evalkit.cli.options import JsonOption, MovedSuiteOption, OutOption, RunArgument, examples, own_file

if TYPE_CHECKING:
    from evalkit.records.gates import Gated
    from evalkit.runstore.reader import StoredRun

EXAMPLES = examples(
    "evalkit gate nightly",
    "evalkit gate runs/nightly --junit gate.xml --summary gate.md",
)
JunitOption = Annotated[
    Path | None,
    typer.Option("--junit", metavar="FILE", callback=own_file("junit"), help="Write the gates as JUnit XML."),
]
SummaryOption = Annotated[
    Path | None,
    typer.Option(
        "--summary",
        metavar="FILE",
        callback=own_file("summary"),
        help="Write a Markdown summary; also appended to $GITHUB_STEP_SUMMARY.",
    ),
]


def gate(
    run: RunArgument,
    *,
    out: OutOption = Path("runs"),
    suite: MovedSuiteOption = None,
    junit: JunitOption = None,
    summary: SummaryOption = None,
    as_json: JsonOption = False,
) -> None:
    """Hold a run against its suite's gates and policy.

    A gate passes only where the figure holds it at its worst end. What cannot be decided is refused: no cases, too few, a judge's
    row without trust, a run that is invalid for gating. Under GitHub Actions failing cases are annotated.

    Exit status: 0 everything passed, 1 something failed, 2 bad input or nothing to gate, 3 something was refused.
    """
    from evalkit.cli import streams
    from evalkit.pipeline.gate import gate_run
    from evalkit.runstore.reader import open_run

    stored = open_run(run, out)
    found = gate_run(stored, suite)
    if not as_json:
        from evalkit.reporting.gate_view import print_gated

        print_gated(streams.out(), found)
    write_for_ci([(stored, found)], junit, summary)
    if as_json:
        streams.print_json(found.model_dump())
    status = status_of(found)
    if status != Exit.DONE:
        raise typer.Exit(status)


def status_of(found: Gated) -> Exit:
    """Return the exit status of what was gated."""
    return {"passed": Exit.DONE, "failed": Exit.FAILED, "refused": Exit.INVALID}[found.state]


def write_for_ci(gated: list[tuple[StoredRun, Gated]], junit: Path | None, summary: Path | None) -> None:
    """Write JUnit XML and summary where asked for; append to GITHUB_STEP_SUMMARY and annotate under GitHub Actions."""
    from evalkit.reporting.annotations import annotation_lines
    from evalkit.reporting.gate_markdown import gate_markdown
    from evalkit.reporting.junit import junit_xml
    from evalkit.runstore.files import disk_faults
    from evalkit.runstore.own_files import write_own

    pairs = [(found, list(stored.failures())) for stored, found in gated]
    if junit is not None:
        write_own(junit, junit_xml(pairs), "junit")
    step = os.environ.get("GITHUB_STEP_SUMMARY")
    text = gate_markdown(pairs) if summary is not None or step else ""
    if summary is not None:
        write_own(summary, text, "summary")
    if step:
        with disk_faults(Path(step)), Path(step).open("a", encoding="utf-8", errors="backslashreplace") as handle:
            handle.write(text + "\n")
    if os.environ.get("GITHUB_ACTIONS") == "true":
        for line in annotation_lines(pairs):
            print(line, file=sys.stderr)
