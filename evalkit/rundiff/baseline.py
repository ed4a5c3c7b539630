"""A run against its suite's baseline: differences for the report, one-sided bounds for gates, and a run as the next baseline.

Stricter than comparing two runs: another golden set makes every row not comparable, for a baseline is a promise about one set.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from evalkit.aggregation.exclusions import hides_outcome, unknown_outcomes
from evalkit.aggregation.gate_reach import SHARES, Within, no_range
from evalkit.aggregation.readings import MEAN_NEEDS, RATE_NEEDS
from evalkit.errors import UsageError
from evalkit.records.baselines import Baseline, BaselineDiff, BaselineRow, LengthChange
from evalkit.records.case_scores import FAIL, NO_OUTPUT, NOT_HERE, PASS, REASONS, VALUE, CaseScores, RowScores
from evalkit.records.directions import direction
from evalkit.records.gates import Regression
from evalkit.records.reports import Interval, Report, Row
from evalkit.rundiff.comparable import differences, row_pairs
from evalkit.rundiff.compare import verified
from evalkit.rundiff.lengths import length_change
from evalkit.rundiff.outcomes import Outcome, RunOutcomes
from evalkit.rundiff.pairs import Pairs, pairs_of
from evalkit.rundiff.rows import row_diff
from evalkit.runstore.baselines import StoredBaseline
from evalkit.runstore.reader import StoredRun
from evalkit.stats.clusters import clustered_t_interval
from evalkit.stats.differences import tango
from evalkit.stats.distributions import normal_quantile
from evalkit.stats.means import are_equal, lower_of_equal, t_interval_of

RANKS_NOTHING = "the row ranks no candidate: neither more nor less of it is better, so nothing can regress"
NO_SPREAD = (
    "SD = 0: all differences are equal, so they have no interval, and the row has no range from which a bound could be had; "
    "`on: value` holds the value itself"
)
ONE_SIDED = 0.90
"""Level of the two-sided interval whose lower end is the one-sided 95 % bound."""


class AgainstBaseline:
    """A report and the cases behind it, held against a baseline."""

    def __init__(
        self, baseline: StoredBaseline, report: Report, outcomes: RunOutcomes, within: Within = no_range
    ) -> None:
        """`within` says which range a row cannot leave: where all differences are equal, a bound needs one."""
        self._within = within
        self._baseline = baseline
        self._before = RunOutcomes(baseline.record.rows, baseline.scores())
        self._report = report
        self._after = outcomes
        self._as_report = report.model_copy(update={"rows": baseline.record.rows, "judges": baseline.record.judges})
        self._place = {b: a for a, b in row_pairs(self._as_report, report) if b is not None}

    def differences(self) -> BaselineDiff:
        """Return the difference of every row that is no policy condition."""
        rows = (self._row(index, row) for index, row in enumerate(self._report.rows) if row.kind != "policy")
        return BaselineDiff(
            run_id=self._baseline.record.run_id,
            sha256=self._baseline.sha256,
            rows=tuple(rows),
            length=tuple(self._length_changes()),
        )

    def _length_changes(self) -> Iterator[LengthChange]:
        for index, row in enumerate(self._report.rows):
            before = self._place.get(index)
            graded = row.kind == "judge" and row.mode != "pairwise"
            if graded and before is not None and not self._not_comparable(index):
                yield length_change(row, self._before, before, self._after, index)

    def regression(self, row: Row) -> Regression:
        """Return how far a row of the report may have fallen behind, at the worst end of what is unknown."""
        index = next(i for i, mine in enumerate(self._report.rows) if mine is row)
        reasons = self._not_comparable(index)
        before = self._place.get(index)
        if reasons or before is None:
            return Regression(n=0, lower=None, reason=f"not comparable with the baseline: {'; '.join(reasons)}")
        if direction(row) == "neither":
            return Regression(n=0, lower=None, better="neither", reason=RANKS_NOTHING)
        if row.estimate == "mean" and unknown_outcomes(self._baseline.record.rows[before].excluded):
            return Regression(
                n=0, lower=None, reason="cases of the baseline hide their outcome, and a mean has no worst case"
            )
        return _bound(row, self._worst_pairs(before, index), self._within(row))

    def _row(self, index: int, row: Row) -> BaselineRow:
        reasons = self._not_comparable(index)
        before = self._place.get(index)
        if reasons or before is None:
            return BaselineRow(
                capability=row.capability, scorer=row.scorer, criterion=row.criterion, not_comparable=reasons
            )
        found = row_diff(row, pairs_of(self._before, before, self._after, index))
        return BaselineRow(
            capability=row.capability,
            scorer=row.scorer,
            criterion=row.criterion,
            n=found.n,
            baseline=found.value_a,
            value=found.value_b,
            fixed=len(found.fixed),
            broken=len(found.broken),
            unchanged=found.unchanged,
            drift=len(found.drift),
            difference=found.difference,
            interval=found.interval_clustered or found.interval,
            p=found.p,
        )

    def _not_comparable(self, index: int) -> tuple[str, ...]:
        before = self._place.get(index)
        if before is None:
            return ("the baseline has no such row",)
        if self._baseline.record.golden_sha256 != self._report.golden_sha256:
            return ("the golden set has changed since the baseline was set",)
        mine = self._report.rows[index]
        found = differences(self._baseline.record.rows[before], mine, self._as_report, self._report)
        return tuple(reason.replace(" in A", " in the baseline").replace(" in B", " in this run") for reason in found)

    def _worst_pairs(self, before: int, after: int) -> Pairs:
        """Return pairs whose differences are above 0 where the run is better, every hidden outcome the one that speaks against it.

        An unchanged output with another result has not moved: its difference is 0.
        """
        pairs = Pairs()
        sign = -1 if direction(self._report.rows[after]) == "lower" else 1
        old, new = self._before.rows[before], self._after.rows[after]
        for case_id, now in new.items():
            then = old.get(case_id)
            if then is None or _asks_nothing(then) or _asks_nothing(now):
                continue
            worst_then = 1.0 if then.value is None else then.value
            worst_now = 0.0 if now.value is None else now.value
            moved = sign * (worst_now - worst_then)
            if moved and then.output == now.output and then.value is not None and now.value is not None:
                pairs.drift.append(case_id)
                moved = 0.0
            pairs.deltas.append(moved)
            pairs.clusters.append(self._after.cases[case_id].cluster)
        return pairs


def _asks_nothing(outcome: Outcome) -> bool:
    return outcome.value is None and not hides_outcome(outcome.reason)


def _bound(row: Row, pairs: Pairs, within: Interval | None) -> Regression:
    n = pairs.n
    needed = RATE_NEEDS if row.estimate == "rate" else MEAN_NEEDS
    if n < needed:
        return Regression(n=n, lower=None, reason=f"{n} pairs: too few to support a decision ({needed} are needed)")
    bounds = list(_bounds(row, pairs, within))
    if not bounds:
        return Regression(n=n, lower=None, better=direction(row), reason=NO_SPREAD, drift=len(pairs.drift))
    return Regression(n=n, lower=min(bounds), better=direction(row), drift=len(pairs.drift))


def _bounds(row: Row, pairs: Pairs, within: Interval | None) -> Iterator[float]:
    n = pairs.n
    if row.estimate == "rate":
        b, c = pairs.deltas.count(1.0), pairs.deltas.count(-1.0)
        yield tango(b, c, n, normal_quantile(0.95))[0]
    elif are_equal(pairs.deltas):
        if within == SHARES:
            sums, singles = pairs.cluster_sums()
            yield lower_of_equal(max(-1.0, min(pairs.deltas)), len(sums) + singles.n, lowest=-1.0)
        return
    elif plain := t_interval_of(pairs.deltas, ONE_SIDED):
        yield plain[0]
    sums, singles = pairs.cluster_sums()
    if len(sums) + singles.n < n and (clustered := clustered_t_interval(sums, singles, ONE_SIDED)):
        yield clustered[0]


def no_baseline(row: Row) -> Regression:  # noqa: ARG001 - stands where a baseline's regression would
    """Answer for a suite without a baseline."""
    return Regression(n=0, lower=None, reason="the suite has no baseline; set one with: evalkit baseline set RUN")


def regressions(
    baseline: StoredBaseline | None, run: StoredRun, within: Within = no_range
) -> Callable[[Row], Regression]:
    """Return how each row of a stored run stands against the baseline, where there is one; `within` as in `AgainstBaseline`."""
    if baseline is None:
        return no_baseline
    return AgainstBaseline(baseline, run.report, RunOutcomes.of(run), within).regression


def baseline_of(run: StoredRun) -> tuple[Baseline, CaseScores]:
    """Return a run as a baseline, and all its cases: code's results and the judge's.

    Raises InputError where the run does not hold together, UsageError where it is invalid for gating.
    """
    report = verified(run).report
    if not report.gating.valid:
        raise UsageError(
            f"{run.name} is invalid for gating and can be no baseline: {'; '.join(report.gating.reasons)}; set a whole, valid run"
        )
    baseline = Baseline(
        suite=report.suite.get("name", ""),
        run_id=run.manifest.run_id,
        outputs=report.outputs.get("name", ""),
        golden_sha256=report.golden_sha256,
        outputs_sha256=report.outputs.get("sha256", ""),
        scores_sha256="",
        judges=report.judges,
        rows=report.rows,
    )
    scores = run.scores()
    outcomes = RunOutcomes.of(run)
    rows = (
        _with_verdicts(report.rows[line.row], line, outcomes.rows[line.row], scores.table.cases)
        if report.rows[line.row].kind == "judge"
        else line
        for line in scores.rows
    )
    return baseline, CaseScores(scores.table, tuple(rows))


def _with_verdicts(row: Row, line: RowScores, outcomes: Mapping[str, Outcome], cases: Sequence[str]) -> RowScores:
    """Return a judge's row with what the judge decided, and the hash of the answer that it was asked about."""
    reasons: dict[str, str] = {}
    codes, values = [], []
    for case_id in cases:
        found = outcomes.get(case_id)
        if found is None:
            codes.append(NOT_HERE)
        elif found.value is not None:
            codes.append(VALUE if found.passed is None else PASS if found.passed else FAIL)
            values.append(found.value)
        else:
            codes.append(reasons.setdefault(found.reason, REASONS[len(reasons)]))
    asked = "".join(outcomes[case_id].output if case_id in outcomes else NO_OUTPUT for case_id in cases)
    by_code = {code: reason for reason, code in reasons.items()}
    measured = tuple(values) if row.estimate == "mean" else None
    return line.model_copy(update={"codes": "".join(codes), "reasons": by_code, "values": measured, "asked": asked})
