"""A report on the terminal (thin)."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table

from evalkit.records.reports import Report


def print_report(report: Report, console: Console) -> None:
    """Print the rows."""
    table = Table()
    for name in ("capability", "scorer", "criterion", "n", "value", "interval", "excluded"):
        table.add_column(name)
    for row in report.rows:
        value = "no data" if row.value is None else f"{row.value:.1%}"
        interval = "" if row.interval is None else f"{row.interval[0]:.1%} to {row.interval[1]:.1%}"
        excluded = ", ".join(f"{reason} {count}" for reason, count in row.excluded.items())
        table.add_row(row.capability, row.scorer, row.criterion, str(row.n), value, interval, excluded)
    console.print(table)
