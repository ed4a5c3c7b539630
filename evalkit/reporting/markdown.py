"""report.md: the whole run for a reader or a pull request; every cell escaped, and never larger than a host shows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice

from evalkit.records.base import Json
from evalkit.records.manifests import Manifest
from evalkit.records.reports import Report, Row
from evalkit.reporting import figures, wording
from evalkit.reporting.baseline_view import baseline_lines, baseline_of
from evalkit.reporting.cascade_words import cascade_cells, cascade_lines
from evalkit.reporting.escape import markdown as cell
from evalkit.reporting.outcome import outcome, validity

MOST_CHARS = 60_000
"""Characters of the whole file; GitHub shows 65,536 of a comment."""
FAILURES_SHOWN = 50
TRUNCATED = "\n*(truncated: the rest stands in report.json and failures.jsonl)*\n"

Failure = Mapping[str, Json]


def report_markdown(report: Report, manifest: Manifest, failures: Iterable[Failure] = ()) -> str:
    """Return report.md. `failures` are lines of failures.jsonl; the first 50 are listed, the others are not even read."""
    kept: list[str] = []
    room = MOST_CHARS - len(TRUNCATED)
    for line in _lines(report, manifest, failures):
        room -= len(line) + 1
        if room < 0:
            return "\n".join(kept) + TRUNCATED
        kept.append(line)
    return "\n".join(kept) + "\n"


def _lines(report: Report, manifest: Manifest, failures: Iterable[Failure]) -> Iterator[str]:
    yield f"# {cell(report.suite.get('name', '?'))}: {cell(report.outputs.get('name', '?'))}"
    yield ""
    failed, valid = outcome(report), validity(report)
    first, second = (failed, valid) if report.gating.valid else (valid, failed)
    yield f"**{cell(first, 1000)}**"
    yield ""
    yield from _bullets([*report.gating.reasons, second, f"{report.completeness} run{wording.selection(report)}"])
    yield from _bullets(wording.counts(report))
    yield from _policy(report)
    yield from _rows(report)
    yield from _baseline(report)
    yield from _classifiers(manifest)
    yield from _cascades(report, manifest)
    yield from _judge(report, manifest)
    yield from _failures(failures)
    yield from _provenance(report, manifest)


def _bullets(texts: Iterable[str]) -> Iterator[str]:
    for text in texts:
        yield f"- {cell(text, 1000)}"


def _table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    yield f"| {' | '.join(header)} |"
    yield f"|{' --- |' * len(header)}"
    for row in rows:
        yield f"| {' | '.join(row)} |"
    yield ""


def _policy(report: Report) -> Iterator[str]:
    if report.policy:
        yield from ("", "## Policy", "")
        yield from _bullets(
            f"{'BREACHED: ' if breach.breaches else 'undecided: ' if breach.unknown else ''}{wording.breach(breach)}"
            for breach in report.policy
        )


def _rows(report: Report) -> Iterator[str]:
    yield from ("", "## Results", "", "Rows stand beside each other and are never merged.", "")
    header = ("capability", "criterion", "by", "n of total", "passed", "value", "95 % interval", "clustered", "remarks")
    yield from _table(header, (_row(row) for row in report.rows))
    yield from _bullets(wording.cautions(report))


def _row(row: Row) -> tuple[str, ...]:
    return (
        cell(row.capability),
        cell(figures.criterion(row)),
        wording.by(row.kind),
        f"{row.n} of {row.total}",
        "" if row.passed is None else str(row.passed),
        cell(figures.value(row)),
        figures.interval(row, row.interval),
        figures.interval(row, row.interval_clustered),
        cell("; ".join(dict.fromkeys((*wording.remarks(row), *filter(None, (row.note, row.reading))))), 400),
    )


def _baseline(report: Report) -> Iterator[str]:
    found = baseline_of(report)
    if found is not None:
        yield from ("", "## Against the baseline", "")
        yield from _bullets(baseline_lines(found))


def _judge(report: Report, manifest: Manifest) -> Iterator[str]:
    if not report.judges:
        return
    yield from ("", "## The judge as an instrument", "")
    for header in report.judges:
        yield f"- {cell(header.capability)}, rubric {cell(header.rubric)}: {cell(wording.judge(header))}"
    yield f"- independent of the candidate: {cell(wording.independence(report), 1000)}"
    if report.health is not None:
        yield f"- {cell(wording.health(report.health), 1000)}"
        yield from _bullets(wording.association(found) for found in report.health.length)
    yield f"- bought by this run: {cell(wording.purchases(manifest.purchases), 1000)}"
    yield from _bullets(f"note: {note}" for note in manifest.notes)


def _cascades(report: Report, manifest: Manifest) -> Iterator[str]:
    if not report.cascades:
        return
    yield from ("", "## Who decided", "")
    yield from _bullets(cascade_lines(report, manifest))
    yield ""
    header = ("capability", "criterion", "classifier", "judge", "uncertain", "both judged", "agreed", "95 % interval")
    yield from _table(header, ([cell(text) for text in row] for row in cascade_cells(report)))


def _classifiers(manifest: Manifest) -> Iterator[str]:
    if manifest.classifiers:
        yield from (
            "",
            "## Classifiers",
            "",
            "What lies between the bands is `uncertain`: counted, queued for review, never rounded.",
            "",
        )
        yield from _bullets(wording.classifier(use) for use in manifest.classifiers)


def _failures(failures: Iterable[Failure]) -> Iterator[str]:
    rest = (line for line in failures if line.get("kind") in wording.TO_MEND)
    shown = list(islice(rest, FAILURES_SHOWN))
    if not shown:
        return
    yield from ("", "## Failures", "")
    header = ("case", "capability", "criterion", "why")
    yield from _table(header, (_failure(line) for line in shown))
    if next(rest, None) is not None:
        yield "... and more in failures.jsonl (truncated)"


def _failure(line: Failure) -> tuple[str, ...]:
    criterion = line.get("criterion") or line.get("scorer")
    kind = {"judge_error": "judge error: ", "scorer_error": "scorer error: "}.get(str(line.get("kind")), "")
    return (
        cell(str(line.get("case_id")), 80),
        cell(str(line.get("capability")), 80),
        cell(str(criterion), 80),
        kind + cell(wording.why(line)),
    )


def _provenance(report: Report, manifest: Manifest) -> Iterator[str]:
    yield from ("", "## Where the figures come from", "")
    candidate = ", ".join(f"{name} {text}" for name, text in report.candidate.items() if text)
    facts = {
        "run": manifest.run_id,
        "candidate": candidate or "unknown",
        "suite": f"{report.suite.get('name')} version {report.suite.get('version')}, {report.suite.get('sha256', '')}",
        "golden set": report.golden_sha256,
        "outputs": report.outputs.get("sha256", ""),
        "evalkit": manifest.evalkit_version,
        "started": manifest.started_at,
        "finished": manifest.finished_at or "not finished",
    }
    yield from (f"- {name}: {cell(text, 400)}" for name, text in facts.items())
    yield from (
        f"- judge_config_hash, {cell(judge.capability)} / {cell(judge.rubric)}: {cell(judge.judge_config_hash)}"
        for judge in report.judges
    )
