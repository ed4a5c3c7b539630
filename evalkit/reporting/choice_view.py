"""Which judge to take, on the terminal: candidates with cost, each capability's choice, figures per criterion, and the cross table."""

from __future__ import annotations

import json
from collections.abc import Iterator

from evalkit.records.choices import CapabilityChoice, Choice, JudgeCandidate
from evalkit.reporting import calibration_words as words
from evalkit.reporting import figures
from evalkit.reporting.cascade_words import experiment_cascade
from evalkit.reporting.escape import one_line
from evalkit.reporting.page import Page

WHOLE = 4000
"""Characters of a line: figures are never cut."""
LABELS_ONLY = (
    "Only the labels' part of trust was tested here: both rates, and missing verdicts at worst. Self-agreement, judge errors, independence "
    "and padding are asked by evalkit calibrate on a run of the chosen judge."
)


def print_choice(page: Page, choice: Choice) -> None:
    """Print a comparison of judges."""
    page.line(f"judges on {one_line(choice.suite)} / {one_line(choice.outputs)}, strongest first", style="bold")
    if choice.completeness == "incomplete":
        page.line("INCOMPLETE: not every candidate gave every verdict itself; run it again", style="red", indent=2)
    _candidates(page, choice)
    for capability in choice.capabilities:
        page.line()
        page.line(f"{one_line(capability.capability)}: {_chosen(capability)}", style="bold")
        for line in _of(choice, capability):
            page.line(one_line(line, WHOLE), indent=2, hanging=4)
    if choice.cross:
        page.line()
        page.line("Between the judges", style="bold")
    for cross in choice.cross:
        name = f"{cross.capability} / {cross.rubric} / {cross.criterion}, {cross.agreement.name}"
        page.line(one_line(f"{name}: {words.beside(cross.agreement)}", WHOLE), indent=2, hanging=4)
    page.line()
    if choice.unmatched:
        page.line(one_line(f"labelled items that are about nothing here: {figures.counts(choice.unmatched)}", 400))
    page.line(LABELS_ONLY)
    if choice.routes:
        page.line("for the judge.yaml of the suite, paths relative to it:", style="bold")
        page.line("routes:")
        for name, file in choice.routes.items():
            page.line(f"{json.dumps(name)}: {json.dumps(file)}", indent=2)
        outside = [file for file in dict.fromkeys(choice.routes.values()) if file.startswith("../")]
        if outside:
            named = ", ".join(map(json.dumps, outside))
            page.line(one_line(f"a route may not leave the folder of judge.yaml: put there first {named}", WHOLE))


def _candidates(page: Page, choice: Choice) -> None:
    for candidate in choice.candidates:
        page.line(_candidate(candidate), indent=2)
        if candidate.cascade is not None:
            page.line(f"cascade: {experiment_cascade(candidate.cascade)}", indent=4, hanging=4)


def _candidate(candidate: JudgeCandidate) -> str:
    each = (
        "cost per verdict unknown"
        if candidate.cost_per_verdict is None
        else f"${candidate.cost_per_verdict:.6f} a verdict"
    )
    latency = (
        "latency not measured, every verdict was there"
        if candidate.latency_ms is None
        else (f"{candidate.latency_ms.p50:,.0f} ms (median), {candidate.latency_ms.p90:,.0f} ms (90 %)")
    )
    text = (
        f"{candidate.file}: {candidate.judge}, {candidate.verdicts} of {candidate.requests} verdicts, {each}, {latency}"
    )
    return one_line(text, WHOLE)


def _chosen(capability: CapabilityChoice) -> str:
    if capability.chosen is None:
        return one_line(capability.reading, 300)
    saves = ""
    if capability.saves_per_verdict is not None and capability.saves_share is not None:
        saves = f", saves ${1000 * capability.saves_per_verdict:.4f} a thousand verdicts ({figures.percent(capability.saves_share)})"
    return one_line(f"{capability.chosen}{saves} ({capability.reading})", WHOLE)


def _of(choice: Choice, capability: CapabilityChoice) -> Iterator[str]:
    for figure in choice.figures:
        if figure.capability != capability.capability:
            continue
        excluded = f"; excluded: {figures.counts(figure.excluded)}" if figure.excluded else ""
        why = f" [{figure.reading}]" if figure.reading else ""
        balanced = "n/a" if figure.balanced_accuracy is None else f"{figure.balanced_accuracy:.3f}"
        yield (
            f"{figure.rubric} / {figure.criterion}, {figure.file}: {figure.state}; n {figure.n}, agreement "
            f"{words.share(figure.agreement, figure.agreement_interval)}, balanced accuracy {balanced}; true-pass rate "
            f"{words.rate(figure.tpr)}; true-fail rate {words.rate(figure.tnr)}{excluded}{why}"
        )
    if capability.unlabelled:
        yield f"without test labels that were drawn by chance: {', '.join(capability.unlabelled)}"
