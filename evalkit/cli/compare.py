"""`evalkit compare`: candidates against each other, pair by pair, in both orders."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from evalkit.cli.exits import Exit
from evalkit.cli.experiment import OptionalSuite, PairRubricOption, PlanOption, SeedOption, VerdictsOption, carry_out
from evalkit.cli.option_groups import grouped
from evalkit.cli.options import (
    CacheOption,
    CaseOptions,
    JudgeOption,
    MaxCostOption,
    OutOption,
    PrintOptions,
    examples,
    page_option,
    requested,
)

if TYPE_CHECKING:
    from evalkit.experiments.comparison import PairComparison
    from evalkit.records.comparisons import Comparison
    from evalkit.reporting.html.pairs_material import PairsMaterial

EXAMPLES = examples(
    "evalkit compare suites/support_rag --outputs candidate --against baseline --plan",
    "evalkit compare suites/support_rag --outputs candidate --against baseline",
    "evalkit compare suites/support_rag --outputs candidate --against baseline --html pairs.html",
    "evalkit compare --verdicts verdicts.jsonl --labels labels.jsonl",
    "evalkit compare --verdicts verdicts.jsonl --html pairs.html",
)


@grouped
def compare(
    suite: OptionalSuite = None,
    *,
    outputs: Annotated[
        str | None, typer.Option("--outputs", metavar="NAME|PATH", help="The candidate whose wins are counted.")
    ] = None,
    against: Annotated[
        list[str] | None,
        typer.Option("--against", metavar="NAME|PATH", help="Another candidate; several make a round robin."),
    ] = None,
    rubric: PairRubricOption = None,
    verdicts: VerdictsOption = None,
    labels: Annotated[
        Path | None, typer.Option("--labels", metavar="FILE", help="Who should have won (labels/1), beside --verdicts.")
    ] = None,
    plan: PlanOption = False,
    judge: JudgeOption = None,
    out: OutOption = Path("runs"),
    name: Annotated[
        str | None, typer.Option("--name", metavar="NAME", help="The comparison's folder. Default: the candidates.")
    ] = None,
    cache: CacheOption = None,
    only: CaseOptions,
    max_cost: MaxCostOption = None,
    seed: SeedOption = 1,
    html: Annotated[Path | None, page_option("compare")] = None,
    shown: PrintOptions,
) -> None:
    """Compare candidates pair by pair, in both orders.

    A win counts only if it survives the swap; otherwise it is a tie, and what the swap did is shown. Equal texts are ties without a
    call. Nothing here gates a release. Three or more candidates are ranked too.

    Exit status: 0 compared, 2 bad input, 3 over the error budget or incomplete, 130 interrupted.
    """
    if verdicts is not None:
        _refuse_beside_verdicts(suite, outputs, against)
        _of_verdicts(verdicts, labels, seed, out=out, name=name, html=html, as_json=shown.as_json)
        return
    suite, outputs, against = _named(suite, outputs, against, labels)
    request = requested(suite, only, outputs=[outputs], judge=judge, out=out, cache=cache, max_cost=max_cost)

    from evalkit.experiments.candidate_pairs import open_candidates
    from evalkit.experiments.comparison import PairComparison
    from evalkit.experiments.subject import open_subject

    subject = open_subject(request, outputs, pairs=True)
    candidates = open_candidates(subject, [outputs, *against])
    comparison = PairComparison(subject, candidates, rubric, seed)
    if not carry_out([comparison.questions], shown, plan=plan):
        return
    result = comparison.result()
    folder = _keep(comparison, result, out, name)
    if html is not None:
        from evalkit.reporting.html.pairs_material import PairsMaterial

        cases, answers = comparison.texts()
        pairs = tuple(comparison.lines())
        _page(PairsMaterial(comparison=result, pairs=pairs, cases=cases, outputs=answers), html)
    _show(result, folder, html, as_json=shown.as_json)
    _leave(result, comparison.questions.purchases.stopped)


def _refuse_beside_verdicts(*asked: object) -> None:
    """Raise UsageError where anything that is asked of a judge stands beside --verdicts."""
    from evalkit.errors import UsageError

    if any(asked):
        raise UsageError("--verdicts reads verdicts that exist; it takes no SUITE, --outputs or --against")


def _named(
    suite: Path | None, outputs: str | None, against: list[str] | None, labels: Path | None
) -> tuple[Path, str, list[str]]:
    """Return suite and candidates. Raises UsageError where one is missing, or labels are given that no judge of a suite meets."""
    from evalkit.errors import UsageError

    if suite is None or outputs is None or not against:
        raise UsageError("name a SUITE, --outputs and --against; or give --verdicts FILE")
    if labels is not None:
        raise UsageError(
            "--labels belongs to --verdicts: verdicts of a suite's own judge meet labels in `evalkit calibrate`"
        )
    return suite, outputs, against


def _keep(comparison: PairComparison, result: Comparison, out: Path, name: str | None) -> Path:
    """Write a comparison into its folder and return that; a selection of cases has a name of its own and replaces no whole one."""
    from evalkit.reporting.comparison_view import comparison_markdown
    from evalkit.runstore.comparisons import comparison_folder, comparison_name, write_comparison

    chosen = name or comparison_name(candidate.name for candidate in result.candidates)
    if name is None and result.selection:
        chosen = f"{chosen[:92]}-partial"
    folder = comparison_folder(out, result.suite["name"], chosen)
    write_comparison(folder, result, comparison.lines(), comparison_markdown(result), comparison.purchases())
    return folder


def _page(material: PairsMaterial, file: Path) -> None:
    """Write a comparison's page."""
    from evalkit.reporting.html.document import pairs_html
    from evalkit.runstore.own_files import write_own

    write_own(file, pairs_html(material), "compare")


def _of_verdicts(
    verdicts: Path, labels: Path | None, seed: int, *, out: Path, name: str | None, html: Path | None, as_json: bool
) -> None:
    from evalkit.experiments.external_pairs import comparison_of_verdicts, pairs_made_elsewhere
    from evalkit.reporting.comparison_view import comparison_markdown
    from evalkit.runstore.comparisons import comparison_folder, write_comparison

    result = comparison_of_verdicts(verdicts, labels, seed)
    folder = comparison_folder(out, result.suite["name"], name or "verdicts")
    write_comparison(folder, result, (), comparison_markdown(result), None)
    if html is not None:
        from evalkit.reporting.html.pairs_material import PairsMaterial

        made = pairs_made_elsewhere(verdicts)
        _page(PairsMaterial(comparison=result, pairs=(), cases={}, outputs={}, elsewhere=made), html)
    _show(result, folder, html, as_json=as_json)


def _show(comparison: Comparison, folder: Path, html: Path | None, *, as_json: bool) -> None:
    from evalkit.cli import streams

    if as_json:
        streams.print_json({"folder": str(folder), "comparison": comparison.model_dump(mode="json")})
        return
    from evalkit.reporting.comparison_view import print_comparison
    from evalkit.reporting.escape import one_line

    page = streams.out()
    print_comparison(page, comparison)
    page.line()
    page.line(f"written: {one_line(str(folder))}")
    if html is not None:
        page.line(f"page: {one_line(str(html))}")


def _leave(comparison: Comparison, stopped: str | None) -> None:
    if stopped == "interrupted":
        raise typer.Exit(Exit.INTERRUPTED)
    health = comparison.health
    if comparison.completeness == "incomplete" or (health is not None and not health.within_budget):
        raise typer.Exit(Exit.INVALID)
