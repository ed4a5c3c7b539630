"""Whether a stored run holds together: every row's arithmetic, counts against the lines behind them, and the hashes named.

A report that somebody edited by hand, or a folder put together from two runs, breaks at least one of these.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from math import fsum
from typing import NamedTuple

from evalkit.errors import Fault
from evalkit.records.base import Json
from evalkit.records.case_scores import PASS, RowScores
from evalkit.records.classified import UNCERTAIN
from evalkit.records.reports import Interval, Row
from evalkit.runstore.grades import OVERALL, Grades, grades_of, outcome_of
from evalkit.runstore.layout import CLASSIFIED, FAILURES, MANIFEST, REPORT, SCORES, VERDICTS
from evalkit.runstore.reader import StoredRun
from evalkit.stats.intervals import manski_bounds, wilson

_SHA256 = re.compile(r"[0-9a-f]{64}")
Key = tuple[str, str, str]
"""Capability, scorer or rubric, criterion."""


class ByCode(NamedTuple):
    """What code scored of a row."""

    n: int
    """Cases."""
    total: float
    """Sum of their numbers; 0 for a rate."""


def verify(run: StoredRun) -> tuple[Fault, ...]:
    """Return what does not hold together; empty for a sound run. Raises RunStoreError where a file cannot be read."""
    faults = [*_arithmetic(run), *_hashes(run), *_failures(run), *_cases(run)]
    return tuple(faults)


def _fault(run: StoredRun, file: str, field: str, problem: str) -> Fault:
    remedy = "the file was changed after the run, or belongs to another one; run again under the same id"
    return Fault(file=str(run.folder / file), field=field, problem=problem, remedy=remedy)


def _arithmetic(run: StoredRun) -> Iterator[Fault]:
    for index, row in enumerate(run.report.rows):
        for problem in row_faults(row):
            yield _fault(run, REPORT, f"rows.{index} ({'/'.join(_key(row))})", problem)


def row_faults(row: Row) -> Iterator[str]:
    """Yield what is wrong with one row's arithmetic."""
    excluded = sum(row.excluded.values())
    if min(row.n, row.total, *row.excluded.values()) < 0:
        yield "a count is negative"
    if row.n + excluded != row.total:
        yield f"n {row.n} + excluded {excluded} is not total {row.total}"
    if row.passed is not None and not 0 <= row.passed <= row.n:
        yield f"passed {row.passed} is not between 0 and n {row.n}"
    if (row.value is None) != (row.n == 0):
        yield f"value {row.value} does not go with n {row.n}"
    elif row.value is not None and row.estimate == "rate" and not _is_rate(row):
        yield f"value {row.value} is not passed {row.passed} / n {row.n}"
    yield from _rate_limits(row)
    for name in ("interval", "bounds"):
        limits = getattr(row, name)
        if limits is not None and row.value is not None and not limits[0] - 1e-9 <= row.value <= limits[1] + 1e-9:
            yield f"{name} {limits} does not contain value {row.value}"


def _rate_limits(row: Row) -> Iterator[str]:
    """Yield what is wrong with the interval and the worst case of a rate whose counts can be read."""
    if row.estimate != "rate" or row.passed is None or not 0 <= row.passed <= row.n or not row.n:
        return
    if row.interval is None or not _close(row.interval, wilson(row.passed, row.n)):
        yield f"interval {row.interval} is not Wilson's of passed {row.passed} / n {row.n}"
    if row.bounds is not None:
        width = row.bounds[1] - row.bounds[0]
        unknown = round(row.n * width / (1 - width)) if 0 <= width < 1 else 0
        if unknown > row.total - row.n or not _close(row.bounds, manski_bounds(row.passed, row.n, unknown)):
            yield f"bounds {row.bounds} are no worst case of passed {row.passed} / n {row.n} and the excluded ones"


def _close(said: Interval, found: Interval) -> bool:
    return all(math.isclose(one, other, abs_tol=1e-9) for one, other in zip(said, found, strict=True))


def _is_rate(row: Row) -> bool:
    return row.passed is not None and math.isclose(row.value or 0.0, row.passed / row.n, abs_tol=1e-12)


def _hashes(run: StoredRun) -> Iterator[Fault]:
    report, manifest = run.report, run.manifest
    pairs = {
        "suite_sha256": (manifest.suite_sha256, report.suite.get("sha256", "")),
        "golden_sha256": (manifest.golden_sha256, report.golden_sha256),
        "outputs_sha256": (manifest.outputs_sha256, report.outputs.get("sha256", "")),
    }
    for field, (in_manifest, in_report) in pairs.items():
        if in_manifest != in_report:
            yield _fault(
                run, MANIFEST, field, f"{in_manifest or 'nothing'} is not the report's {in_report or 'nothing'}"
            )
        elif not _SHA256.fullmatch(in_report):
            yield _fault(run, REPORT, field, f"{in_report!r} is no SHA-256")
    if manifest.completeness != report.completeness:
        problem = f"{manifest.completeness} is not the report's {report.completeness}"
        yield _fault(run, MANIFEST, "completeness", problem)
    known = {use.judge_config_hash for use in manifest.judges}
    for index, row in enumerate(report.rows):
        if row.kind == "judge" and row.judge_config_hash not in known:
            yield _fault(run, REPORT, f"rows.{index}.judge_config_hash", "stands in no judge use of the manifest")


def _failures(run: StoredRun) -> Iterator[Fault]:
    """Compare failed = n - passed of every row with the lines of kind `failed`.

    `overall` has no lines of its own; a judge's criterion has failed a case where every sample has a line, or code has one.
    """
    samples = {(use.capability, use.rubric): use.samples for use in run.report.judges}
    lines: Counter[tuple[Key, str]] = Counter()
    for line in run.failures():
        if line.get("kind") == "failed":
            key = (str(line.get("capability")), str(line.get("scorer")), str(line.get("criterion")))
            in_code = line.get("mode") == "code"  # an empty text, failed once for all samples
            lines[key, str(line.get("case_id"))] += samples.get(key[:2], 1) if in_code else 1
    failed: Counter[Key] = Counter()
    counted: Counter[Key] = Counter()
    judged = {_key(row) for row in run.report.rows if row.kind == "judge"}
    for row in run.report.rows:
        failed[_key(row)] += 0 if row.passed is None else row.n - row.passed
    for (key, _), count in lines.items():
        counted[key] += count >= samples.get(key[:2], 1) if key in judged else count
    for key in sorted({*failed, *counted}):
        if key not in failed:
            yield _fault(run, FAILURES, "/".join(key), f"{counted[key]} failed lines belong to no row of the report")
        elif counted[key] != failed[key] and not (key in judged and key[2] == OVERALL):
            problem = f"{counted[key]} failed by its lines, {failed[key]} by the report's row"
            yield _fault(run, FAILURES, "/".join(key), problem)


def _cases(run: StoredRun) -> Iterator[Fault]:
    """Count every row again from the cases behind it."""
    by_code, faults = _counted_scores(run)
    yield from faults
    yield from _verdicts(run, by_code)
    yield from _classified(run)


def _classified(run: StoredRun) -> Iterator[Fault]:
    """Count pass and uncertain again from classified.jsonl for every row of a classifier; what code failed has no line there."""
    found: Counter[tuple[str, str, str]] = Counter(
        (line.capability, line.scorer, line.outcome) for line in run.classified()
    )
    for index, row in enumerate(run.report.rows):
        if row.kind != "classifier":
            continue
        counts = (("passed", row.passed or 0, "pass"), ("uncertain", row.excluded.get(UNCERTAIN, 0), "uncertain"))
        for name, reported, outcome in counts:
            have = found[row.capability, row.scorer, outcome]
            if reported != have:
                problem = f"{name} {reported}, but {CLASSIFIED} gives {have}"
                yield _fault(run, REPORT, f"rows.{index} ({'/'.join(_key(row))})", problem)


def _counted_scores(run: StoredRun) -> tuple[list[ByCode], list[Fault]]:
    """Return what code scored in each row as scores.jsonl has it, and what does not go with the deterministic rows."""
    rows = run.report.rows
    nothing = [ByCode(0, 0.0)] * len(rows)
    if not run.has_scores:
        return nothing, []
    found = run.scores().rows
    if len(found) != len(rows):
        problem = f"holds {len(found)} rows, the report {len(rows)}"
        return nothing, [_fault(run, SCORES, "row", problem)]
    faults = []
    for index, (row, scores) in enumerate(zip(rows, found, strict=True)):
        for name, said, have in () if row.kind == "judge" else counted_again(row, scores):
            if said != have:
                where = f"rows.{index} ({'/'.join(_key(row))})"
                faults.append(_fault(run, REPORT, where, f"{name} {said}, but {SCORES} gives {have}"))
    return [ByCode(scores.scored, fsum(scores.values or ())) for scores in found], faults


def counted_again(row: Row, scores: RowScores) -> Iterator[tuple[str, Json, Json]]:
    """Yield what is counted, what a row says of it, and what its cases give."""
    yield "n", row.n, scores.scored
    yield "excluded", row.total - row.n, scores.excluded
    if row.passed is not None:
        yield "passed", row.passed, scores.codes.count(PASS)
    if row.estimate == "mean" and row.value is not None and scores.values:
        mean = fsum(scores.values) / len(scores.values)
        if not math.isclose(mean, row.value, abs_tol=1e-9 * max(map(abs, scores.values))):
            yield "value", row.value, mean


def _verdicts(run: StoredRun, by_code: list[ByCode]) -> Iterator[Fault]:
    """Count every judge row again from verdicts.jsonl; `by_code` holds what code scored of each row."""
    known = {use.judge_config_hash for use in run.manifest.judges}
    by_use: defaultdict[tuple[str, str], defaultdict[str, list[Grades]]] = defaultdict(lambda: defaultdict(list))
    for number, judgement in enumerate(run.judgements(), 1):
        if judgement.judge_config_hash not in known:
            yield Fault(
                file=str(run.folder / VERDICTS),
                line=number,
                field="judge_config_hash",
                problem="stands in no judge use",
            )
        by_use[judgement.capability, judgement.rubric][judgement.case_id].append(grades_of(judgement))
    if run.report.completeness == "incomplete":  # some samples of a case may be missing: nothing to count again
        return
    for index, row in enumerate(run.report.rows):
        if row.kind != "judge":
            continue
        cases = by_use.get((row.capability, row.scorer), {}).values()
        for name, reported, found in _recount(row, cases, by_code[index]):
            if reported != found:
                problem = f"{name} {reported}, but {VERDICTS} gives {found}"
                yield _fault(run, REPORT, f"rows.{index} ({'/'.join(_key(row))})", problem)


def _recount(row: Row, cases: Iterable[list[Grades]], by_code: ByCode) -> Iterator[tuple[str, float, float]]:
    found = [outcome_of(row.criterion, samples) for samples in cases]
    outcomes = Counter(outcome for outcome in found if isinstance(outcome, str))
    numbers = [outcome for outcome in found if not isinstance(outcome, str)]
    errors = sum(count for reason, count in row.excluded.items() if reason.startswith("judge_error"))
    yield "judge errors", errors, outcomes["judge_error"]
    yield "passed", row.passed or 0, outcomes["pass"]
    n = outcomes["pass"] + outcomes["fail"] + len(numbers) + by_code.n
    yield "n", row.n, n
    if row.estimate == "mean" and n and row.value is not None:
        mean = (fsum(numbers) + by_code.total) / n
        if not math.isclose(mean, row.value, rel_tol=1e-9, abs_tol=1e-12):
            yield "value", row.value, mean


def _key(row: Row) -> Key:
    return row.capability, row.scorer, row.criterion
