"""Faults and warnings of the files that people write, as `evalkit check` prints them."""

from __future__ import annotations

from collections.abc import Sequence

from evalkit.errors import FAULTS_SHOWN, Fault
from evalkit.reporting.escape import one_line
from evalkit.reporting.page import Page

FAULT_CHARS = 600


def print_faults(page: Page, faults: Sequence[Fault], total: int, word: str, style: str) -> None:
    """Print faults one a line, `word` before each; the first 20 in full, the rest counted."""
    for fault in faults[:FAULTS_SHOWN]:
        page.line(f"{word}: {one_line(str(fault), FAULT_CHARS)}", style=style)
    shown = min(len(faults), FAULTS_SHOWN)
    if total > shown:
        page.line(f"... and {total - shown} more", style=style)
