"""The difference of one row with its interval, its test and what it could have found."""

from __future__ import annotations

from dataclasses import dataclass
from math import fsum, inf

from evalkit.aggregation.readings import MEAN_NEEDS, RATE_NEEDS, join
from evalkit.aggregation.sample_spread import ONE_SAMPLE
from evalkit.records.diffs import CountRatio, RowDiff
from evalkit.records.directions import direction
from evalkit.records.reports import Interval, Row
from evalkit.rundiff.comparable import name_of
from evalkit.rundiff.pairs import Pairs
from evalkit.stats.clusters import clustered_t_interval
from evalkit.stats.differences import mcnemar_midp, tango
from evalkit.stats.distributions import t_quantile, t_two_sided
from evalkit.stats.means import are_equal, t_interval
from evalkit.stats.power import smallest_difference, smallest_mean_difference
from evalkit.stats.rerun_counts import ENOUGH_ITEMS, ratio_of_means
from evalkit.stats.results import Refused, too_few

DISCORDANT_NEEDED = 5
"""Pairs that differ, below which McNemar's mid-p cannot reach .05."""
SEED = 20
"""Of the bootstrap, so that a comparison has the same bytes every time."""
CLUSTERS_NEEDED = 20
"""Clusters below which a t over clusters decides nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Estimate:
    """A difference and what it rests on."""

    interval: Interval | None = None
    p: float | None = None
    clusters: int | None = None
    interval_clustered: Interval | None = None
    detectable: float | None = None
    insufficient: bool = True
    note: str = ""


def row_diff(row: Row, pairs: Pairs) -> RowDiff:
    """Return the difference of a row over its pairs; `row` says what was measured."""
    n = pairs.n
    counted = row.mode == "triage" and row.estimate == "mean" and bool(pairs.counts)
    once = row.spread is not None and row.spread.samples == 1
    found = _estimate(row, pairs) if n else _Estimate(note="no case was scored in both runs")
    return RowDiff(
        **name_of(row).model_dump(),
        estimate=row.estimate,
        n=n,
        value_a=pairs.total_a / n if n else None,
        value_b=pairs.total_b / n if n else None,
        fixed=tuple(pairs.fixed),
        broken=tuple(pairs.broken),
        still_failing=tuple(pairs.still_failing),
        unchanged=pairs.unchanged,
        drift=tuple(pairs.drift),
        drift_by={tiers: tuple(ids) for tiers, ids in pairs.drift_by.items()},
        unpaired={reason: tuple(ids) for reason, ids in pairs.unpaired.items()},
        difference=fsum(pairs.deltas) / n if n else None,
        interval=found.interval,
        p=found.p,
        clusters=found.clusters,
        interval_clustered=found.interval_clustered,
        detectable=found.detectable,
        insufficient=found.insufficient or once,
        better=direction(row),
        note=join(found.note, ONE_SAMPLE if once else ""),
        ratio=_ratio(pairs, rules=row.spread is None) if counted else None,
    )


def _ratio(pairs: Pairs, *, rules: bool) -> CountRatio:
    """Return B's mean over A's; the draws start from the same seed every time. A judge that is `rules` reads everything once."""
    found = ratio_of_means(pairs.counts, SEED)
    if isinstance(found, Refused):
        return CountRatio(value=None, interval=None, note=found.reason)
    few = too_few(len(pairs.counts), ENOUGH_ITEMS, "items") if rules else found.insufficient
    return CountRatio(value=found.value, interval=found.interval, note=few or "")


def _estimate(row: Row, pairs: Pairs) -> _Estimate:
    plain = _rate(pairs) if row.estimate == "rate" else _mean(pairs)
    sums, singles = pairs.cluster_sums()
    count = len(sums) + singles.n
    if count == pairs.n or not any(pairs.deltas):
        return plain
    return _clustered(plain, pairs, count, 1.0 if row.estimate == "rate" else inf)


def _rate(pairs: Pairs) -> _Estimate:
    n, b, c = pairs.n, len(pairs.fixed), len(pairs.broken)
    notes = []
    if b + c == 0:
        notes.append("no discordant pairs")
    elif b + c < DISCORDANT_NEEDED:
        notes.append(f"{b + c} discordant pairs: the test cannot reach .05 below {DISCORDANT_NEEDED}")
    if n < RATE_NEEDS:
        notes.append(f"{n} pairs: too few to be read as a rate ({RATE_NEEDS} are needed)")
    return _Estimate(
        interval=tango(b, c, n),
        p=mcnemar_midp(b, c),
        detectable=smallest_difference(n, (b + c) / n),
        insufficient=n < RATE_NEEDS or b + c < DISCORDANT_NEEDED,
        note=join(*notes),
    )


def _mean(pairs: Pairs) -> _Estimate:
    n = pairs.n
    few = f"{n} pairs: too few to be read as a mean ({MEAN_NEEDS} are needed)" if n < MEAN_NEEDS else ""
    equal = are_equal(pairs.deltas)
    interval = None if equal else t_interval(n, fsum(pairs.deltas), fsum(delta * delta for delta in pairs.deltas))
    if interval is None:
        no_change = not any(pairs.deltas)
        note = "no value changed" if no_change else "SD = 0: all differences are equal, no interval"
        return _Estimate(p=1.0 if no_change and n > 1 else None, note=join(note, few))
    error, p = _error_and_p(interval, n)
    return _Estimate(
        interval=interval, p=p, detectable=smallest_mean_difference(error), insufficient=n < MEAN_NEEDS, note=few
    )


def _clustered(plain: _Estimate, pairs: Pairs, count: int, most: float) -> _Estimate:
    """Return the estimate with clusters respected; fewer than 20 of them carry no test. `most` is the largest difference there can be."""
    note = f"{count} clusters, fewer than {CLUSTERS_NEEDED}: nothing can be decided" if count < CLUSTERS_NEEDED else ""
    interval = clustered_t_interval(*pairs.cluster_sums())
    if interval is None:
        note = join(note, "all clusters have the same difference: no clustered interval")
        return _Estimate(
            interval=plain.interval, clusters=count, detectable=plain.detectable, note=join(plain.note, note)
        )
    error, p = _error_and_p(interval, count)
    few = count < CLUSTERS_NEEDED
    return _Estimate(
        interval=plain.interval,
        p=None if few else p,
        clusters=count,
        interval_clustered=(max(-most, interval[0]), min(most, interval[1])),
        detectable=smallest_mean_difference(error),
        insufficient=plain.insufficient or few,
        note=join(plain.note, note),
    )


def _error_and_p(interval: Interval, count: int) -> tuple[float, float]:
    """Return the standard error behind a 95 % t interval over `count` units, and the p value of "no difference"."""
    low, high = interval
    error = (high - low) / 2 / t_quantile(0.975, count - 1)
    return error, t_two_sided((low + high) / 2 / error, count - 1)
