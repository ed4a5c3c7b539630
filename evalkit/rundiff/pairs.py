"""The cases of one row in two runs: who is a pair, who is not and why, and what each pair came to.

A pair is a case whose golden line is the same and which both runs scored. An output that did not change cannot have made the
candidate better or worse: where its result changed, the instrument moved. Such a pair counts in n with a difference of 0 and is
listed as drift.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field

from evalkit.rundiff.outcomes import Outcome, RunOutcomes
from evalkit.stats.clusters import ClusterSum, Singles
from evalkit.stats.rerun_counts import Pair

UNKNOWN = "not known"
"""Stands for the tier that decided, where a run does not say it."""


@dataclass(slots=True)
class Pairs:
    """One row, case by case."""

    deltas: list[float] = field(default_factory=list)
    """B - A per pair; 0 where the output is unchanged."""
    clusters: list[str | None] = field(default_factory=list)
    """The cluster of each pair."""
    counts: list[Pair] = field(default_factory=list)
    """Of a judge's count: the numbers of each pair's samples, B first; those of A twice where the output is unchanged."""
    total_a: float = 0.0
    total_b: float = 0.0
    fixed: list[str] = field(default_factory=list)
    broken: list[str] = field(default_factory=list)
    still_failing: list[str] = field(default_factory=list)
    drift: list[str] = field(default_factory=list)
    drift_by: defaultdict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    """Of a cascade: which tier decided in each run -> cases of `drift`."""
    unchanged: int = 0
    unpaired: defaultdict[str, list[str]] = field(default_factory=lambda: defaultdict(list))

    @property
    def n(self) -> int:
        """Pairs."""
        return len(self.deltas)

    def cluster_sums(self) -> tuple[list[ClusterSum], Singles]:
        """Return the differences summed by cluster, and those of cases that stand alone."""
        sums: defaultdict[str, list[float]] = defaultdict(list)
        alone: list[float] = []
        for delta, cluster in zip(self.deltas, self.clusters, strict=True):
            (alone if cluster is None else sums[cluster]).append(delta)
        singles = Singles(len(alone), sum(alone), sum(delta * delta for delta in alone))
        return [ClusterSum(len(values), sum(values)) for values in sums.values()], singles


def pairs_of(a: RunOutcomes, row_a: int, b: RunOutcomes, row_b: int) -> Pairs:
    """Return the pairs of a row that stands at `row_a` in run A and at `row_b` in run B."""
    pairs = Pairs()
    mine, theirs = a.rows[row_a], b.rows[row_b]
    for case_id in dict.fromkeys((*mine, *theirs)):
        first, second = mine.get(case_id), theirs.get(case_id)
        if first is None or second is None:
            pairs.unpaired["not in A" if first is None else "not in B"].append(case_id)
        elif a.cases[case_id].golden != b.cases[case_id].golden:
            pairs.unpaired["the case itself was changed"].append(case_id)
        elif first.value is None or second.value is None:
            for why in _unscored(first, second):
                pairs.unpaired[why].append(case_id)
        else:
            _add(pairs, case_id, first, second, a.cases[case_id].cluster)
    return pairs


def _unscored(first: Outcome, second: Outcome) -> Iterator[str]:
    if first.reason == second.reason:
        yield f"{first.reason} in both"
    else:
        yield " and ".join(
            f"{side.reason} in {name}" for name, side in (("A", first), ("B", second)) if side.value is None
        )


def _add(pairs: Pairs, case_id: str, first: Outcome, second: Outcome, cluster: str | None) -> None:
    before, after = first.value or 0.0, second.value or 0.0
    pairs.total_a += before
    pairs.total_b += after
    pairs.clusters.append(cluster)
    same_output = first.output == second.output
    same_result = (before, first.passed) == (after, second.passed)
    if first.counts and second.counts:
        pairs.counts.append(Pair(first.counts if same_output else second.counts, first.counts))
    pairs.unchanged += same_output
    if same_output and not same_result:
        pairs.drift.append(case_id)
        if first.tier or second.tier:
            pairs.drift_by[f"{first.tier or UNKNOWN} in A, {second.tier or UNKNOWN} in B"].append(case_id)
        pairs.deltas.append(0.0)
        return
    pairs.deltas.append(after - before)
    if first.passed is False and second.passed is False:
        pairs.still_failing.append(case_id)
    elif first.passed is False and second.passed:
        pairs.fixed.append(case_id)
    elif first.passed and second.passed is False:
        pairs.broken.append(case_id)
