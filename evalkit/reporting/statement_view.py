"""The table of a triage: each statement with its class, what it was checked against and who is credited; cleared ones too."""

from __future__ import annotations

from evalkit.records.statements import NOBODY, Statement
from evalkit.records.verdicts import TriageVerdict
from evalkit.reporting.escape import one_line
from evalkit.reporting.page import Page

_STYLES = {"violation": "red", "misattribution": "red", "inaccurate_general": "red", "cleared": "green"}


def print_statements(page: Page, verdict: TriageVerdict) -> None:
    """Print every statement, then what states nothing, then what the table counts to."""
    for statement in verdict.statements:
        _statement(page, statement)
    if verdict.silent:
        count = len(verdict.silent)
        page.line(f"{count} {'sentence states' if count == 1 else 'sentences state'} nothing", indent=2, style="dim")
        for span in verdict.silent:
            page.line(one_line(span.quote, 600), indent=8, style="dim")
    counts = ", ".join(f"{name.replace('_', ' ')} {number:g}" for name, number in verdict.measures.items())
    page.line(f"counted by the program: {counts}", indent=2)


def _statement(page: Page, one: Statement) -> None:
    name = one.ruling.replace("_", " ")
    page.line(
        f"statement {one.id}  {name}, {one.scope}  {one_line(one.quote, 600)}", indent=2, style=_STYLES[one.ruling]
    )
    page.line(f"{answers(one)}: {one_line(one.why, 600)}", indent=8, style="dim")
    for part in one.paths:
        page.line(f"evidence {one_line(part.path)} = {one_line(part.value, 300)}", indent=8, style="dim")
    for span in one.evidence:
        page.line(
            f'{one_line(span.source)} [{span.start}:{span.end}] "{one_line(span.quote, 600)}"', indent=8, style="dim"
        )


def answers(one: Statement) -> str:
    """Return what the judge answered about a statement, in words."""
    said = []
    if one.supported is not None:
        said.append("supported" if one.supported else "not supported")
    if one.accurate is not None:
        said.append("accurate" if one.accurate else "not accurate")
    if one.owner_stated != NOBODY:
        right = one.owner_stated == one.owner_true
        said.append(
            f"credits {one_line(one.owner_stated)}" + ("" if right else f", true owner {one_line(one.owner_true)}")
        )
    return ", ".join(said) or "restates the evidence"
