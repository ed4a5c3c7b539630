"""Position bias of pairs judged in both orders, as a row: counts first, then consistency, swing and the share of the first place."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from statistics import fmean

from evalkit.records.experiments import PositionRow, RepeatRow
from evalkit.stats.agreement import pair_agreement
from evalkit.stats.means import t_interval_of
from evalkit.stats.positions import Outcome, position_bias, swap

ENOUGH_PAIRS = 50
ENOUGH_DIVIDED = 5
"""Order-dependent pairs below which no test of their direction can decide."""


def position_row(
    judge: str, criterion: str, sample: int, places: Sequence[Sequence[Outcome | None]], *, not_asked: int = 0
) -> PositionRow:
    """Return what became of pairs when their answers changed places.

    `places` holds, pair by pair, which place won in each order that was asked (at most two), None where no verdict could be read;
    `not_asked` counts the pairs that were left unasked in an order (max_cost, interruption).
    """
    read = [place for outcomes in places for place in outcomes if place is not None]
    both = [outcomes for outcomes in places if len(outcomes) == 2]
    swaps: Counter[str] = Counter()
    ties = 0
    for one, other in both:
        if one is not None and other is not None:
            swaps[swap(one, other)] += 1
            ties += one == other == "tie"
    readable = swaps.total()
    found = position_bias(swaps["consistent"], swaps["primacy"], swaps["recency"]) if readable else None
    excluded = {"no_verdict_in_an_order": len(both) - readable, "one_order_only": len(places) - len(both)}
    excluded["not_bought"] = not_asked
    return PositionRow(
        judge=judge,
        criterion=criterion,
        sample=sample,
        pairs=len(places) + not_asked,
        readable=readable,
        excluded={reason: count for reason, count in excluded.items() if count},
        consistent=swaps["consistent"],
        ties=ties,
        primacy=swaps["primacy"],
        recency=swaps["recency"],
        consistency=found.consistency if found else None,
        consistency_interval=found.consistency_interval if found else None,
        swing=found.swing if found else None,
        swing_interval=found.swing_interval if found else None,
        p=found.p if found else None,
        first_share=found.first_share if found else None,
        first_share_interval=found.first_share_interval if found else None,
        first_picks=read.count("first"),
        verdicts=len(read),
        unreadable=sum(map(len, places)) - len(read),
        worst_case=swaps["consistent"] / (len(both) + not_asked) if len(both) + not_asked else None,
        reading=_reading(readable, swaps["primacy"] + swaps["recency"]),
    )


def _reading(pairs: int, divided: int) -> str:
    if not pairs:
        return "no data"
    if not divided:
        return f"no order-dependent verdict in {pairs} pairs; rate at most {100 * min(1.0, 3 / pairs):.1f} %"
    words = [f"insufficient: {pairs} of the {ENOUGH_PAIRS} pairs that it takes"] if pairs < ENOUGH_PAIRS else []
    if divided < ENOUGH_DIVIDED:
        words.append(f"{divided} order-dependent pairs cannot show a direction")
    return "; ".join(words)


def repeat_row(judge: str, criterion: str, pairs: Sequence[Mapping[str, Sequence[str]]]) -> RepeatRow:
    """Return how well repetitions of one order agree, beside verdicts of the two orders, over the same pairs.

    `pairs` holds, pair by pair, the readable winners of each order's repetitions; a winner is a candidate's name or `tie`.
    """
    same, swapped = [], []
    for by_order in pairs:
        if len(by_order) == 2 and all(len(winners) >= 2 for winners in by_order.values()):
            one_order, other = by_order.values()
            same.append(fmean([pair_agreement(one_order), pair_agreement(other)]))
            swapped.append(fmean(a == b for a in one_order for b in other))
    differences = [a - b for a, b in zip(same, swapped, strict=True)]
    interval = t_interval_of(differences)
    reading = "" if interval else "no interval: SD = 0, or fewer than two pairs"
    return RepeatRow(
        judge=judge,
        criterion=criterion,
        n=len(same),
        same_order=fmean(same) if same else None,
        swapped=fmean(swapped) if swapped else None,
        difference=fmean(differences) if differences else None,
        difference_interval=interval,
        reading=reading,
    )
