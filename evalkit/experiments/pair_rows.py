"""Pairs on one criterion become a row: counts first, then the strict net win, the average over orders, and what length has to do with it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean

from evalkit.aggregation.exclusions import unknown_outcomes
from evalkit.experiments.pair_outcomes import PairOutcome
from evalkit.records.base import Json
from evalkit.records.comparisons import PairRow
from evalkit.records.reports import Interval
from evalkit.stats.clusters import ClusterSum, Singles, clustered_t_interval
from evalkit.stats.intervals import wilson
from evalkit.stats.length_controlled import Decided, length_controlled
from evalkit.stats.means import t_interval_of
from evalkit.stats.results import Refused
from evalkit.stats.win_rates import win_rate

GAIN = {"first": 1, "tie": 0, "second": -1}


@dataclass(slots=True)
class PairFold:
    """Two candidates on one criterion while pairs come in."""

    key: Mapping[str, Json]
    """first, second, judge, capability, rubric, criterion, judge_config_hash."""
    outcomes: list[PairOutcome] = field(default_factory=list)
    words: list[tuple[int, int] | None] = field(default_factory=list)
    """Words of the two answers, pair by pair; None where the texts are not known."""
    clusters: list[str | None] = field(default_factory=list)
    in_code: int = 0
    excluded: Counter[str] = field(default_factory=Counter)

    def add(
        self, outcome: PairOutcome, words: tuple[int, int] | None, cluster: str | None, *, in_code: bool = False
    ) -> None:
        """Take one pair's outcome, with the lengths of its answers."""
        self.outcomes.append(outcome)
        self.words.append(words)
        self.clusters.append(cluster)
        self.in_code += in_code

    def exclude(self, reason: str) -> None:
        """Count a pair that could not be compared."""
        self.excluded[reason] += 1

    def row(self) -> PairRow:
        """Return the finished row."""
        counts = Counter(outcome.winner for outcome in self.outcomes)
        positions = Counter(outcome.position for outcome in self.outcomes)
        wins, losses, n = counts["first"], counts["second"], len(self.outcomes)
        averages = [outcome.average for outcome in self.outcomes]
        clustered, clusters = self._clustered()
        return PairRow(
            **self.key,
            pairs=n + self.excluded.total(),
            n=n,
            excluded=dict(sorted(self.excluded.items())),
            in_code=self.in_code,
            first_both=wins,
            second_both=losses,
            tie_both=positions["consistent"] - wins - losses,
            towards_first_shown=positions["primacy"],
            towards_second_shown=positions["recency"],
            wins=wins,
            ties=counts["tie"],
            losses=losses,
            **_strict(wins, counts["tie"], losses),
            net_clustered=clustered,
            clusters=clusters,
            average_net=fmean(averages) if averages else None,
            average_net_interval=_within(t_interval_of(averages)),
            net_bounds=self._bounds(wins - losses, n),
            **self._length(),
        )

    def _bounds(self, net: int, n: int) -> Interval | None:
        """Return the net win where every pair that hides an outcome goes against the first candidate, and for it."""
        lost = unknown_outcomes(self.excluded)
        total = n + lost
        return ((net - lost) / total, (net + lost) / total) if total else None

    def _clustered(self) -> tuple[Interval | None, int | None]:
        sums: dict[str, list[float]] = {}
        alone: list[float] = []
        for outcome, cluster in zip(self.outcomes, self.clusters, strict=True):
            gain = float(GAIN[outcome.winner])
            if cluster is None:
                alone.append(gain)
            else:
                sums.setdefault(cluster, []).append(gain)
        if not sums:
            return None, None
        grouped = [ClusterSum(len(gains), sum(gains)) for gains in sums.values()]
        singles = Singles(len(alone), sum(alone), sum(gain * gain for gain in alone))
        interval = clustered_t_interval(grouped, singles)
        return _within(interval), len(sums) + len(alone)

    def _length(self) -> dict[str, Json]:
        """Return what the lengths of the answers tell about the decided pairs."""
        decided = [
            Decided(outcome.winner == "first", float(words[0] - words[1]))
            for outcome, words in zip(self.outcomes, self.words, strict=True)
            if outcome.winner != "tie" and words is not None
        ]
        unequal = [pair for pair in decided if pair.difference]
        longer = sum(pair.won == (pair.difference > 0) for pair in unequal)
        found: dict[str, Json] = {
            "decided": len(unequal),
            "longer_won": longer,
            "longer_share": longer / len(unequal) if unequal else None,
            "longer_interval": wilson(longer, len(unequal)) if unequal else None,
        }
        return {**found, **_controlled(decided)}


def _within(interval: Interval | None) -> Interval | None:
    """Return an interval of a net win cut to what a net win can be."""
    return (max(-1.0, interval[0]), min(1.0, interval[1])) if interval else None


def _strict(wins: int, ties: int, losses: int) -> dict[str, Json]:
    """Return the figures of the strict rule."""
    found = win_rate(wins, ties, losses)
    if isinstance(found, Refused):
        absent = dict.fromkeys(("win_rate", "win_rate_interval", "net", "net_interval", "p"))
        return {**absent, "reading": found.reason}
    return {
        "win_rate": found.rate.value,
        "win_rate_interval": found.rate.interval,
        "net": found.net.value,
        "net_interval": found.net.interval,
        "p": found.p,
        "reading": f"insufficient: {found.net.insufficient}" if found.net.insufficient else "",
    }


def _controlled(decided: Sequence[Decided]) -> dict[str, Json]:
    found = length_controlled(decided, padding_measured=False)
    if isinstance(found, Refused):
        return {"raw_rate": None, "length_controlled": None, "length_reading": found.reason}
    controlled = found.controlled
    if isinstance(controlled, Refused):
        return {"raw_rate": found.raw.value, "length_controlled": None, "length_reading": controlled.reason}
    return {
        "raw_rate": found.raw.value,
        "length_controlled": controlled.value,
        "length_controlled_interval": controlled.interval,
        "length_reading": f"insufficient: {controlled.insufficient}" if controlled.insufficient else "",
    }
