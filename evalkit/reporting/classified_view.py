"""What classifier scorers answered about a case: how the bands read it, why, and every probability; ids and options escaped."""

from __future__ import annotations

from evalkit.records.classified import ClassifiedCase
from evalkit.records.decisions import Answer
from evalkit.reporting.escape import one_line
from evalkit.reporting.page import Page

SHOWN = 12
"""Options of an answer that are named, the most probable first; the rest is counted."""
_STYLES = {"pass": "green", "fail": "red", "uncertain": "yellow"}


def print_classified(page: Page, line: ClassifiedCase) -> None:
    """Print one answer of a classifier scorer."""
    page.line()
    name = f"{one_line(line.capability)}/{one_line(line.scorer)}/classifier"
    page.line(f"{name}: {line.outcome} (classifier)", style="bold")
    page.line(f"{one_line(line.model)}: {one_line(line.why, 1000)}", indent=2, style=_STYLES[line.outcome])
    by_its_word = "" if line.calibrated else "; not calibrated by its own word"
    page.line(f"{probabilities_line(line.answer)}; of a pass {line.p_pass:.3g}{by_its_word}", indent=2, style="dim")


def probabilities_line(answer: Answer) -> str:
    """Return the probabilities of an answer on one line."""
    if answer.type == "noul":
        return f"probability of yes {answer.p:.3g}"
    if answer.type == "score":
        return "probabilities of the levels " + ", ".join(f"{n} {p:.3g}" for n, p in enumerate(answer.probabilities))
    ranked = sorted(answer.probabilities.items(), key=lambda entry: -entry[1])
    more = f" and {len(ranked) - SHOWN} more" if len(ranked) > SHOWN else ""
    return "probabilities " + ", ".join(f"'{one_line(option, 60)}' {p:.3g}" for option, p in ranked[:SHOWN]) + more
