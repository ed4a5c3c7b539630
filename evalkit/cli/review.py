"""`evalkit review`: a run's queue of what a person should look at, item by item, and what came of it."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from evalkit.cli.exits import Exit
from evalkit.cli.options import JsonOption, MovedSuiteOption, OutOption, RunArgument, examples

if TYPE_CHECKING:
    from evalkit.cli.keys import Keys
    from evalkit.pipeline.reviewing import Review
    from evalkit.reporting.page import Page
    from evalkit.runstore.reader import StoredRun

EXAMPLES = examples(
    "evalkit review demo",
    "evalkit review demo --json",
    "evalkit review demo --confirmed-by nightly",
)
DecisionName = Literal["fix_writer", "fix_judge", "fix_gate", "fix_label", "fine"]
DECISIONS: dict[str, DecisionName] = {
    "w": "fix_writer",
    "j": "fix_judge",
    "g": "fix_gate",
    "l": "fix_label",
    "o": "fine",
}
"""Key -> what was decided."""
OTHER_KEYS = {"n": "note", "s": "leave open", "u": "undo", "q": "quit"}


def review(
    run: RunArgument,
    *,
    item: Annotated[
        str | None, typer.Option("--item", metavar="ID", help="Decide on this item without a terminal; with --as.")
    ] = None,
    decision: Annotated[
        DecisionName | None, typer.Option("--as", help="What has to change; `fine` where nothing has to.")
    ] = None,
    note: Annotated[str, typer.Option("--note", metavar="TEXT", help="Your words on --item.")] = "",
    confirmed_by: Annotated[
        str | None,
        typer.Option("--confirmed-by", metavar="RUN", help="Ask a later run whether the fixes have worked; recorded."),
    ] = None,
    reviewer: Annotated[
        str | None, typer.Option("--reviewer", metavar="NAME", help="Who decides. Default: the login name.")
    ] = None,
    suite: MovedSuiteOption = None,
    out: OutOption = Path("runs"),
    as_json: JsonOption = False,
) -> None:
    """Walk through what a person should look at: flips, judge errors, doubts, disagreements, findings, in that order.

    Each item says why it is there. Decide with a key: w fix the writer, j the judge, g the gate, l the label, o fine; n note,
    s leave open, u undo, q quit. Decisions go to OUT/reviews/RUN/resolutions.jsonl at once. Without a terminal the queue is listed.

    Exit status: 0 done, 2 bad input, 130 interrupted; every decision is on the disk.
    """
    from evalkit.errors import UsageError
    from evalkit.pipeline.reviewing import Review
    from evalkit.runstore.reader import open_run

    if (item is None) != (decision is None):
        raise UsageError("--item and --as go together: --item ID --as fine")
    walk = Review(open_run(run, out), reviewer or _login())
    if item is not None and decision is not None:
        walk.resolve(walk.item(item), decision, note)
    if confirmed_by is not None:
        _confirm(walk, open_run(confirmed_by, out), as_json=as_json)
    elif as_json or item is not None or walk.current is None or not _terminal():
        _show(walk, as_json=as_json)
    elif _walk(walk, suite):
        raise typer.Exit(Exit.INTERRUPTED)


def _login() -> str:
    from evalkit.cli.label_start import login

    return login()


def _terminal() -> bool:
    return all(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stdout))


def _show(walk: Review, *, as_json: bool) -> None:
    from evalkit.cli import streams
    from evalkit.runstore.reviews import QUEUE, reviews_folder

    if as_json:
        items = []
        for one in walk.items:
            decided = walk.resolutions.get(one.id)
            items.append(
                {**one.model_dump(mode="json"), "resolution": decided.model_dump(mode="json") if decided else None}
            )
        queue = str(reviews_folder(walk.run.folder) / QUEUE) if items else None
        streams.print_json({"run": walk.run.name, "queue": queue, "open": len(walk.open), "items": items})
        return
    from evalkit.reporting.review_view import print_queue

    page = streams.out()
    print_queue(page, walk.items, walk.resolutions)
    if walk.open:
        page.line()
        page.line(
            "decide in a terminal, or one by one: evalkit review RUN --item ID --as fine --note TEXT", style="bold"
        )


def _confirm(walk: Review, by: StoredRun, *, as_json: bool) -> None:
    from evalkit.cli import streams
    from evalkit.pipeline.reviewing import confirm

    found = confirm(walk, by)
    if as_json:
        streams.print_json(
            {
                "run": walk.run.name,
                "by": by.name,
                "confirmed": [one.model_dump(mode="json") for one in found.confirmed],
                "still_there": [one.model_dump(mode="json") for one in found.still_there],
                "unmeasured": [{**one.model_dump(mode="json"), "why": why} for one, why in found.unmeasured],
            }
        )
        return
    from evalkit.reporting.review_view import print_confirmation

    print_confirmation(streams.out(), found, by.name)


def _walk(walk: Review, suite: Path | None) -> bool:
    """Show item after item until none is left or the reviewer leaves; return whether that was Ctrl-C."""
    from evalkit.cli import streams
    from evalkit.cli.keys import keyboard

    page = streams.out()
    interrupted = False
    with keyboard() as keys:
        try:
            while walk.current is not None and _one(walk, page, keys, suite):
                pass
        except KeyboardInterrupt:
            interrupted = True
    page.line()
    page.line(f"{len(walk.open)} of {len(walk.items)} open; the same command goes on from there", style="bold")
    return interrupted


def _one(walk: Review, page: Page, keys: Keys, suite: Path | None) -> bool:
    """Show the current item and take keys until it is decided or left; False where the reviewer leaves."""
    from evalkit.cli.keys import END
    from evalkit.cli.stored_case import find_case
    from evalkit.reporting.case_view import print_case
    from evalkit.reporting.review_view import RESOLUTION_WORDS, print_item, print_keys

    item = walk.current
    if item is None:
        return False
    before = walk.resolution
    note = before.note if before else ""
    page.clear()
    print_case(page, find_case(walk.run, item.case_id, suite))
    print_item(page, item, len(walk.open), before)
    words = {key: RESOLUTION_WORDS[decision] for key, decision in DECISIONS.items()} | OTHER_KEYS
    while True:
        keys.forget()
        print_keys(page, words, note)
        key = keys.key()
        if key in DECISIONS:
            walk.resolve(item, DECISIONS[key], note)
            return True
        if key in {"q", END}:
            return False
        if key == "n":
            note = keys.line("note> ") or note
        elif key == "s":
            walk.pass_over()
            return True
        elif key == "u" and walk.back():
            return True
        else:
            page.line("nothing to undo" if key == "u" else "one key of those below, please", style="yellow")
