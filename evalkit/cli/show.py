"""`evalkit show`: a finished run, its failed cases, or one case with everything its verdict rests on."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from evalkit.cli.exits import Exit
from evalkit.cli.options import JsonOption, MovedSuiteOption, OutOption, examples

if TYPE_CHECKING:
    from evalkit.errors import Fault
    from evalkit.experiments.beside_run import Beside, Swapped
    from evalkit.runstore.comparisons import StoredComparison
    from evalkit.runstore.reader import StoredRun


EXAMPLES = examples(
    "evalkit show latest",
    "evalkit show latest --failed",
    "evalkit show runs/nightly refund-001",
)


def show(
    run: Annotated[
        str, typer.Argument(metavar="RUN", help="A run's id, its folder, or `latest`; or a comparison's folder.")
    ],
    case: Annotated[
        str | None, typer.Argument(metavar="[CASE]", help="A case id; without one, the run's summary.")
    ] = None,
    *,
    out: OutOption = Path("runs"),
    suite: MovedSuiteOption = None,
    failed: Annotated[bool, typer.Option("--failed", help="List every case that failed, with its criteria.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Show a run, or one case and what its verdict rests on.

    Of a case: question, sources, answer, claims, quoted spans, criteria, refused replies.

    Exit status: 0 shown, 2 no such run or case, or the run does not hold together.
    """
    from evalkit.runstore.comparisons import is_comparison
    from evalkit.runstore.reader import open_run

    if is_comparison(Path(run)):
        _comparison(Path(run), case, as_json=as_json)
        return
    stored = open_run(run, out)
    if case is not None:
        _case(stored, case, suite, as_json=as_json)
    elif failed:
        _failed(stored, as_json=as_json)
    else:
        _summary(stored, as_json=as_json)


def _comparison(folder: Path, case_id: str | None, *, as_json: bool) -> None:
    from evalkit.cli import streams
    from evalkit.runstore.comparison_check import verify_comparison
    from evalkit.runstore.comparisons import open_comparison

    stored = open_comparison(folder)
    if case_id is not None:
        _pairs(stored, case_id, as_json=as_json)
        return
    faults = verify_comparison(stored)
    if as_json:
        document = {"folder": str(folder), "comparison": stored.comparison.model_dump(mode="json")}
        streams.print_json({**document, "faults": [str(fault) for fault in faults]})
    else:
        from evalkit.reporting.comparison_view import print_comparison
        from evalkit.reporting.escape import one_line

        page = streams.out()
        for fault in faults:
            page.line(f"DOES NOT HOLD TOGETHER: {one_line(str(fault), 600)}", style="bold red")
        print_comparison(page, stored.comparison)
    if faults:
        raise typer.Exit(Exit.BAD_INPUT)


def _pairs(stored: StoredComparison, case_id: str, *, as_json: bool) -> None:
    from evalkit.cli import streams
    from evalkit.errors import UsageError

    found = [pair for pair in stored.pairs() if pair.case_id == case_id]
    if not found:
        raise UsageError(
            f"no pair of case {case_id!r} in {stored.folder}: it was not compared, or an output is missing"
        )
    if as_json:
        streams.print_json({"case_id": case_id, "pairs": [pair.model_dump(mode="json") for pair in found]})
        return
    from evalkit.reporting.comparison_view import print_pair

    for pair in found:
        print_pair(streams.out(), pair)


def _case(stored: StoredRun, case_id: str, suite: Path | None, *, as_json: bool) -> None:
    from evalkit.cli import streams
    from evalkit.cli.stored_case import find_case

    view = find_case(stored, case_id, suite)
    if as_json:
        streams.print_json(
            {
                "run_id": stored.manifest.run_id,
                "case_id": case_id,
                "case": None if view.case is None else view.case.model_dump(),
                "output": None if view.output is None else view.output.model_dump(),
                "judgements": [judgement.model_dump() for judgement in view.judgements],
                "failures": list(view.failures),
                "notes": list(view.notes),
            }
        )
        return
    from evalkit.reporting.case_view import print_case

    print_case(streams.out(), view)


def _failed(stored: StoredRun, *, as_json: bool) -> None:
    """List cases with the criteria they failed, in the order of the golden set."""
    from evalkit.cli import streams
    from evalkit.reporting.escape import one_line
    from evalkit.reporting.wording import TO_MEND

    by_case: dict[str, Counter[str]] = {}
    for line in stored.failures():
        if line.get("kind") in TO_MEND:
            name = f"{line.get('capability')}/{line.get('criterion') or line.get('scorer')}"
            by_case.setdefault(str(line.get("case_id")), Counter())[name] += 1
    if as_json:
        streams.print_json({case_id: sorted(names) for case_id, names in by_case.items()})
        return
    page = streams.out()
    page.columns([((one_line(case_id, 80), one_line(", ".join(names), 400)), "") for case_id, names in by_case.items()])


def _summary(stored: StoredRun, *, as_json: bool) -> None:
    from evalkit.cli import streams
    from evalkit.runstore.verify import verify

    faults = verify(stored)
    beside, unread = _experiments(stored)
    swapped, unread_too = _swapped(stored)
    if as_json:
        streams.print_json(
            {
                "folder": str(stored.folder),
                "faults": [str(fault) for fault in faults],
                "report": stored.report.model_dump(),
                "manifest": stored.manifest.model_dump(),
                "experiments": [
                    {
                        "file": str(one.path),
                        "mismatch": one.mismatch,
                        "experiment": one.experiment.model_dump(mode="json"),
                    }
                    for one in beside
                ],
                "comparison": swapped
                and {
                    "folder": str(swapped.folder),
                    "made_at": swapped.made_at,
                    "position": [row.model_dump(mode="json") for row in swapped.rows],
                },
            }
        )
    else:
        _print_summary(stored, faults)
        if stored.report.judges:
            from evalkit.reporting.experiment_view import print_beside

            print_beside(streams.out(), beside, swapped, "; ".join(filter(None, (unread, unread_too))))
    if faults:
        raise typer.Exit(Exit.BAD_INPUT)


def _experiments(stored: StoredRun) -> tuple[list[Beside], str]:
    """Return the experiments that stand beside the run, and why they could not be read, if so; a run is shown all the same."""
    from evalkit.errors import RunStoreError
    from evalkit.experiments.beside_run import beside_run
    from evalkit.runstore.experiments import stored_experiments

    try:
        kept = stored_experiments(stored.folder.parent, stored.manifest.suite)
    except RunStoreError as error:
        return [], str(error)
    return beside_run(stored.report, stored.manifest.judges, kept), ""


def _swapped(stored: StoredRun) -> tuple[Swapped | None, str]:
    """Return what swapping answers did in the newest comparison by the run's judge, and why comparisons could not be read, if so."""
    from evalkit.errors import RunStoreError
    from evalkit.experiments.beside_run import comparison_beside
    from evalkit.runstore.comparisons import stored_comparisons

    try:
        kept = stored_comparisons(stored.folder.parent, stored.manifest.suite)
    except RunStoreError as error:
        return None, str(error)
    return comparison_beside(stored.manifest.judges, kept), ""


def _print_summary(stored: StoredRun, faults: tuple[Fault, ...]) -> None:
    from evalkit.cli import streams
    from evalkit.reporting.faults_view import print_faults
    from evalkit.reporting.terminal import print_run

    page = streams.out()
    if faults:
        page.line("THIS RUN DOES NOT HOLD TOGETHER: its figures cannot be trusted", style="bold red")
        print_faults(page, faults, len(faults), "fault", "red")
        page.line()
    print_run(page, stored.report, stored.manifest, stored.folder, stored.failures())
