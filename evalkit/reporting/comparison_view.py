"""A comparison of candidates on the terminal and in comparison.md, and one pair of it with both orders."""

from __future__ import annotations

from collections.abc import Iterator

from evalkit.records.comparisons import Comparison, PairLine
from evalkit.records.verdicts import PairJudgement
from evalkit.reporting.comparison_words import Group, Section, alarms, sections, title
from evalkit.reporting.escape import markdown, one_line
from evalkit.reporting.page import Cells, Page

MOST_CHARS = 1200
NAME_CELLS = 24
"""Cells of a criterion's name; a longer one has a line of its own."""


def print_comparison(page: Page, comparison: Comparison) -> None:
    """Print a comparison on a console."""
    for text in alarms(comparison):
        page.line(one_line(text, 400), style="bold red")
    page.line(one_line(title(comparison), 300), style="bold")
    for section in sections(comparison):
        page.line()
        page.line(section.heading, style="bold")
        for line in section.lines:
            page.line(one_line(line, MOST_CHARS), indent=2, hanging=2)
        page.columns(_columns(section), indent=2, label=NAME_CELLS)


def _columns(section: Section) -> Iterator[tuple[Cells, str]]:
    """Yield the section's table: the head, then per group its title and its rows, what is said of a row beneath it."""
    if section.groups:
        yield section.head, "dim"
    for group in section.groups:
        yield (one_line(group.title, 300),), "bold"
        for row in group.rows:
            name, *shown = row.cells
            yield (f"  {one_line(name, 80)}", *map(one_line, shown)), ""
            for note in row.notes:
                yield (f"      {one_line(note, MOST_CHARS)}",), ""


def print_pair(page: Page, pair: PairLine) -> None:
    """Print one pair: what it came to, then each order's verdict with its quotes."""
    page.line(
        one_line(f"{pair.case_id}: {pair.first} against {pair.second}, {pair.capability} / {pair.rubric}", 300),
        style="bold",
    )
    for criterion, winner in pair.outcomes.items():
        who = {"first": pair.first, "second": pair.second, "tie": "tie", None: "no outcome"}[winner]
        swapped = {"primacy": "; better when shown first", "recency": "; better when shown second"}
        page.line(one_line(f"{criterion}: {who}{swapped.get(pair.positions.get(criterion, ''), '')}", 300), indent=2)
    if pair.decided_in_code:
        page.line(f"decided in code: {pair.decided_in_code}", indent=2)
    for judgement in pair.judgements:
        _print_order(page, pair, judgement)


def _print_order(page: Page, pair: PairLine, judgement: PairJudgement) -> None:
    shown = (pair.first, pair.second) if judgement.order == "ab" else (pair.second, pair.first)
    page.line(one_line(f"sample {judgement.sample}: A is {shown[0]}, B is {shown[1]}", 300), indent=2, style="bold")
    verdict = judgement.preferred
    if verdict is None:
        for refused in judgement.rejected:
            page.line(one_line(f"{refused.rejection.kind}: {refused.rejection.message}", 600), indent=4, style="red")
            page.block(refused.text or "")
        return
    for name, entry in verdict.criteria.items():
        page.line(one_line(f"{name}: {entry.winner}: {entry.rationale}", 600), indent=4)
    page.line(f"overall: {verdict.overall}", indent=4)
    for span in verdict.evidence:
        page.line(one_line(f'{span.source} [{span.start}:{span.end}] "{span.quote}"', 600), indent=6, style="dim")


def comparison_markdown(comparison: Comparison) -> str:
    """Return comparison.md."""
    return "\n".join(_markdown(comparison)) + "\n"


def _markdown(comparison: Comparison) -> Iterator[str]:
    yield f"# {_escaped(title(comparison))}"
    yield from ("", *(f"**{_escaped(text)}**" for text in alarms(comparison)))
    for section in sections(comparison):
        yield from ("", f"## {section.heading}", "", *(f"- {_escaped(line)}" for line in section.lines))
        for group in section.groups:
            yield from _group(section, group)


def _group(section: Section, group: Group) -> Iterator[str]:
    yield from ("", f"**{_escaped(group.title)}**", "", _row(section.head), _row(["---"] * len(section.head)))
    yield from (_row(map(_escaped, row.cells)) for row in group.rows)
    notes = [f"- {_escaped(row.cells[0])}: {_escaped(note)}" for row in group.rows for note in row.notes]
    if notes:
        yield from ("", *notes)


def _row(cells: Iterator[str] | Cells) -> str:
    return f"| {' | '.join(cells)} |"


def _escaped(text: str) -> str:
    return markdown(text, MOST_CHARS)
