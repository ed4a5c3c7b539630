"""What a labeller sees, and what became of labels. Everything that is graded stands behind a margin, escaped, in full."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

from evalkit.labelling.between import Between
from evalkit.labelling.given import choice_of
from evalkit.labelling.importing import Imported
from evalkit.labelling.sheet import Written
from evalkit.records.calibrations import Beside
from evalkit.records.labels import Label
from evalkit.records.sheets import SheetRow
from evalkit.reporting.escape import one_line
from evalkit.reporting.figures import counted
from evalkit.reporting.page import Page
from evalkit.runstore.files import json_text

SHOWN = 20
"""Rows of one kind that are listed; the rest is counted."""
_WORDS = {"pass": "pass", "fail": "fail", "partial": "partial", "not_applicable": "does not apply", "skip": "skip"}
_KEPT = {"n": "note", "u": "undo", "r": "show again", "q": "quit"}
COMMAND = 4000
"""Characters of a command to be typed, which is never cut."""


def print_row(page: Page, row: SheetRow, done: int, total: int, label: Label | None) -> None:
    """Print one row: what was asked, the sources, the answer, the criterion; never a verdict, a model or a candidate."""
    page.clear()
    page.line(f"{done} of {total} labelled    case {one_line(row.case_id, 80)}", style="bold")
    _part(page, "asked", row.asked)
    for document in row.context:
        _part(page, f"source {one_line(document.id, 80)}", document.text)
    if row.evidence is not None:
        _part(page, "evidence", json_text(row.evidence, indent=1))
    heads = ("ANSWER",) if row.second_answer is None else ("FIRST ANSWER", "SECOND ANSWER")
    for head, text in zip(heads, row.texts, strict=True):
        _part(page, head, text)
    page.line()
    page.line(
        f"{one_line(row.rubric, 60)} / {one_line(row.criterion, 60)}: {one_line(row.question, 1000)}", style="bold"
    )
    _condition(page, row)
    if label is not None:
        said = "skipped" if label.label is None else choice_of(label, row)
        page.line(f"your label so far: {one_line(said, 60)}; a key replaces it", style="yellow")


def _condition(page: Page, row: SheetRow) -> None:
    """Print when the criterion passes; of a choice the options with their numbers and meanings."""
    first, *more = row.pass_condition.split("\n")
    if row.second_answer is not None:
        more = [row.pass_condition]
    elif set(row.choices) <= set(_WORDS):
        page.line(f"passes when: {one_line(first, 1000)}", indent=2)
    else:
        more = [f"{number}  {meaning}" for number, meaning in enumerate((first, *more), 1)]
    for line in more:
        page.line(one_line(line, 1000), indent=4, hanging=4)


def _part(page: Page, title: str, text: str) -> None:
    page.line()
    page.line(title, style="bold")
    page.block(text, limit=max(len(text), 1))


def print_keys(page: Page, allowed: Mapping[str, str], note: str, *, typed: bool = False) -> None:
    """Print the keys that can be pressed; `typed` where there are more options than keys."""
    if note:
        page.line(f"note: {one_line(note)}", style="dim")
    keys = {key: _WORDS.get(choice) or one_line(choice, 40) for key, choice in allowed.items()}
    keys |= ({"t": "type an option"} if typed else {}) | _KEPT
    page.line("   ".join(f"[{key}] {word}" for key, word in keys.items()), style="bold")


def print_end(page: Page, done: int, total: int, labels: Path) -> None:
    """Print where a session stopped."""
    page.line()
    page.line(f"{done} of {counted(total, 'label')} in {one_line(str(labels))}", style="bold")
    if done < total:
        page.line("the same command goes on from there")


def print_wanted(page: Page, rows: Sequence[SheetRow], done: int, labels: Path, notes: Sequence[str]) -> None:
    """Print what there is to label."""
    page.line(f"{_counted(rows)}; {done} are there", style="bold")
    _by_criterion(page, rows)
    page.line(f"labels go to {one_line(str(labels))}")
    _notes(page, notes)


def print_sheet(
    page: Page, rows: Sequence[SheetRow], written: Written, notes: Sequence[str], options: Sequence[str] = ()
) -> None:
    """Print what a sheet holds, where it was written, and the command that takes it in; `options` say what was labelled."""
    page.line(_counted(rows), style="bold")
    _by_criterion(page, rows)
    table = one_line(str(written.csv))
    page.line(f"for the labeller: {table}")
    page.line(f"keep beside it:   {one_line(str(written.lines))}")
    if written.too_long:
        what = counted(written.too_long, "row holds", "rows hold")
        why = "a text that is too long for a spreadsheet's cell; label them with `evalkit label`"
        page.line(f"{what} {why}", style="yellow")
    _notes(page, notes)
    command = shlex.join(["evalkit", "label", "import", str(written.csv), "--labeller", "NAME", *options])
    page.line(f"then: {one_line(command, COMMAND)}", style="bold")


def _counted(rows: Sequence[SheetRow]) -> str:
    texts = len({(row.case_id, row.output_sha256) for row in rows})
    what = "answer" if all(row.second_answer is None for row in rows) else "pair"
    return f"{counted(len(rows), 'label')} wanted on {counted(texts, what)}"


def _by_criterion(page: Page, rows: Sequence[SheetRow]) -> None:
    wanted = Counter((row.rubric, row.criterion) for row in rows)
    of_dev = Counter((row.rubric, row.criterion) for row in rows if row.split == "dev")
    for (rubric, criterion), count in wanted.items():
        split = f"{of_dev[rubric, criterion]} dev, {count - of_dev[rubric, criterion]} test"
        page.line(f"{one_line(rubric, 60)} / {one_line(criterion, 60)}: {count} ({split})", indent=2)


def _notes(page: Page, notes: Sequence[str]) -> None:
    for note in notes:
        page.line(f"note: {one_line(note, 400)}", style="yellow")


def print_imported(page: Page, done: Imported, between: Sequence[Between]) -> None:
    """Print what became of a sheet, and how far labellers agree."""
    merged = done.merged
    skipped = sum(label.label is None for label in merged.added)
    parts = [f"{len(merged.added)} added" + (f" ({skipped} skipped)" if skipped else "")]
    parts += [f"{len(merged.known)} there already"] if merged.known else []
    parts += [f"{len(merged.replaced)} replaced"] if merged.replaced else []
    parts += [f"{done.empty} empty"] if done.empty else []
    page.line(f"{counted(done.rows, 'row')}: {', '.join(parts)}", style="bold")
    for one in merged.replaced[:SHOWN]:
        item = f"{one_line(one.after.case_id, 80)}, {one_line(one.after.criterion, 60)}"
        change = f"{one.before.label or 'skipped'} -> {one.after.label or 'skipped'}"
        page.line(f"replaced: {item}: {one_line(change, 160)}", indent=2, style="yellow")
    page.line(f"{counted(len(merged.labels), 'label')} in {one_line(str(done.labels))}")
    print_between(page, between)


def print_between(page: Page, between: Sequence[Between]) -> None:
    """Print the agreement of every two labellers: no judge can be expected to agree with people more than they do."""
    if not between:
        return
    page.line()
    page.line("between labellers: the ceiling for any judge", style="bold")
    for one in between:
        page.line(f"{one_line(one.rubric, 60)} / {one_line(one.criterion, 60)}", indent=2)
        for pair in one.pairs:
            page.line(_pair(pair), indent=4)
        for item in one.differ[:SHOWN]:
            page.line(f"different labels on {one_line(item[0], 80)}", indent=4, style="dim")


def _pair(pair: Beside) -> str:
    share = "" if pair.agreement is None else f" ({pair.agreement:.1%})"
    kappa = "kappa undefined" if pair.kappa.value is None else f"kappa {pair.kappa.value:.2f}"
    if pair.kappa.interval is not None:
        kappa += f" ({pair.kappa.interval[0]:.2f} to {pair.kappa.interval[1]:.2f})"
    reading = f"; {one_line(pair.kappa.reading, 160)}" if pair.kappa.reading else ""
    return f"{one_line(pair.name, 160)}: {pair.agree} of {pair.n} the same{share}, {kappa}{reading}"
