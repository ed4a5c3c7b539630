"""A calibration on the terminal and in calibration-DATE.md."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from evalkit.records.calibrations import Calibration, CalibrationRow, Disagreement
from evalkit.reporting import calibration_words as words
from evalkit.reporting import figures
from evalkit.reporting.escape import markdown as cell
from evalkit.reporting.escape import one_line
from evalkit.reporting.markdown import MOST_CHARS
from evalkit.reporting.page import Page

SHOWN = 100
"""Disagreements that the Markdown file lists; all of them are in the .jsonl."""
LABEL_CELLS = 30


def print_calibration(page: Page, calibration: Calibration, disagreements: Sequence[Disagreement]) -> None:
    """Print every row, then how many disagreements there are to be read."""
    page.line(f"calibration: {one_line(_subject(calibration))}", style="bold")
    for line in _notes(calibration):
        page.line(one_line(line, 400), indent=2)
    for row in (*calibration.rows, *calibration.classifiers):
        page.line()
        page.line(f"{one_line(row.judge)}: {one_line(words.title(row))}", style="bold")
        who = words.who_said(row, calibration)
        entries = [*words.lines(row, who), (f"confusion (people > {who})", words.confusion(row))]
        page.columns(
            (((one_line(name), one_line(text, 600)), "") for name, text in entries if text), indent=2, label=LABEL_CELLS
        )
    if calibration.selective:
        page.line()
        page.line("What the judge may decide alone", style="bold")
    for chosen in calibration.selective:
        page.line(one_line(words.selective(chosen), 400), indent=2, hanging=4)
    for stated in calibration.probabilities:
        page.line()
        page.line(f"probabilities: {one_line(words.probability_title(stated))}", style="bold")
        page.columns(
            (((one_line(name), one_line(text, 600)), "") for name, text in words.probabilities(stated)),
            indent=2,
            label=LABEL_CELLS,
        )
    page.line()
    page.line(f"{figures.counted(len(disagreements), 'disagreement')} to be read")


def calibration_markdown(calibration: Calibration, disagreements: Sequence[Disagreement]) -> str:
    """Return a calibration for a reader or a pull request; every cell escaped, the disagreements cut where the file grows too long."""
    kept: list[str] = []
    room = MOST_CHARS
    for line in _markdown(calibration, disagreements):
        room -= len(line) + 1
        if room < 0:
            return "\n".join(kept) + "\n*(truncated: the rest stands in the .json and .jsonl files)*\n"
        kept.append(line)
    return "\n".join(kept) + "\n"


def _subject(calibration: Calibration) -> str:
    run = f", run {calibration.run}" if calibration.run else ""
    run = f", comparison {calibration.comparison}" if calibration.comparison else run
    return f"{calibration.suite}{run}; labels of {', '.join(calibration.labellers)}"


def _notes(calibration: Calibration) -> Iterator[str]:
    yield from calibration.notes
    if calibration.unmatched:
        yield f"labelled items that are about nothing here: {figures.counts(calibration.unmatched)}"
    if calibration.unlabelled:
        yield f"judged without a label: {calibration.unlabelled}"


def _markdown(calibration: Calibration, disagreements: Sequence[Disagreement]) -> Iterator[str]:
    yield f"# Calibration: {cell(_subject(calibration), 400)}"
    yield ""
    yield from (f"- {cell(note, 400)}" for note in _notes(calibration))
    yield ""
    yield "| judge | capability | criterion | labels | n of items | agreement | kappa | true-pass rate | true-fail rate |"
    yield f"|{' --- |' * 9}"
    rows = (*calibration.rows, *calibration.classifiers)
    yield from map(_row, rows)
    for row in rows:
        yield from ("", f"## {cell(row.judge)}: {cell(words.title(row))}", "")
        who = words.who_said(row, calibration)
        yield from (f"- {cell(name)}: {cell(text, 1000)}" for name, text in words.lines(row, who))
        if row.confusion:
            yield f"- confusion (people, {who}): {cell(words.confusion(row), 1000)}"
    if calibration.selective:
        yield from ("", "## What the judge may decide alone", "")
    yield from (f"- {cell(words.selective(chosen), 1000)}" for chosen in calibration.selective)
    for stated in calibration.probabilities:
        yield from ("", f"## Probabilities: {cell(words.probability_title(stated), 400)}", "")
        yield from (f"- {cell(name)}: {cell(text, 1000)}" for name, text in words.probabilities(stated))
    yield from _read(disagreements)


def _row(row: CalibrationRow) -> str:
    rates = [words.rate(rate) if row.binary else "n/a" for rate in (row.tpr, row.tnr)]
    entries = (
        row.judge,
        row.capability,
        " / ".join(part for part in (row.rubric, row.criterion) if part),
        f"{row.split}, {words.SAMPLES[row.sample]}",
        f"{row.n} of {row.items}",
        words.share(row.agreement, row.agreement_interval),
        words.coefficient(row.kappa),
        *rates,
    )
    return f"| {' | '.join(cell(entry, 300) for entry in entries)} |"


def _read(disagreements: Sequence[Disagreement]) -> Iterator[str]:
    if not disagreements:
        return
    yield from ("", "## Disagreements", "")
    for one in disagreements[:SHOWN]:
        name = " / ".join(part for part in (one.capability, one.rubric, one.criterion) if part)
        yield f"- **{cell(one.case_id, 80)}** {cell(name)}: people {cell(one.human)}, {one.decided_by} {cell(one.verdict)}"
        if one.candidates:
            yield f"  - A: {cell(one.candidates[0], 80)}, B: {cell(one.candidates[1], 80)}"
        for label in one.labels:
            if label.get("note"):
                yield f"  - {cell(str(label['labeller']), 80)}: {cell(str(label['note']), 400)}"
        if one.rationale:
            yield f"  - {one.decided_by}: {cell(one.rationale, 400)}"
        for claim in one.claims:
            quotes = "; ".join(f"{span['source']}: {span['quote']}" for span in claim["evidence"])
            yield f"  - claim, {cell(str(claim['status']))}: {cell(str(claim['text']), 300)} ({cell(quotes or 'no span', 300)})"
        for span in one.evidence if not one.claims else ():
            yield f"  - {cell(str(span['source']), 80)}: {cell(str(span['quote']), 300)}"
    if len(disagreements) > SHOWN:
        yield f"\n... and {len(disagreements) - SHOWN} more in the .jsonl file"
