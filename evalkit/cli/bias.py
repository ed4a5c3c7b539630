"""`evalkit bias`: experiments on a judge's known leanings, each on cached outputs and by paired comparison."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from evalkit.cli.experiment import (
    AskOptions,
    OptionalSuite,
    PairRubricOption,
    RoundOption,
    SeedOption,
    VerdictsOption,
    measure,
    named,
    show_experiment,
)
from evalkit.cli.option_groups import grouped
from evalkit.cli.options import PrintOptions, SuiteArgument, examples

app = typer.Typer(no_args_is_help=True, help="Measure the biases of a judge.", rich_markup_mode=None)


@dataclass(frozen=True, slots=True, kw_only=True)
class FamilyOptions(AskOptions):
    """What the one experiment on two candidates asks."""

    outputs: Annotated[
        list[str] | None,
        typer.Option(
            "--outputs",
            metavar="NAME|PATH",
            help="Given twice: outputs of the home judge's family and of another. A folder under the suite's outputs/, or a path.",
        ),
    ] = None


@app.callback()
def _bias() -> None:
    """Measure the biases of a judge."""


@app.command(
    epilog=examples(
        "evalkit bias position suites/support_rag --outputs candidate --against baseline --plan",
        "evalkit bias position --verdicts verdicts.jsonl",
    )
)
@grouped
def position(
    suite: OptionalSuite = None,
    *,
    against: Annotated[
        str | None, typer.Option("--against", metavar="NAME|PATH", help="The outputs to pair those of --outputs with.")
    ] = None,
    rubric: PairRubricOption = None,
    verdicts: VerdictsOption = None,
    ask: AskOptions,
    new_round: RoundOption = None,
    shown: PrintOptions,
) -> None:
    """Compare verdicts on pairs in both orders.

    Each order is judged twice, freshly: the repeat of one order is the noise beneath what the swap does. Or read verdicts made
    elsewhere, with --verdicts. A pair without a readable verdict in both orders is excluded and counted.

    Exit status: 0 measured, 2 bad input, 3 incomplete, 130 interrupted.
    """
    from evalkit.errors import UsageError

    if verdicts is not None:
        from evalkit.experiments.external import position_of_verdicts

        if suite is not None or against is not None:
            raise UsageError("--verdicts reads verdicts that exist; it takes no SUITE and no --against")
        show_experiment(position_of_verdicts(verdicts), ask.out, as_json=shown.as_json)
        return
    if suite is None or against is None:
        raise UsageError("name a SUITE and --against, or give --verdicts FILE")
    from evalkit.experiments.position import Position
    from evalkit.experiments.rounds import round_of
    from evalkit.experiments.subject import open_subject
    from evalkit.loading.outputs import open_outputs

    subject = open_subject(ask.request(suite), pairs=True)
    experiment = Position(
        subject, open_outputs(subject.loaded.folder, against), rubric, round_of("position", new_round)
    )
    measure([experiment.questions], experiment.result, ask, shown)


@app.command(
    epilog=examples(
        "evalkit bias criteria suites/support_rag --plan", "evalkit bias criteria suites/support_rag --seed 2"
    )
)
@grouped
def criteria(
    suite: SuiteArgument,
    *,
    seed: SeedOption = 1,
    ask: AskOptions,
    new_round: RoundOption = None,
    shown: PrintOptions,
) -> None:
    """Put a rubric's criteria in another order, and compare.

    The position bias of a judge that reads one answer. Each case is freshly judged as the rubric is written, so once more, and with
    no criterion where it stood; the repeat is the noise beneath what the order does.

    Exit status: 0 measured, 2 bad input, 3 incomplete, 130 interrupted.
    """
    from evalkit.experiments.criteria_order import CriteriaOrder
    from evalkit.experiments.rounds import round_of
    from evalkit.experiments.subject import open_subject

    experiment = CriteriaOrder(open_subject(ask.request(suite)), seed, round_of("criteria", new_round))
    measure([experiment.questions], experiment.result, ask, shown)


@app.command(
    epilog=examples("evalkit bias verbosity suites/support_rag --plan", "evalkit bias verbosity suites/support_rag")
)
@grouped
def verbosity(
    suite: SuiteArgument,
    *,
    ask: AskOptions,
    new_round: RoundOption = None,
    shown: PrintOptions,
) -> None:
    """Let answers say one of their own sentences again, and compare.

    Both versions are freshly judged. The padding is built from the answer's own words and checked to hold no new word, number or
    date; it is recorded with each case whose grade changed.

    Exit status: 0 measured, 2 bad input, 3 incomplete, 130 interrupted.
    """
    from evalkit.experiments.rounds import round_of
    from evalkit.experiments.subject import open_subject
    from evalkit.experiments.verbosity import Verbosity

    experiment = Verbosity(open_subject(ask.request(suite)), round_of("verbosity", new_round))
    measure([experiment.questions], experiment.result, ask, shown)


@app.command(
    epilog=examples(
        "evalkit bias injection suites/support_rag --limit 20 --plan",
        "evalkit bias injection suites/support_rag --payload override --place answer_end",
    )
)
@grouped
def injection(
    suite: SuiteArgument,
    *,
    payloads: Annotated[
        Path | None, typer.Option("--payloads", metavar="FILE", help="Payloads of your own, beside those shipped.")
    ] = None,
    payload: Annotated[
        list[str] | None, typer.Option("--payload", metavar="ID", help="Only this payload; repeatable.")
    ] = None,
    place: Annotated[
        list[str] | None,
        typer.Option("--place", metavar="PLACE", help="Only answer_start, answer_end or context; repeatable."),
    ] = None,
    ask: AskOptions,
    new_round: RoundOption = None,
    shown: PrintOptions,
) -> None:
    """Put payloads into answers and documents; count changed verdicts.

    By payload and place: how often a verdict changed, in which direction, and how often the judge or code flagged it. Both
    versions are freshly judged; every payload and place costs a verdict per case, so look at --plan first.

    Exit status: 0 measured, 2 bad input, 3 incomplete, 130 interrupted.
    """
    from evalkit.experiments.injection import PLACES, Injection
    from evalkit.experiments.rounds import round_of
    from evalkit.experiments.subject import open_subject
    from evalkit.loading.payloads import read_payloads

    known = {one.id: one for one in read_payloads(payloads)}
    chosen = [known[name] for name in named(payload, known, "payload")]
    places = named(place, PLACES, "place")
    experiment = Injection(open_subject(ask.request(suite)), chosen, places, round_of("injection", new_round))
    measure([experiment.questions], experiment.result, ask, shown)


@app.command(
    epilog=examples(
        "evalkit bias family suites/support_rag --outputs candidate --outputs baseline --second-judge second.yaml --plan",
    )
)
@grouped
def family(
    suite: SuiteArgument,
    *,
    second_judge: Annotated[
        Path, typer.Option("--second-judge", metavar="FILE", help="The judge.yaml of a judge of another family.")
    ],
    ask: FamilyOptions,
    new_round: RoundOption = None,
    shown: PrintOptions,
) -> None:
    """Ask whether a judge favours its own family's answers.

    A difference in differences per criterion: home judge less second judge, on outputs of the home judge's family less outputs of
    another family. Says `not identifiable`, and asks nothing, where families are unknown or not different.

    Exit status: 0 measured or not identifiable, 2 bad input, 3 incomplete, 130 interrupted.
    """
    from evalkit.cli.streams import note_all
    from evalkit.experiments.family import NOT_IDENTIFIABLE, Family
    from evalkit.experiments.rounds import round_of

    experiment = Family(ask.request(suite), second_judge, round_of("family", new_round))
    if ask.plan and experiment.obstacle:
        note_all([f"{NOT_IDENTIFIABLE}: {experiment.obstacle}"])
    measure(experiment.questions, experiment.result, ask, shown)


@app.command(
    epilog=examples("evalkit bias style suites/support_rag --outputs candidate --rewrites baseline --plan"),
)
@grouped
def style(
    suite: SuiteArgument,
    *,
    rewrites: Annotated[
        str, typer.Option("--rewrites", metavar="NAME", help="Outputs that say the same in another family's style.")
    ],
    control: Annotated[
        str | None,
        typer.Option("--control", metavar="NAME", help="The same in a third style: what rewriting itself does."),
    ] = None,
    ask: AskOptions,
    new_round: RoundOption = None,
    shown: PrintOptions,
) -> None:
    """Compare answers with rewrites in another style.

    The style-swap test of family preference, with one judge. A rewrite whose figures, dates, citations, names or negations differ
    from its original is left out and counted. Both versions are freshly judged.

    Exit status: 0 measured, 2 bad input, 3 incomplete, 130 interrupted.
    """
    from evalkit.experiments.rounds import round_of
    from evalkit.experiments.style import Style
    from evalkit.experiments.subject import open_subject

    experiment = Style(open_subject(ask.request(suite)), rewrites, control, round_of("style", new_round))
    measure([experiment.questions], experiment.result, ask, shown)
