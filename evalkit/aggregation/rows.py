"""Per-case results become rows: n, what was excluded and why, the estimate, its interval, its worst-case bounds.

Scored + excluded = total, in every row. A fold keeps sums and per-cluster sums, not cases, so memory does not grow with the golden
set, and adding is cheap, for it happens once per case and criterion. Values are summed as differences from the first one, so close
large values do not cancel and equal values have a spread of exactly 0.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Literal

from evalkit.aggregation.exclusions import unknown_outcomes
from evalkit.aggregation.readings import few_clusters, join, reading_of, too_few, zero_cell
from evalkit.records.base import Json
from evalkit.records.reports import Interval, Row
from evalkit.records.scores import SCORER_ERROR, Estimate, Result, Unscored
from evalkit.stats.clusters import ClusterSum, Singles, clustered_t_interval, clustered_wilson
from evalkit.stats.intervals import manski_bounds, wilson
from evalkit.stats.means import t_interval

LARGEST = 1e140
"""Values from here on, and NaN, are a fault of the scorer: no measurement is that large, and its square must not overflow."""
Counted = bool | str | None
"""What a row made of a case: passed or not, None for a value without a pass rule, or why it is excluded."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RowKey:
    """What a row is about, and what makes its number."""

    capability: str
    scorer: str
    criterion: str
    mode: Literal["code", "classifier", "pointwise", "pairwise", "reference", "triage"]
    kind: Literal["deterministic", "classifier", "judge", "policy"]
    estimate: Estimate
    within: Interval | None = None
    """Range that a mean cannot leave."""
    signature: dict[str, Json]
    judge_config_hash: str | None = None


@dataclass(frozen=True, slots=True)
class _Clustered:
    """The clustered interval of a row, where one can be had, and what it cannot say."""

    interval: Interval | None = None
    clusters: int | None = None
    note: str = ""


class RowFold:
    """A row while results come in."""

    __slots__ = (
        "_clusters",
        "_origin",
        "_rate",
        "_squares",
        "_squares_inside",
        "_total",
        "_unruled",
        "excluded",
        "key",
        "n",
        "passed",
    )

    def __init__(self, key: RowKey) -> None:
        self.key = key
        self.n = 0
        self.passed = 0
        self.excluded: Counter[str] = Counter()
        self._rate = key.estimate == "rate"
        self._unruled = 0
        self._origin = 0.0
        self._total = 0.0
        self._squares = 0.0
        self._clusters: dict[str, list[float]] = {}
        self._squares_inside = 0.0

    def add(self, result: Result, cluster: str | None = None) -> Counted:
        """Take one case's result and return what it counts as; `cluster` names the document or template that it shares with others.

        A value that is no finite number counts as `scorer_error`, as does a rate's result without a pass or fail.
        """
        if isinstance(result, Unscored):
            self.excluded[result.reason] += 1
            return result.reason
        value, passed = result[0], result[1]
        # One comparison refuses NaN, infinities and overflow.
        if not -LARGEST < value < LARGEST or (passed is None and self._rate):
            self.excluded[SCORER_ERROR] += 1
            return SCORER_ERROR
        if passed:
            self.passed += 1
        if self._rate:
            offset = 1.0 if passed else 0.0
        else:
            if passed is None:
                self._unruled += 1
            if not self.n:
                self._origin = value
            offset = value - self._origin
            self._total += offset
            self._squares += offset * offset
        self.n += 1
        if cluster is not None:
            sums = self._clusters.get(cluster)
            if sums is None:
                sums = self._clusters[cluster] = [0.0, 0.0]
            sums[0] += 1.0
            sums[1] += offset
            self._squares_inside += offset * offset
        return None if passed is None else bool(passed)

    def row(self) -> Row:
        """Return the finished row."""
        value, interval, note = self._rate_estimate() if self._rate else self._mean_estimate()
        clustered = self._clustered()
        insufficient = too_few(self.key.estimate, self.n)
        return Row(
            capability=self.key.capability,
            scorer=self.key.scorer,
            criterion=self.key.criterion,
            mode=self.key.mode,
            kind=self.key.kind,
            estimate=self.key.estimate,
            n=self.n,
            excluded=dict(sorted(self.excluded.items())),
            total=self.n + self.excluded.total(),
            passed=self._passed(),
            value=value,
            interval=interval,
            interval_clustered=clustered.interval,
            clusters=clustered.clusters,
            bounds=self._bounds(),
            insufficient=insufficient,
            note=join(note, clustered.note),
            signature=self.key.signature,
            judge_config_hash=self.key.judge_config_hash,
            trust="provisional" if self.key.kind in {"judge", "classifier"} else None,
            reading=reading_of(self.key.kind, self.key.estimate, self.n),
        )

    def _passed(self) -> int | None:
        """None for a mean whose criterion has no pass rule; a rate always has one."""
        if self._rate:
            return self.passed
        return None if self._unruled or not self.n else self.passed

    def _rate_estimate(self) -> tuple[float | None, Interval | None, str]:
        if not self.n:
            return None, None, "no data"
        return self.passed / self.n, wilson(self.passed, self.n), zero_cell(self.passed, self.n)

    def _mean_estimate(self) -> tuple[float | None, Interval | None, str]:
        if not self.n:
            return None, None, "no data"
        value = self._origin + self._total / self.n
        interval = t_interval(self.n, self._total, self._squares)
        if interval is not None:
            return value, self._cut((self._origin + interval[0], self._origin + interval[1])), ""
        if self.n == 1:
            return value, None, "one value: no interval"
        return value, None, f"SD = 0: all {self.n} values are equal, no interval"

    def _cut(self, interval: Interval) -> Interval:
        """Return an interval without what lies outside the range of the measure: t knows of no range."""
        if self.key.within is None:
            return interval
        low, high = self.key.within
        return max(low, interval[0]), min(high, interval[1])

    def _bounds(self) -> Interval | None:
        unknown = unknown_outcomes(self.excluded)
        return manski_bounds(self.passed, self.n, unknown) if self._rate and unknown else None

    def _clustered(self) -> _Clustered:
        if not self._clusters:
            return _Clustered()
        sums = [ClusterSum(size, total) for size, total in self._clusters.values()]
        singles = self._singles(sums)
        count = len(sums) + singles.n
        if count < 2:
            return _Clustered(None, count, "all cases stand in one cluster: no clustered interval")
        note = few_clusters(count)
        if self._rate:
            rate = clustered_wilson(sums, singles)
            return _Clustered(None if rate is None else (rate.low, rate.high), count, note)
        mean = clustered_t_interval(sums, singles)
        if mean is None:
            return _Clustered(None, count, "all clusters have the same mean: no clustered interval")
        return _Clustered(self._cut((self._origin + mean[0], self._origin + mean[1])), count, note)

    def _singles(self, sums: list[ClusterSum]) -> Singles:
        """Return the sums of the cases without a cluster: what is left of all."""
        total, squares = (float(self.passed),) * 2 if self._rate else (self._total, self._squares)
        n = self.n - int(sum(cluster.size for cluster in sums))
        if not n:
            return Singles()
        return Singles(n, total - sum(cluster.total for cluster in sums), squares - self._squares_inside)
