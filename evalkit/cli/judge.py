"""`evalkit judge`: commands about the judge itself."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from evalkit.cli.exits import Exit
from evalkit.cli.experiment import AskOptions, PlanOption, carry_out, leave, show_experiment
from evalkit.cli.option_groups import grouped
from evalkit.cli.options import (
    CacheOption,
    CaseOptions,
    JsonOption,
    JudgeOption,
    MaxCostOption,
    OneOutputsOption,
    OutOption,
    PeopleLabelsOption,
    PrintOptions,
    SuiteArgument,
    examples,
    requested,
)

if TYPE_CHECKING:
    from evalkit.pipeline.ping import ClassifierPing
    from evalkit.records.base import Json

if TYPE_CHECKING:
    from evalkit.records.choices import Choice

app = typer.Typer(no_args_is_help=True, help="Commands about the judge itself.", rich_markup_mode=None)


@app.callback()
def _judge() -> None:
    """Commands about the judge itself."""


@app.command(epilog=examples("evalkit judge ping --judge judge.yaml"))
def ping(
    suite: Annotated[Path | None, typer.Argument(metavar="[SUITE]", help="A suite, whose judge is asked.")] = None,
    *,
    judge: JudgeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Make one small call and say what answered.

    Also how fast it was, what it cost, and whether it kept to a reply schema. Of a cascade the classifier is asked as well.
    """
    from evalkit.cli import streams
    from evalkit.pipeline.ping import ping_judge

    config, found, classifier = ping_judge(suite, judge)
    if as_json:
        told = {"client": config.client, "asked_for": config.model, **asdict(found)}
        streams.print_json(told | ({"classifier": _as_json(classifier)} if classifier else {}))
        return
    from evalkit.reporting import figures
    from evalkit.reporting.escape import one_line

    page = streams.out()
    page.line(one_line(f"{found.model or 'an unnamed model'} answered; asked for {config.model}"), style="bold")
    usage = "unknown" if found.input_tokens is None else f"{found.input_tokens} in, {found.output_tokens} out"
    page.line(f"{found.latency_ms:,.0f} ms; tokens {usage}; {figures.dollars(found.cost_usd)}")
    page.line(f"reply schema: {found.response_format}; finish reason: {one_line(str(found.finish_reason))}")
    page.block(found.text or "(no text)")
    if classifier:
        page.line(one_line(f"classifier before it: {_classifier(classifier)}"))


def _as_json(classifier: ClassifierPing) -> dict[str, Json]:
    decision = classifier.decision
    return {
        "style": classifier.config.style,
        "asked_for": classifier.config.model,
        "latency_ms": classifier.latency_ms,
        **decision.model_dump(mode="json", include={"model", "answers", "calibrated", "usage", "unanswered"}),
    }


def _classifier(classifier: ClassifierPing) -> str:
    """Return who answered for the classifier, how fast, and with which probability where it had to be sure."""
    decision = classifier.decision
    said = ", ".join(f"{answer.value():.3g}" for answer in decision.answers.values() if answer.type == "noul")
    usage = decision.usage
    tokens = "unknown" if usage.input_tokens is None else f"{usage.input_tokens} in, {usage.output_tokens} out"
    answered = f"says {said} where yes is right" if said else f"no answer ({', '.join(decision.unanswered.values())})"
    return (
        f"{decision.model} answered; asked for {classifier.config.model or 'its default'}; {answered}; {classifier.latency_ms:,.0f} ms; "
        f"tokens {tokens}"
    )


@app.command(
    epilog=examples(
        "evalkit judge choose suites/support_rag --candidates judge.yaml second.yaml --labels suites/support_rag/labels.jsonl --plan",
        "evalkit judge choose suites/support_rag --candidates judge.yaml second.yaml --labels suites/support_rag/labels.jsonl",
    )
)
@grouped
def choose(
    suite: SuiteArgument,
    more: Annotated[
        list[Path] | None, typer.Argument(metavar="[FILE]...", help="Further candidates, as after --candidates.")
    ] = None,
    *,
    candidates: Annotated[
        list[Path],
        typer.Option(
            "--candidates",
            metavar="FILE...",
            help="judge.yaml files, the strongest or most expensive first; an order fixed before.",
        ),
    ],
    labels: PeopleLabelsOption,
    labeller: Annotated[
        list[str] | None, typer.Option("--labeller", metavar="NAME", help="Whose labels are the standard; repeatable.")
    ] = None,
    plan: PlanOption = False,
    outputs: OneOutputsOption = None,
    out: OutOption = Path("runs"),
    cache: CacheOption = None,
    max_cost: MaxCostOption = None,
    shown: PrintOptions,
) -> None:
    """Find the cheapest judge that clears the suite's bars.

    Asks every candidate about the labelled answers: agreement per criterion with bounds, cost and latency per verdict, and how far
    the judges agree with each other. Per capability the candidates are tested in the order given, up to the first that does not
    clear; the last that clears is chosen, and printed as `routes` for judge.yaml. --max-cost covers all candidates.

    Exit status: 0 compared, 2 bad input, 3 incomplete, 130 interrupted.
    """
    from evalkit.experiments.choosing import Choosing
    from evalkit.runstore.choices import write_choice

    request = requested(suite, CaseOptions(), outputs=outputs, out=out, cache=cache, max_cost=max_cost)
    comparison = Choosing(request, [*candidates, *(more or ())], labels, labeller or ())
    if not carry_out(comparison.questions, shown, plan=plan):
        return
    found = comparison.result()
    _show_choice(found, write_choice(out, found), as_json=shown.as_json)
    if any(asked.purchases.stopped == "interrupted" for asked in comparison.questions):
        raise typer.Exit(Exit.INTERRUPTED)
    if found.completeness == "incomplete":
        raise typer.Exit(Exit.INVALID)


def _show_choice(found: Choice, path: Path, *, as_json: bool) -> None:
    from evalkit.cli import streams

    if as_json:
        streams.print_json({"file": str(path), "choice": found.model_dump(mode="json")})
        return
    from evalkit.reporting.choice_view import print_choice
    from evalkit.reporting.escape import one_line

    print_choice(streams.out(), found)
    streams.out().line(f"written: {one_line(str(path))}")


@app.command(
    "test",
    epilog=examples(
        "evalkit judge test suites/support_rag --plan",
        "evalkit judge test suites/support_rag",
        "evalkit judge test suites/support_rag --pairs --plan",
        "evalkit judge test suites/support_rag --limit 20 --compare second.yaml --plan",
    ),
)
@grouped
def self_test(
    suite: SuiteArgument,
    *,
    compare: Annotated[
        Path | None,
        typer.Option(
            "--compare", metavar="FILE", help="Another judge.yaml, which must keep the ordering of the pairs."
        ),
    ] = None,
    attacked: Annotated[
        int,
        typer.Option(
            "--attacked",
            min=0,
            metavar="N",
            help="Good and deficient answers of each judge use that payloads and padding are put into; 0 for none.",
        ),
    ] = 3,
    pairs: Annotated[
        bool | None,
        typer.Option(
            "--pairs/--no-pairs",
            help="Ask about pairs too, by the suite's pairwise rubric or `preference`. Default: where the suite has one.",
        ),
    ] = None,
    ask: AskOptions,
    shown: PrintOptions,
) -> None:
    """Put the judge to the test where the right grade is known.

    From planted labels and `judge_expect`: a good answer above its deficient twin, conditions broken on purpose, payloads in answers and
    documents, padding, replies that contradict themselves. Of pairs: a golden answer against the same with one planted fault, and against
    itself, each in both orders. Run it whenever model, prompt or rubric changes.

    Exit status: 0 all passed, 1 an item failed, 2 bad input, 3 incomplete, 130 interrupted.
    """
    from evalkit.experiments.self_test import SelfTest
    from evalkit.loading.payloads import read_payloads

    test = SelfTest(ask.request(suite), read_payloads(None), attacked, compare, pairs)
    if carry_out(test.questions, shown, plan=ask.plan):
        result = test.result()
        show_experiment(result, ask.out, as_json=shown.as_json)
        if result.purchases.stopped != "interrupted" and any(row.failed for row in result.self_test):
            raise typer.Exit(Exit.FAILED)
        leave(result)
