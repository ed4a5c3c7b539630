"""`evalkit label`: what people say about answers. `export` and `import` of blind sheets; `start` asks in the terminal.

`evalkit label RUN` is short for `evalkit label start RUN`. A comparison's folder in the place of a run asks about pairs.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup

from evalkit.cli import label_start
from evalkit.cli.label_options import (
    DrawOptions,
    LabelsOption,
    NotBlindOption,
    RunOrSuite,
    SheetOutputsOption,
)
from evalkit.cli.option_groups import grouped
from evalkit.cli.options import JsonOption, OutOption, examples

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evalkit.labelling.asked import PairSubject, Subject
    from evalkit.labelling.importing import Imported
    from evalkit.labelling.sheet import Written
    from evalkit.labelling.wanted import Wanted

EXAMPLES = examples(
    "evalkit label demo --n 60 --labeller ada",
    "evalkit label export demo --n 60",
    "evalkit label import labelling/support_rag-random-1.csv --labeller ada",
)


class _Group(TyperGroup):
    """A group whose first word may be a run or a suite instead of a command: then it is labelled in the terminal."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        if args and args[0] not in {*self.commands, *ctx.help_option_names}:
            args = ["start", *args]
        return super().parse_args(ctx, args)


app = typer.Typer(
    cls=_Group,
    no_args_is_help=True,
    rich_markup_mode=None,
    help="Label answers, blind: in the terminal (evalkit label RUN), or on a sheet (export, import).",
    epilog=EXAMPLES,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("start", epilog=label_start.EXAMPLES)(label_start.start)


@app.command(
    "export",
    epilog=examples(
        "evalkit label export demo --n 60",
        "evalkit label export demo --n 30 --design by-verdict --criterion F1 --sheet labelling/f1",
        "evalkit label export suites/support_rag --outputs candidate --design planted",
        "evalkit label export runs/comparisons/support_rag/candidate-vs-baseline --n 40 --design by-verdict",
    ),
)
@grouped
def export(
    run: RunOrSuite,
    *,
    draw: DrawOptions,
    sheet: Annotated[
        Path | None,
        typer.Option(
            "--sheet",
            metavar="PATH",
            help="Where the sheet goes: PATH.jsonl and PATH.csv. Default: labelling/SUITE-DESIGN-SEED, of pairs "
            "labelling/SUITE-pairs-DESIGN-SEED.",
        ),
    ] = None,
    outputs: SheetOutputsOption = None,
    labels: LabelsOption = None,
    out: OutOption = Path("runs"),
    as_json: JsonOption = False,
) -> None:
    """Write a blind sheet of answers, or of pairs of them, to be labelled: no verdict, no model, no candidate.

    Of a comparison's pairs both answers are shown, in an order drawn by the seed; people say first, second or tie.

    PATH.jsonl holds each row with its design, chance of being drawn and split; PATH.csv is for a spreadsheet. Give labellers the
    CSV: in a draw by verdict the chances of the JSON Lines would tell them what the judge said.

    Exit status: 0 written, 2 bad input or nothing to draw.
    """
    from evalkit.labelling.asked import PairSubject
    from evalkit.labelling.sheet import write_sheet
    from evalkit.labelling.wanted import open_wanted, wanted_labels
    from evalkit.runstore.names import folder_part

    subject = open_wanted(run, out, outputs)
    wanted = wanted_labels(subject, draw.request(), out, labels)
    pairs = "-pairs" if isinstance(subject, PairSubject) else ""
    stem = sheet or Path("labelling") / f"{folder_part(subject.loaded.suite.name)}{pairs}-{draw.design}-{draw.seed}"
    written = write_sheet(stem, wanted.rows)
    given = {"--outputs": outputs, "--labels": labels, "--out": None if out == Path("runs") else out}
    options = [text for name, value in given.items() if value is not None for text in (name, str(value))]
    _show_sheet(written, wanted, ["--of", _name_of(run, subject), *options], as_json=as_json)


def _name_of(given: str, subject: Subject | PairSubject) -> str:
    """Return the name of what was drawn from; `latest` may be another run by the time the sheet comes back."""
    from evalkit.labelling.asked import PairSubject
    from evalkit.runstore.names import LATEST

    if isinstance(subject, PairSubject) or subject.run is None or given != LATEST:
        return given
    return str(subject.run.folder)


def _show_sheet(written: Written, wanted: Wanted, options: Sequence[str], *, as_json: bool) -> None:
    from evalkit.cli import streams

    if as_json:
        streams.print_json(
            {
                "sheet": str(written.lines),
                "csv": str(written.csv),
                "rows": len(wanted.rows),
                "too_long_for_a_cell": written.too_long,
                "labels": str(wanted.labels_file),
                "notes": list(wanted.notes),
            }
        )
        return
    from evalkit.reporting.label_view import print_sheet

    print_sheet(streams.out(), wanted.rows, written, wanted.notes, options)


@app.command(
    "import",
    epilog=examples(
        "evalkit label import labelling/support_rag-random-1.csv --labeller ada",
        "evalkit label import labelling/support_rag-random-1.jsonl --labeller ben --of demo",
    ),
)
def take_in(
    sheet: Annotated[Path, typer.Argument(metavar="SHEET", help="A sheet that was filled in: .csv or .jsonl.")],
    *,
    labeller: Annotated[
        str | None, typer.Option("--labeller", metavar="NAME", help="Who labelled, where a row does not say.")
    ] = None,
    drawn: Annotated[
        Path | None,
        typer.Option(
            "--sheet",
            metavar="FILE",
            help="Of a CSV: the .jsonl that it was written with. Default: the one of that name beside it.",
        ),
    ] = None,
    of: Annotated[
        str | None,
        typer.Option(
            "--of",
            metavar="RUN|SUITE|COMPARISON",
            help="What was labelled. Default: the newest run in --out that scored the sheet's outputs, of pairs the newest "
            "comparison.",
        ),
    ] = None,
    outputs: SheetOutputsOption = None,
    labels: LabelsOption = None,
    not_blind: NotBlindOption = False,
    replace: Annotated[
        bool, typer.Option("--replace", help="Let a label take the place of another by the same labeller.")
    ] = False,
    out: OutOption = Path("runs"),
    as_json: JsonOption = False,
) -> None:
    """Merge the labels of a sheet into the suite's labels.jsonl, all or none.

    A label belongs to a text, of a pair to both: a row whose answer has changed is refused. Several people may label the same rows; their agreement
    is printed, the ceiling of what a judge can agree with them.

    Exit status: 0 merged, 2 bad input; then nothing was changed.
    """
    from evalkit.labelling.importing import ImportRequest, import_sheet

    request = ImportRequest(
        sheet=sheet,
        drawn=drawn,
        subject=of,
        outputs=outputs,
        out=out,
        labels=labels,
        labeller=labeller,
        blind=not not_blind,
        replace=replace,
    )
    _show_imported(import_sheet(request), as_json=as_json)


def _show_imported(done: Imported, *, as_json: bool) -> None:
    from evalkit.cli import streams
    from evalkit.labelling.between import between_labellers

    between = between_labellers(done.merged.labels)
    if as_json:
        merged = done.merged
        streams.print_json(
            {
                "labels": str(done.labels),
                "rows": done.rows,
                "added": len(merged.added),
                "known": len(merged.known),
                "replaced": [
                    {"before": one.before.model_dump(mode="json"), "after": one.after.model_dump(mode="json")}
                    for one in merged.replaced
                ],
                "empty": done.empty,
                "between_labellers": [
                    {**one._asdict(), "pairs": [pair.model_dump(mode="json") for pair in one.pairs]} for one in between
                ],
            }
        )
        return
    from evalkit.reporting.label_view import print_imported

    print_imported(streams.out(), done, between)
