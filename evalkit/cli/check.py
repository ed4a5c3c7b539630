"""`evalkit check`: validate everything that a run would read, without a call."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

import typer

from evalkit.cli.exits import Exit
from evalkit.cli.options import JsonOption, SuiteArgument, examples

if TYPE_CHECKING:
    from evalkit.pipeline.check import CheckReport


EXAMPLES = examples(
    "evalkit check suites/support_rag",
)


def check(suite: SuiteArgument, *, as_json: JsonOption = False) -> None:
    """Validate a suite and lint its rubrics, without a call.

    Reads everything that a run would read and runs every example of a lexicon.

    Exit status: 0 sound (warnings may remain), 2 faults.
    """
    from evalkit.cli import streams
    from evalkit.pipeline.check import check_suite

    found = check_suite(suite)
    if as_json:
        streams.print_json(
            {
                "sound": not found.faults,
                "faults": [asdict(fault) for fault in found.faults],
                "total_faults": found.total_faults,
                "warnings": [asdict(warning) for warning in found.warnings],
                "summary": found.summary,
            }
        )
    else:
        _print(found)
    if found.faults:
        raise typer.Exit(Exit.BAD_INPUT)


def _print(found: CheckReport) -> None:
    from evalkit.cli import streams
    from evalkit.reporting.escape import one_line
    from evalkit.reporting.faults_view import print_faults
    from evalkit.reporting.figures import counted

    page = streams.out()
    print_faults(page, found.faults, found.total_faults, "fault", "red")
    print_faults(page, found.warnings, len(found.warnings), "warning", "yellow")
    for name, value in found.summary.items():
        page.line(f"{name}: {one_line(_words(value), 400)}")
    warnings = counted(len(found.warnings), "warning")
    if found.faults:
        faults = counted(found.total_faults, "fault")
        page.line(f"{faults}, {warnings}: this suite cannot be run as it is", style="bold red")
    else:
        page.line(f"sound: no faults, {warnings}", style="bold green")


def _words(value: object) -> str:
    if value is None:
        return "cannot be read, see the faults"
    if value == {}:
        return "none"
    if isinstance(value, dict):
        return "; ".join(
            f"{name} ({_words(item)})" if isinstance(item, dict | None) else f"{name} {item}"
            for name, item in value.items()
        )
    return ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
