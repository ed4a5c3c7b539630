"""`evalkit label RUN`: one answer after the other in the terminal, each label on the disk before the next question."""

from __future__ import annotations

import getpass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from evalkit.cli.exits import Exit
from evalkit.cli.label_options import (
    DrawOptions,
    LabelsOption,
    NotBlindOption,
    RunOrSuite,
    SheetOutputsOption,
)
from evalkit.cli.option_groups import grouped
from evalkit.cli.options import JsonOption, OutOption, examples
from evalkit.records.sheets import SKIP, SheetRow

if TYPE_CHECKING:
    from evalkit.cli.keys import Keys
    from evalkit.labelling.session import Session
    from evalkit.labelling.wanted import Wanted
    from evalkit.reporting.page import Page

EXAMPLES = examples(
    "evalkit label start demo --n 60 --plan",
    "evalkit label start demo --n 60 --labeller ada",
    "evalkit label start suites/support_rag --outputs candidate --criterion F1",
)
CHOICES = {
    "p": "pass",
    "f": "fail",
    "h": "partial",
    "a": "not_applicable",
    "1": "first",
    "2": "second",
    "t": "tie",
    "s": "skip",
}
"""Key -> label."""
TYPE_KEY = "t"
NUMBERED = 9
"""Options that have a key of their own; the others are typed."""


@grouped
def start(
    run: RunOrSuite,
    *,
    draw: DrawOptions,
    labeller: Annotated[
        str | None, typer.Option("--labeller", metavar="NAME", help="Who labels. Default: the login name.")
    ] = None,
    outputs: SheetOutputsOption = None,
    labels: LabelsOption = None,
    not_blind: NotBlindOption = False,
    plan: Annotated[bool, typer.Option("--plan", help="Say what there is to label and leave.")] = False,
    out: OutOption = Path("runs"),
    as_json: JsonOption = False,
) -> None:
    """Label in the terminal: context, answer, criterion, one key.

    No verdict is ever shown here. Keys: p pass, f fail, a does not apply, h partial where the rubric has it, s skip, n note, u undo,
    r show again, q quit; of a pair 1 the first is better, 2 the second, t a tie; of a classifier's choice a digit names the option, t lets you type it. The same command goes on where it stopped. `--json` prints what there is to label, like `--plan`.

    Exit status: 0 done or quit, 2 bad input or no terminal, 130 interrupted; every label that was given is on the disk.
    """
    from evalkit.labelling.session import Session
    from evalkit.labelling.wanted import open_wanted, wanted_labels

    wanted = wanted_labels(open_wanted(run, out, outputs), draw.request(), out, labels)
    session = Session(wanted, labeller or login(), blind=not not_blind)
    if plan or as_json or session.current is None:
        _show_plan(session, wanted, as_json=as_json)
        return
    from evalkit.cli.keys import keyboard, require_terminal

    require_terminal("write a sheet instead: evalkit label export RUN --n 60, then evalkit label import SHEET")
    with keyboard() as keys:
        interrupted = _ask(session, wanted, keys)
    if interrupted:
        raise typer.Exit(Exit.INTERRUPTED)


def login() -> str:
    """Return the name under which somebody works at this machine."""
    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):
        return "unnamed"


def _show_plan(session: Session, wanted: Wanted, *, as_json: bool) -> None:
    from evalkit.cli import streams

    if as_json:
        document = {"wanted": session.total, "labelled": session.done, "labels": str(wanted.labels_file)}
        streams.print_json({**document, "notes": list(wanted.notes)})
        return
    from evalkit.reporting.label_view import print_wanted

    print_wanted(streams.out(), wanted.rows, session.done, wanted.labels_file, wanted.notes)


def _ask(session: Session, wanted: Wanted, keys: Keys) -> bool:
    """Ask until all is labelled or the labeller leaves; return whether that was Ctrl-C."""
    from evalkit.cli import streams
    from evalkit.reporting.label_view import print_end

    page = streams.out()
    interrupted = False
    try:
        while session.current is not None and _one(session, page, keys):
            pass
    except KeyboardInterrupt:
        interrupted = True
    print_end(page, session.done, session.total, wanted.labels_file)
    return interrupted


def keys_of(row: SheetRow) -> dict[str, str]:
    """Return key -> label: letters for grades, digits for the first nine options of a choice."""
    if set(row.choices) <= set(CHOICES.values()):
        return {key: choice for key, choice in CHOICES.items() if choice == SKIP or choice in row.choices}
    return {str(number): choice for number, choice in enumerate(row.choices[:NUMBERED], 1)} | {"s": SKIP}


def _typed(text: str, row: SheetRow) -> str | None:
    """Return the option that a number or a name means, None where it means none."""
    by_name = {choice.casefold(): choice for choice in row.choices}
    if text.casefold() in by_name:
        return by_name[text.casefold()]
    place = int(text) if text.isascii() and text.isdigit() and len(text) <= NUMBERED else 0
    return row.choices[place - 1] if 0 < place <= len(row.choices) else None


def _one(session: Session, page: Page, keys: Keys) -> bool:
    """Show the current row and take keys until it is labelled or gone back from; False where the labeller leaves."""
    from evalkit.cli.keys import END
    from evalkit.reporting.label_view import print_keys, print_row

    row = session.current
    if row is None:
        return False
    note = session.label.note if session.label else ""
    print_row(page, row, session.done, session.total, session.label)
    allowed = keys_of(row)
    typed = [TYPE_KEY] if len(allowed) <= len(row.choices) else []
    while True:
        keys.forget()
        print_keys(page, allowed, note, typed=bool(typed))
        key = keys.key()
        choice = _typed(keys.line("option> "), row) if key in typed else allowed.get(key)
        if choice is not None:
            session.give(choice, note)
            return True
        if key in {"q", END}:
            return False
        if key == "n":
            note = keys.line("note> ") or note
        elif key == "u" and session.back():
            return True
        elif key == "u":
            page.line("nothing to undo: this is the first one", style="yellow")
        elif key == "r":
            print_row(page, row, session.done, session.total, session.label)
        else:
            page.line("one key of those below, please", style="yellow")
