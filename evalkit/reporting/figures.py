"""Numbers as words of a report: rounding that never turns nearly into exactly, and unknown that never looks like zero."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal

from evalkit.records.reports import Interval, Row


def percent(share: float) -> str:
    """Return a share as a percentage with one decimal; 0 % and 100 % only where they are exact."""
    if 0 < share < 0.0005:
        return "<0.1 %"
    if 0.9995 <= share < 1:
        return ">99.9 %"
    return f"{100 * written(share):.1f} %"


def written(amount: float) -> Decimal:
    """Return a number as it is written out, so that a tie rounds one way in every unit: .8875 is 0.888 and 88.8 %."""
    return Decimal(repr(amount))


def value(row: Row) -> str:
    """Return a row's value: a percentage for a rate, a number for a mean."""
    if row.value is None:
        return "no data"
    return percent(row.value) if row.estimate == "rate" else number(row.value)


def number(amount: float) -> str:
    """Return a mean with three significant decimals, larger ones with thousands separated."""
    return f"{amount:,.0f}" if abs(amount) >= 1000 else f"{written(amount):.3f}"


def interval(row: Row, limits: Interval | None) -> str:
    """Return an interval in the row's unit; empty where there is none."""
    if limits is None:
        return ""
    low, high = limits
    if row.estimate == "rate":
        return f"{100 * written(low):.1f} to {100 * written(high):.1f} %"
    return f"{number(low)} to {number(high)}"


def passed(row: Row) -> str:
    """Return how many passed of how many scored."""
    return f"n {row.n}" if row.passed is None else f"{row.passed} of {row.n}"


def counts(by_reason: Mapping[str, int]) -> str:
    """Return counts by reason, the largest first."""
    ordered = sorted(by_reason.items(), key=lambda item: (-item[1], item[0]))
    return ", ".join(f"{reason} {count}" for reason, count in ordered if count)


def dollars(amount: float | None) -> str:
    """Return a cost; None is unknown, never free."""
    if amount is None:
        return "cost unknown"
    return f"${amount:.4f}" if amount < 1 else f"${amount:,.2f}"


def counted(count: int, one: str, many: str = "") -> str:
    """Return a number of things in words: `1 fault`, `2 faults`; `many` is the plural where it is not `one` with an s."""
    return f"{count:,} {one if count == 1 else many or f'{one}s'}"


def cases(count: int) -> str:
    """Return a number of cases in words."""
    return counted(count, "case")


def criterion(row: Row) -> str:
    """Return a row's name: scorer and criterion, each once."""
    return row.scorer if row.scorer == row.criterion else f"{row.scorer}: {row.criterion}"


def criterion_within(row: Row) -> str:
    """Return a row's name where its capability has been named, which need not be said twice."""
    return row.criterion if row.scorer == row.capability else criterion(row)
