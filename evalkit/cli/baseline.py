"""`evalkit baseline`: the run that later runs of a suite are held against."""

from __future__ import annotations

from pathlib import Path

import typer

from evalkit.cli.options import JsonOption, MovedSuiteOption, OutOption, RunArgument, SuiteArgument, examples

app = typer.Typer(
    name="baseline", no_args_is_help=True, rich_markup_mode=None, help="Freeze a run for later runs to be held against."
)
SET_EXAMPLES = examples("evalkit baseline set nightly")
SHOW_EXAMPLES = examples("evalkit baseline show suites/support_rag")


@app.command("set", epilog=SET_EXAMPLES)
def set_(
    run: RunArgument,
    *,
    out: OutOption = Path("runs"),
    suite: MovedSuiteOption = None,
    as_json: JsonOption = False,
) -> None:
    """Make a run the baseline of its suite.

    Writes baseline.json and baseline.scores.jsonl into the suite's folder, to be committed. Only a whole run that is valid for gating
    can be one.

    Exit status: 0 written, 2 no such run or suite, or a run that can be no baseline.
    """
    from evalkit.cli import streams
    from evalkit.pipeline.gate import suite_of
    from evalkit.reporting.escape import one_line
    from evalkit.rundiff.baseline import baseline_of
    from evalkit.runstore.baselines import write_baseline
    from evalkit.runstore.reader import open_run

    stored = open_run(run, out)
    folder = suite_of(stored, suite).folder
    file = write_baseline(folder, *baseline_of(stored))
    if as_json:
        streams.print_json({"baseline": str(file), "run_id": stored.manifest.run_id})
        return
    streams.out().line(
        f"{one_line(stored.manifest.run_id)} is the baseline now: {one_line(str(file))}; commit it with its cases"
    )


@app.command(epilog=SHOW_EXAMPLES)
def show(suite: SuiteArgument, *, as_json: JsonOption = False) -> None:
    """Show a suite's baseline: its run, its hashes, its rows.

    Every figure is checked first: the arithmetic of each row, and its counts against the cases.

    Exit status: 0 shown or there is none, 2 a baseline that cannot be used.
    """
    from evalkit.cli import streams
    from evalkit.loading.suites import load_suite
    from evalkit.reporting.baseline_view import print_baseline
    from evalkit.runstore.baseline_check import sound_baseline

    stored = sound_baseline(load_suite(suite).folder)
    if as_json:
        streams.print_json(None if stored is None else stored.record.model_dump())
        return
    page = streams.out()
    if stored is None:
        page.line("this suite has no baseline; set one with: evalkit baseline set RUN")
    else:
        print_baseline(page, stored.record, stored.sha256)
