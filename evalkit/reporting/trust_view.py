"""What a judge has earned: a state per criterion and, where it is not TRUSTED, every condition that is missing and what would decide it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from evalkit.records.trust import Ledger, TrustRow, TrustState
from evalkit.reporting.escape import one_line
from evalkit.reporting.page import Page

RowKey = tuple[str, str, str, str]
"""`TrustRow.key`."""
STYLES: Mapping[TrustState, str] = {"TRUSTED": "green", "NOT TRUSTED": "red", "UNDECIDED": "yellow"}


def print_earned(
    page: Page,
    rows: Sequence[TrustRow],
    before: Mapping[RowKey, TrustState],
    left: Collection[RowKey] = (),
) -> None:
    """Print the rows of a calibration; `before` says what each row had said before, `left` which of them the ledger did not take."""
    page.line()
    page.line("Trust", style="bold")
    for row in rows:
        was = before.get(row.key)
        if row.key in left:
            aside = f" by this run (trust.json {'does not take it' if was is None else f'still says {was}'})"
        else:
            aside = f" (it was {was})" if was is not None and was != row.state else ""
        _row(page, row, aside)


def print_ledger(
    page: Page,
    ledger: Ledger,
    standing: Iterable[tuple[TrustRow, Sequence[str]]],
    raised: Iterable[Sequence[str]],
) -> None:
    """Print a ledger; beside each row what has changed since in the suite's judge, and which bars were raised; empty where none."""
    page.line(f"trust of {one_line(ledger.suite)}", style="bold")
    for (row, changes), stricter in zip(standing, raised, strict=True):
        judge = ledger.judges.get(row.judge_config_hash)
        name = f"{one_line(judge.judge)}, " if judge else ""
        _row(page, row, f" ({name}configuration {row.judge_config_hash[:12]}, run {one_line(row.run)})")
        if changes:
            lost = "lost" if row.state == "TRUSTED" else "about another configuration"
            page.line(
                f"{lost}, the suite's judge has changed: {one_line('; '.join(changes), 600)}", indent=4, style="yellow"
            )
        if stricter:
            page.line(
                f"the suite asks for more since: {', '.join(stricter)}; no gate reads the row until it is calibrated again",
                indent=4,
                style="yellow",
            )


def _row(page: Page, row: TrustRow, aside: str) -> None:
    name = f"{row.capability} / {row.rubric} / {row.criterion}"
    page.line(f"{one_line(name)}: {row.state}{aside}", style=STYLES[row.state], indent=2)
    open_ones = [condition for condition in row.conditions if condition.state != "met"]
    failed = [condition for condition in open_ones if condition.state == "failed"]
    for condition in failed or open_ones:
        remedy = f" -> {condition.remedy}" if condition.remedy else ""
        words = f"{condition.name}, {condition.state}: {condition.figures}{remedy}"
        page.line(one_line(words, 400), indent=4, hanging=4)
    rest = [condition.name for condition in open_ones if condition.state != "failed"]
    if failed and rest:
        page.line(f"undecided besides: {', '.join(rest)}", indent=4)
