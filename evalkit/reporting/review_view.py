"""The review queue on a page: why an item is there, what to read, what was decided. Everything quoted is escaped."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from evalkit.pipeline.reviewing import Confirmation
from evalkit.records.review import KINDS, Resolution, ReviewItem
from evalkit.reporting.escape import one_line
from evalkit.reporting.figures import counted
from evalkit.reporting.page import Page

PASSAGE_CHARS = 4000
SHOWN = 20
"""Items of one kind that a list names; the rest is counted."""
KIND_WORDS = {
    "flip": "the judge disagreed with itself",
    "judge_error": "no usable reply",
    "uncertain": "too little confidence",
    "disagreement": "a person's label says otherwise",
    "finding": "something in the material could steer a judge",
}
RESOLUTION_WORDS = {
    "fix_writer": "fix the writer",
    "fix_judge": "fix the judge",
    "fix_gate": "fix the gate",
    "fix_label": "fix the label",
    "fine": "fine as it is",
}


def print_item(page: Page, item: ReviewItem, left: int, before: Resolution | None) -> None:
    """Print what a reviewer must know about an item, below the case itself."""
    page.line()
    page.line(f"{item.kind}: {KIND_WORDS[item.kind]}    {counted(left, 'item')} open", style="bold")
    page.line(f"{place(item)}    {item.id}", style="dim")
    page.line(one_line(item.why, 1000), indent=2)
    if item.hint:
        page.line(one_line(item.hint, 400), indent=2, style="yellow")
    for passage in item.read:
        page.line(one_line(passage.title, 240), indent=2, style="bold")
        page.block(passage.text, margin="    | ", limit=PASSAGE_CHARS)
    if before is not None:
        page.line(f"decided so far: {decided(before)}; a key replaces it", style="yellow")


def print_keys(page: Page, keys: Mapping[str, str], note: str) -> None:
    """Print the keys that can be pressed."""
    if note:
        page.line(f"note: {one_line(note)}", style="dim")
    page.line("   ".join(f"[{key}] {word}" for key, word in keys.items()), style="bold")


def print_queue(page: Page, items: Sequence[ReviewItem], resolutions: Mapping[str, Resolution]) -> None:
    """Print the queue as a list: the kinds in their order, open items first to be seen, decided ones with what was decided."""
    if not items:
        page.line("nothing to review: no flip, no judge_error, no doubt, no disagreement, no finding")
        return
    still_open = sum(item.id not in resolutions for item in items)
    page.line(f"{counted(len(items), 'item')}, {still_open} open", style="bold")
    of_kind = Counter(item.kind for item in items)
    for kind in KINDS:
        if not of_kind[kind]:
            continue
        page.line()
        page.line(f"{kind}: {KIND_WORDS[kind]} ({of_kind[kind]})", style="bold")
        for item in [item for item in items if item.kind == kind][:SHOWN]:
            found = resolutions.get(item.id)
            state = f"    [{decided(found)}]" if found else ""
            page.line(f"{item.id}  {place(item)}: {one_line(item.why, 240)}{state}", indent=2)
        if of_kind[kind] > SHOWN:
            page.line(f"... and {of_kind[kind] - SHOWN} more", indent=2)


def place(item: ReviewItem | Resolution) -> str:
    """Return what an item is about on one line."""
    criterion = f" / {one_line(item.criterion, 60)}" if item.criterion else ""
    return f"{one_line(item.case_id, 80)}  {one_line(item.capability, 60)}{criterion}"


def decided(resolution: Resolution) -> str:
    """Return a resolution on one line: what, by which run confirmed, and the reviewer's words."""
    if resolution.confirmed_by is None:
        run = ", not confirmed by a run yet"
    else:
        run = f", confirmed by {one_line(resolution.confirmed_by, 100)}"
    note = f": {one_line(resolution.note)}" if resolution.note else ""
    return f"{RESOLUTION_WORDS[resolution.resolution]}{run}{note}"


def print_confirmation(page: Page, found: Confirmation, run: str) -> None:
    """Print what a later run says of the fixes that were waiting."""
    if not any(found):
        page.line("no decision waits for a run")
        return
    for one in found.confirmed:
        page.line(f"confirmed by {one_line(run, 100)}: {place(one)}", style="green")
    for one in found.still_there:
        page.line(f"STILL THERE: {place(one)} ({RESOLUTION_WORDS[one.resolution]})", style="red")
    for one, why in found.unmeasured:
        page.line(f"cannot say: {place(one)}: {one_line(why)}", style="yellow")
