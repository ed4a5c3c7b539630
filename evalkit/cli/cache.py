"""`evalkit cache`: what was bought and is kept; look at it, check it, take it along."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from evalkit.cli.exits import Exit
from evalkit.cli.options import CacheOption, JsonOption, examples, own_file

if TYPE_CHECKING:
    from evalkit.providers.reply_cache import ReplyCache

app = typer.Typer(
    no_args_is_help=True, rich_markup_mode=None, help="Look at the verdict cache, check it, take it along."
)

ExportArgument = Annotated[
    Path, typer.Argument(metavar="FILE", callback=own_file("replies"), help="The JSONL file to write.")
]
FileArgument = Annotated[Path, typer.Argument(metavar="FILE", help="A JSONL file of replies.")]


@contextmanager
def _opened(folder: Path | None) -> Iterator[ReplyCache]:
    from evalkit.cli import streams
    from evalkit.providers.reply_cache import cache_folder, open_cache

    opened = open_cache(cache_folder(folder), lambda message: streams.note_all([message]))
    try:
        yield opened
    finally:
        opened.close()


@app.command(epilog=examples("evalkit cache info"))
def info(*, cache: CacheOption = None, as_json: JsonOption = False) -> None:
    """Show where the cache is and how much it holds."""
    from evalkit.cli import streams
    from evalkit.reporting.escape import one_line
    from evalkit.reporting.figures import counted

    with _opened(cache) as opened:
        found = opened.info()
    if as_json:
        streams.print_json(asdict(found))
        return
    page = streams.out()
    held = f"{counted(found.entries, 'reply', 'replies')}, {counted(found.size_bytes, 'byte')}"
    page.line(f"{one_line(found.folder)}: {held}", style="bold")
    for name in found.rescued_files:
        page.line(f"rescued: {one_line(name)} (put back with: evalkit cache import FILE)", indent=2)
    for name in found.open_batches:
        page.line(f"open batch: {one_line(name)} (the command that submitted it goes on with it)", indent=2)
    for name in found.damaged_files:
        page.line(f"moved aside: {one_line(name)}", indent=2, style="yellow")
    for problem in found.problems:
        page.line(f"problem: {one_line(problem)}", indent=2, style="red")


@app.command(epilog=examples("evalkit cache verify"))
def verify(*, cache: CacheOption = None, as_json: JsonOption = False) -> None:
    """Read every reply, check its checksum, and check the file as a whole.

    Exit status: 0 sound, 2 something is damaged (it counts as absent and would be bought again).
    """
    from evalkit.cli import streams
    from evalkit.reporting.escape import one_line
    from evalkit.reporting.figures import counted

    with _opened(cache) as opened:
        found = opened.verify()
    if as_json:
        streams.print_json(asdict(found))
    else:
        page = streams.out()
        sound = counted(found.sound, "sound reply", "sound replies")
        page.line(f"{sound}, {len(found.damaged):,} damaged", style="bold")
        for key in found.damaged:
            page.line(f"damaged: {one_line(key, 80)}", indent=2, style="red")
        for problem in found.problems:
            page.line(f"problem: {one_line(problem)}", indent=2, style="red")
    if found.damaged or found.problems:
        raise typer.Exit(Exit.BAD_INPUT)


@app.command(epilog=examples("evalkit cache export replies.jsonl"))
def export(file: ExportArgument, *, cache: CacheOption = None, as_json: JsonOption = False) -> None:
    """Write all sound replies to a JSONL file; the same cache gives the same bytes."""
    from evalkit.cli import streams
    from evalkit.reporting.escape import one_line
    from evalkit.reporting.figures import counted

    with _opened(cache) as opened:
        written = opened.export(file)
    if as_json:
        streams.print_json({"file": str(file), "written": written})
    else:
        streams.out().line(f"{counted(written, 'reply', 'replies')} written to {one_line(str(file))}")


@app.command("import", epilog=examples("evalkit cache import replies.jsonl"))
def import_(file: FileArgument, *, cache: CacheOption = None, as_json: JsonOption = False) -> None:
    """Add the replies of an exported or rescued file; what is in the cache already stays.

    Exit status: 0 all taken, 2 some lines were refused (the others were taken).
    """
    from evalkit.cli import streams
    from evalkit.reporting.faults_view import print_faults
    from evalkit.reporting.figures import counted

    with _opened(cache) as opened:
        found = opened.import_(file)
    if as_json:
        streams.print_json(asdict(found))
    else:
        page = streams.out()
        added = counted(found.added, "reply", "replies")
        page.line(f"{added} added, {found.present:,} were there already, {len(found.refused):,} refused")
        print_faults(page, found.refused, len(found.refused), "refused", "red")
    if found.refused:
        raise typer.Exit(Exit.BAD_INPUT)
