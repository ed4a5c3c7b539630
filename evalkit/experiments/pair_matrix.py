"""What the swap did, pair by pair: the verdict with the first candidate shown first against the verdict with it shown second."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from typing import NamedTuple

from evalkit.experiments.pair_outcomes import candidate_on
from evalkit.records.comparisons import PairLine, PairSide

SIDES: tuple[PairSide, ...] = ("first", "tie", "second")


class OrderMatrix(NamedTuple):
    """Two candidates on one criterion, over the pairs with a readable verdict in both orders; each sample counts."""

    first: str
    second: str
    capability: str
    rubric: str
    criterion: str
    counts: dict[tuple[PairSide, PairSide], int]
    """(preferred where the first candidate is shown first, preferred where it is shown second) -> pairs; never zero entries."""


def order_matrices(lines: Iterable[PairLine]) -> list[OrderMatrix]:
    """Return a matrix per two candidates, judge use and criterion that the judge was asked about."""
    counts: dict[tuple[str, str, str, str, str], Counter[tuple[PairSide, PairSide]]] = defaultdict(Counter)
    for line in lines:
        samples = {judgement.sample for judgement in line.judgements}
        for criterion in line.outcomes:
            for sample in samples:
                found = {
                    judgement.order: candidate_on(criterion, judgement)
                    for judgement in line.judgements
                    if judgement.sample == sample
                }
                in_ab, in_ba = found.get("ab"), found.get("ba")
                if in_ab is not None and in_ba is not None:
                    counts[line.first, line.second, line.capability, line.rubric, criterion][in_ab, in_ba] += 1
    return [OrderMatrix(*key, counts=dict(found)) for key, found in counts.items()]
