"""A run on one screen: what failed, may it be used, why, every row, how good the instrument is, where to look next."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from evalkit.records.answered import answered_by
from evalkit.records.base import Json
from evalkit.records.manifests import Manifest
from evalkit.records.reports import Health, JudgeHeader, Report
from evalkit.reporting import figures, wording
from evalkit.reporting.baseline_view import baseline_lines, baseline_of
from evalkit.reporting.cascade_words import cascade_lines
from evalkit.reporting.cost_words import cost_lines
from evalkit.reporting.escape import one_line
from evalkit.reporting.outcome import INVALID, broke, outcome, validity
from evalkit.reporting.page import Page
from evalkit.reporting.row_table import print_rows
from evalkit.runstore.layout import CLASSIFIED, FAILURES, HTML, MANIFEST, MARKDOWN, REPORT, SCORES, VERDICTS

FAILURES_SHOWN = 6
REASON_CHARS = 1000
DEFAULT_OUT = Path("runs")

Failure = Mapping[str, Json]


def print_run(page: Page, report: Report, manifest: Manifest, folder: Path, failures: Iterable[Failure] = ()) -> None:
    """Print a run's summary. `failures` are lines of failures.jsonl; the first few of different criteria are shown."""
    first = first_of_each(failures)
    _verdict(page, report, manifest)
    page.line()
    _why(page, first)
    print_rows(page, report.rows)
    page.line()
    _baseline(page, report)
    _instrument(page, report, manifest)
    _where_next(page, folder, manifest, first)


def print_headline(page: Page, report: Report, manifest: Manifest, folder: Path) -> None:
    """Print what must be known of a run that stands beside others: what failed, whether it may be used, where it is."""
    _verdict(page, report, manifest)
    page.line(f"files: {one_line(str(folder))}/", indent=2)
    page.line()


def first_of_each(failures: Iterable[Failure], limit: int = FAILURES_SHOWN) -> list[Failure]:
    """Return at most `limit` failures: for each capability the first by code and the first by the judge, then further criteria."""
    of_criterion: dict[tuple[str, ...], Failure] = {}
    for line in failures:
        if line.get("kind") in wording.TO_MEND:
            key = tuple(str(line.get(name)) for name in ("kind", "capability", "scorer", "criterion"))
            of_criterion.setdefault(key, line)
    candidates = list(of_criterion.values())
    leading = {_side(line): line for line in reversed(candidates)}
    chosen = sorted(candidates, key=lambda line: line is not leading[_side(line)])[:limit]
    return [line for line in candidates if any(line is one for one in chosen)]


def _side(line: Failure) -> tuple[str, bool]:
    return str(line.get("capability")), line.get("mode") in wording.BY_CODE


def _verdict(page: Page, report: Report, manifest: Manifest) -> None:
    """Print whose run this is, what failed, and only then that it is valid; that it is not, and why, comes first."""
    who = one_line(f"{report.suite.get('name', '?')} / {report.outputs.get('name', '?')}, run {manifest.run_id}")
    if report.gating.valid:
        page.line(who, style="bold red" if broke(report) else "bold")
    else:
        page.line(f"{who}: {INVALID}", style="bold red")
    for reason in report.gating.reasons:
        page.line(f"because: {one_line(reason)}", indent=2)
    page.line(outcome(report), style="bold", indent=2)
    _policy(page, report)
    if report.gating.valid:
        page.line(validity(report), indent=2)
    if report.completeness != "complete":
        page.line(f"{report.completeness} run{wording.selection(report)}", indent=2)
    page.line("; ".join(wording.counts(report)), indent=2)


def _policy(page: Page, report: Report) -> None:
    for breach in report.policy:
        if breach.breaches:
            page.line(f"POLICY BREACHED: {wording.breach(breach)}", style="bold red", indent=2)
        elif breach.unknown:
            page.line(f"policy undecided: {wording.breach(breach)}", style="yellow", indent=2)


def _why(page: Page, failures: Sequence[Failure]) -> None:
    if not failures:
        return
    page.line("Failures, the first of each capability:", style="bold")
    for line in failures:
        page.cut(wording.failure(line, REASON_CHARS), indent=2)
    page.line()


def _baseline(page: Page, report: Report) -> None:
    found = baseline_of(report)
    if found is None:
        return
    title, *lines = baseline_lines(found)
    page.line(title, style="bold")
    for line in lines:
        page.line(line, indent=2)
    page.line()


def _instrument(page: Page, report: Report, manifest: Manifest) -> None:
    judges = [f"judge: {wording.judge(judge)}" for judge in _distinct(report.judges)]
    if judges:
        judges[-1] += f"; bought: {wording.purchases(manifest.purchases)}"
    for text in judges:
        page.line(text)
    for text in (*cost_lines(manifest), *wording.triage_costs(report, manifest)):
        page.line(text)
    if report.health is not None:
        _health(page, report.health)
    if report.judges:
        page.line(f"independence: {wording.independence(report)}", style=_independence_style(report))
    for text in cascade_lines(report, manifest):
        page.line(text)
    for use in manifest.classifiers:
        page.line(f"classifier: {wording.classifier(use)}")
    for note in manifest.notes:
        page.line(f"note: {one_line(note)}", style="yellow")
    for caution in wording.cautions(report):
        page.line(caution, style="yellow")


def _distinct(judges: Sequence[JudgeHeader]) -> list[JudgeHeader]:
    """Return one header per judge: the capabilities of a run usually share one."""
    return list({(j.judge, answered_by(j), j.prompt, j.samples): j for j in reversed(judges)}.values())[::-1]


def _independence_style(report: Report) -> str:
    return "bold yellow" if report.independence.get("independent") is False else ""


def _health(page: Page, health: Health) -> None:
    page.line(f"judge health: {wording.health(health)}", style="" if health.within_budget else "bold red")
    apart_from_zero = [
        found for found in health.length if found.interval and not found.interval[0] <= 0 <= found.interval[1]
    ]
    if apart_from_zero:
        more = len(apart_from_zero) - 1
        told = f"; so in {figures.counted(more, 'more row')} (report.md)" if more else ""
        page.line(wording.association(apart_from_zero[0]) + told)


def _where_next(page: Page, folder: Path, manifest: Manifest, failures: Sequence[Failure]) -> None:
    beside = [name for name in (SCORES, CLASSIFIED, HTML) if (folder / name).is_file()]
    names = ", ".join((MARKDOWN, REPORT, FAILURES, VERDICTS, MANIFEST, *beside))
    page.line(f"files: {one_line(str(folder))}/ {names}")
    name = manifest.run_id if folder.parent == DEFAULT_OUT else str(folder)
    case = str(failures[0].get("case_id")) if failures else "CASE"
    page.line(f"next: evalkit show {shlex.quote(name)} {shlex.quote(one_line(case))}", style="bold")
