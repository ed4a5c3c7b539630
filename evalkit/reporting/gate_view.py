"""What the gates of a run came to, on a terminal."""

from __future__ import annotations

from evalkit.records.gates import Gated
from evalkit.reporting.escape import one_line
from evalkit.reporting.page import Page

STYLES = {"passed": "green", "failed": "bold red", "refused": "bold yellow"}


def print_gated(page: Page, found: Gated) -> None:
    """Print the verdict first, then what did not pass, then what did."""
    page.line(
        f"{one_line(found.suite)}, run {one_line(found.run)}: gate {found.state.upper()}", style=STYLES[found.state]
    )
    for result in sorted(found.results, key=lambda one: ("failed", "refused", "passed").index(one.state)):
        cases = f" ({', '.join(one_line(name, 60) for name in result.cases[:5])})" if result.cases else ""
        text = f"{one_line(result.name, 120)}: {one_line(result.demand)}: {one_line(result.reason, 400)}{cases}"
        page.line(f"{result.state:<8}{text}", style=STYLES[result.state], indent=2, hanging=8)
