"""A run on one screen: may it be used, what broke, what passed, why not, how good the instrument is, where to look next."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path

from evalkit.records.base import Json
from evalkit.records.manifests import Manifest
from evalkit.records.reports import Health, JudgeHeader, Report, Row
from evalkit.reporting import figures, wording
from evalkit.reporting.baseline_view import baseline_lines, baseline_of
from evalkit.reporting.escape import one_line
from evalkit.reporting.page import Cells, Page

FAILURES_SHOWN = 6
REASON_CHARS = 140
ASSOCIATIONS_SHOWN = 3
DEFAULT_OUT = Path("runs")

Failure = Mapping[str, Json]


def print_run(page: Page, report: Report, manifest: Manifest, folder: Path, failures: Iterable[Failure] = ()) -> None:
    """Print a run's summary. `failures` are lines of failures.jsonl; the first few of different criteria are shown."""
    first = first_of_each(failures)
    _verdict(page, report, manifest)
    _policy(page, report)
    page.line()
    page.columns(_rows(report))
    page.line()
    _why(page, first)
    _baseline(page, report)
    _instrument(page, report, manifest)
    _where_next(page, folder, manifest, first)


def print_headline(page: Page, report: Report, manifest: Manifest, folder: Path) -> None:
    """Print what must be known of a run that stands beside others: whether it may be used, what broke, where it is."""
    _verdict(page, report, manifest)
    _policy(page, report)
    page.line(f"files: {one_line(str(folder))}/", indent=2)
    page.line()


def first_of_each(failures: Iterable[Failure], limit: int = FAILURES_SHOWN) -> list[Failure]:
    """Return at most `limit` failures: for each capability the first by code and the first by the judge, then further criteria."""
    of_criterion: dict[tuple[str, ...], Failure] = {}
    for line in failures:
        if line.get("kind") in {"failed", "judge_error"}:
            key = tuple(str(line.get(name)) for name in ("kind", "capability", "scorer", "criterion"))
            of_criterion.setdefault(key, line)
    candidates = list(of_criterion.values())
    leading = {_side(line): line for line in reversed(candidates)}
    chosen = sorted(candidates, key=lambda line: line is not leading[_side(line)])[:limit]
    return [line for line in candidates if any(line is one for one in chosen)]


def _side(line: Failure) -> tuple[str, bool]:
    return str(line.get("capability")), line.get("mode") == "code"


def _verdict(page: Page, report: Report, manifest: Manifest) -> None:
    who = f"{report.suite.get('name', '?')} / {report.outputs.get('name', '?')}, run {manifest.run_id}"
    provisional = any(row.trust == "provisional" for row in report.rows)
    valid = "valid for gating (judge rows are provisional)" if provisional else "valid for gating"
    word = valid if report.gating.valid else "INVALID FOR GATING"
    page.line(f"{one_line(who)}: {word}", style="bold green" if report.gating.valid else "bold red")
    for reason in report.gating.reasons:
        page.line(f"because: {one_line(reason)}", indent=2)
    if report.completeness != "complete":
        page.line(f"{report.completeness} run{wording.selection(report)}", indent=2)
    for text in wording.counts(report):
        page.line(text, indent=2)


def _policy(page: Page, report: Report) -> None:
    for breach in report.policy:
        if breach.breaches:
            page.line(f"POLICY BREACHED: {wording.breach(breach)}", style="bold red", indent=2)
        elif breach.unknown:
            page.line(f"policy undecided: {wording.breach(breach)}", style="yellow", indent=2)
    if report.policy and not any(breach.breaches for breach in report.policy):
        page.line(f"policy: no breach of {len(report.policy)} conditions", indent=2)


def _rows(report: Report) -> Iterator[tuple[Cells, str]]:
    """Yield the table's lines: a header, then capability by capability a title and its rows."""
    yield ("", "passed", "value", "95 % interval", "remarks"), "dim"
    by_capability: dict[str, list[Row]] = {}
    for row in report.rows:
        if row.kind != "policy":
            by_capability.setdefault(row.capability, []).append(row)
    for capability, rows in by_capability.items():
        yield (one_line(capability), "", "", "", ""), "bold"
        for alike in _collapsed(rows):
            row = alike[0]
            cells = (
                "  " + one_line(", ".join((figures.criterion(row), *(other.criterion for other in alike[1:]))), 80),
                figures.passed(row),
                figures.value(row),
                figures.interval(row, row.interval),
                one_line("; ".join(wording.remarks(row))),
            )
            yield cells, _row_style(row)


def _collapsed(rows: Sequence[Row]) -> Iterator[list[Row]]:
    """Yield rows one by one, but those of one scorer that have no data for the same reasons together."""
    for _, group in groupby(enumerate(rows), key=_sameness):
        yield [row for _, row in group]


def _sameness(numbered: tuple[int, Row]) -> tuple[Json, ...]:
    index, row = numbered
    return (row.scorer, tuple(row.excluded.items())) if row.n == 0 else (index,)


def _row_style(row: Row) -> str:
    if row.n == 0 or row.insufficient:
        return "dim"
    return "green" if row.passed is not None and row.passed == row.n else ""


def _why(page: Page, failures: Sequence[Failure]) -> None:
    if not failures:
        return
    page.line("Failures, the first of each capability:", style="bold")
    for line in failures:
        page.line(wording.failure(line, REASON_CHARS), indent=2)
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
    for judge in _distinct(report.judges):
        page.line(f"judge: {wording.judge(judge)}")
    if report.health is not None:
        _health(page, report.health)
    if report.judges:
        page.line(f"independence: {wording.independence(report)}", style=_independence_style(report))
        page.line(f"bought: {wording.purchases(manifest.purchases)}")
    for note in manifest.notes:
        page.line(f"note: {one_line(note)}", style="yellow")
    for caution in wording.cautions(report):
        page.line(caution, style="yellow")


def _distinct(judges: Sequence[JudgeHeader]) -> list[JudgeHeader]:
    """Return one header per judge: the capabilities of a run usually share one."""
    return list({(j.judge, j.snapshots, j.prompt, j.samples): j for j in reversed(judges)}.values())[::-1]


def _independence_style(report: Report) -> str:
    return "bold yellow" if report.independence.get("independent") is False else ""


def _health(page: Page, health: Health) -> None:
    page.line(f"judge health: {wording.health(health)}", style="" if health.within_budget else "bold red")
    apart_from_zero = [
        found for found in health.length if found.interval and not found.interval[0] <= 0 <= found.interval[1]
    ]
    for association in apart_from_zero[:ASSOCIATIONS_SHOWN]:
        page.line(wording.association(association), indent=2)
    if len(apart_from_zero) > ASSOCIATIONS_SHOWN:
        page.line(f"... and {len(apart_from_zero) - ASSOCIATIONS_SHOWN} more in report.md", indent=2)


def _where_next(page: Page, folder: Path, manifest: Manifest, failures: Sequence[Failure]) -> None:
    page.line(f"files: {one_line(str(folder))}/ report.md, report.json, failures.jsonl, verdicts.jsonl, manifest.json")
    name = manifest.run_id if folder.parent == DEFAULT_OUT else str(folder)
    case = str(failures[0].get("case_id")) if failures else "CASE"
    page.line(f"next: evalkit show {shlex.quote(name)} {shlex.quote(one_line(case))}", style="bold")
