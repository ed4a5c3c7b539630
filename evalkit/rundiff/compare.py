"""Two stored runs against each other: both are verified, rows that measure the same are compared, the others are refused by name."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from evalkit.errors import InputError, UsageError
from evalkit.records.diffs import RefusedRow, RowDiff, RunDiff
from evalkit.records.reports import Report
from evalkit.rundiff.comparable import differences, judged_by, name_of, row_pairs
from evalkit.rundiff.instruments import instrument_of
from evalkit.rundiff.outcomes import RunOutcomes
from evalkit.rundiff.pairs import pairs_of
from evalkit.rundiff.rows import row_diff
from evalkit.runstore.reader import StoredRun
from evalkit.runstore.verify import verify
from evalkit.stats.multiplicity import benjamini_hochberg, holm

LEVEL = 0.05


def verified(run: StoredRun) -> StoredRun:
    """Return a run that holds together. Raises InputError with what does not."""
    faults = verify(run)
    if faults:
        raise InputError(faults)
    return run


def compare_runs(run_a: StoredRun, run_b: StoredRun) -> RunDiff:
    """Return B against A, row by row.

    Raises InputError where a run does not hold together, RunStoreError where it has no scores.jsonl, UsageError for runs of
    different suites. Rows that may not be compared stand in `refused` with what differs.
    """
    a, b = verified(run_a).report, verified(run_b).report
    if a.suite.get("name") != b.suite.get("name"):
        raise UsageError(
            f"{run_a.name} is a run of suite {a.suite.get('name')!r}, {run_b.name} of {b.suite.get('name')!r}: "
            "their cases are not the same; compare two runs of one suite"
        )
    outcomes_a, outcomes_b = RunOutcomes.of(run_a), RunOutcomes.of(run_b)
    rows, refused = [], []
    only_a, only_b = [], []
    for mine, theirs in row_pairs(a, b):
        if mine is None and theirs is not None:
            only_b.append(name_of(b.rows[theirs]))
        elif theirs is None and mine is not None:
            only_a.append(name_of(a.rows[mine]))
        elif mine is not None and theirs is not None:
            reasons = differences(a.rows[mine], b.rows[theirs], a, b)
            if reasons:
                refused.append(RefusedRow(**name_of(a.rows[mine]).model_dump(), reasons=reasons))
            else:
                row = row_diff(a.rows[mine], pairs_of(outcomes_a, mine, outcomes_b, theirs))
                rows.append(row.model_copy(update={"caution": judged_by(a.rows[mine], b.rows[theirs], a)}))
    corrected, family = corrected_together(rows)
    return RunDiff(
        run_a=run_a.name,
        run_b=run_b.name,
        suite=a.suite.get("name", ""),
        instruments=tuple(found for run in (run_a, run_b) if (found := instrument_of(run)) is not None),
        notes=tuple(_notes(a, b)),
        family=family,
        rows=corrected,
        refused=tuple(refused),
        only_a=tuple(only_a),
        only_b=tuple(only_b),
    )


def corrected_together(rows: Sequence[RowDiff]) -> tuple[tuple[RowDiff, ...], int]:
    """Return the rows with Holm's p and Benjamini-Hochberg's q, and the family's size: every row with a test, policy aside."""
    tested = [index for index, row in enumerate(rows) if row.p is not None and row.kind != "policy"]
    p_values = [p for index in tested if (p := rows[index].p) is not None]
    changed = list(rows)
    for index, p_holm, q in zip(tested, holm(p_values), benjamini_hochberg(p_values), strict=True):
        row = rows[index]
        decided = q <= LEVEL and not row.insufficient
        changed[index] = row.model_copy(update={"p_holm": p_holm, "q": q, "moved": _moved(row) if decided else None})
    return tuple(changed), len(tested)


def _moved(row: RowDiff) -> str | None:
    """Return which way a row moved; None where it did not, or where the row ranks nothing."""
    if not row.difference or row.better == "neither":
        return None
    return "better" if (row.difference > 0) == (row.better == "higher") else "worse"


def _notes(a: Report, b: Report) -> Iterator[str]:
    if a.golden_sha256 != b.golden_sha256:
        yield "the golden set changed between the runs: only cases whose own line is the same are paired"
    for name, report in (("A", a), ("B", b)):
        if not report.gating.valid:
            yield f"{name} is invalid for gating: {'; '.join(report.gating.reasons)}"
    if a.outputs.get("sha256") == b.outputs.get("sha256"):
        yield "both runs scored the same outputs: whatever differs is the instrument"
