"""What the swap did, pair by pair: the verdict with the first candidate shown first against the verdict with it shown second."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from typing import NamedTuple

from evalkit.experiments.external_pairs import ExternalPair
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


def matrices_made_elsewhere(pairs: Iterable[ExternalPair]) -> list[OrderMatrix]:
    """Return the same of verdicts made elsewhere: the judge stands for the capability, each repetition apart."""
    counts: dict[tuple[str, str, str, str, str], Counter[tuple[PairSide, PairSide]]] = defaultdict(Counter)
    for pair in pairs:
        shown = {said.first_shown: pair.preferred(said) for said in pair.orders}
        in_ab, in_ba = shown.get(pair.first), shown.get(pair.second)
        if in_ab is not None and in_ba is not None:
            key = pair.first, pair.second, pair.judge, "", f"{pair.criterion}, sample {pair.sample}"
            counts[key][in_ab, in_ba] += 1
    return [OrderMatrix(*key, counts=dict(found)) for key, found in counts.items()]


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
