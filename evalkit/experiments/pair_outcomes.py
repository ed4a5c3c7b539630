"""What two verdicts on one pair come to: a win counts only if it survives the swap.

`ab` shows the first candidate's answer first, `ba` the second's. A letter names a place; here it becomes a candidate.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from evalkit.judging.pairwise_grades import read
from evalkit.records.comparisons import PairPosition, PairSide
from evalkit.records.scores import Unscored
from evalkit.records.verdicts import PairJudgement
from evalkit.stats.positions import Outcome, swap

_CANDIDATE: Mapping[tuple[str, str], PairSide] = {
    ("ab", "A"): "first",
    ("ab", "B"): "second",
    ("ba", "A"): "second",
    ("ba", "B"): "first",
    ("ab", "tie"): "tie",
    ("ba", "tie"): "tie",
}
_PLACE: Mapping[str, Outcome] = {"A": "first", "B": "second", "tie": "tie"}
_GAIN: Mapping[PairSide, float] = {"first": 1.0, "tie": 0.0, "second": -1.0}


class PairOutcome(NamedTuple):
    """One pair on one criterion."""

    winner: PairSide
    """By the strict rule."""
    position: PairPosition
    average: float
    """Mean over the two orders of +1 (first candidate), 0, -1: in -1, -0.5, 0, 0.5, 1."""


IN_CODE: Mapping[PairSide, PairOutcome] = {side: PairOutcome(side, "consistent", gain) for side, gain in _GAIN.items()}
"""Outcomes that no judge was asked about, by winner."""


def outcome_of(in_ab: PairSide, in_ba: PairSide) -> PairOutcome:
    """Return what two preferences for candidates come to, the first candidate being shown first in `ab`."""
    places: Mapping[PairSide, Outcome] = {"first": "second", "second": "first", "tie": "tie"}
    position = swap(in_ab, places[in_ba])
    winner: PairSide = in_ab if in_ab == in_ba else "tie"
    return PairOutcome(winner, position, (_GAIN[in_ab] + _GAIN[in_ba]) / 2)


def outcome_on(criterion: str, orders: Sequence[PairJudgement]) -> PairOutcome | Unscored:
    """Return what the verdicts of both orders say on a criterion, over all samples.

    Any order without a verdict: its judge_error, or `not_bought`. Samples whose outcomes differ: `unstable`, never a vote.
    """
    for judgement in orders:
        if judgement.preferred is None:
            return no_verdict(judgement)
    samples: dict[int, dict[str, PairSide]] = {}
    for judgement in orders:
        preferred = candidate_on(criterion, judgement)
        if preferred is not None:
            samples.setdefault(judgement.sample, {})[judgement.order] = preferred
    found = [outcome_of(by_order["ab"], by_order["ba"]) for by_order in samples.values()]
    winners = [outcome.winner for outcome in found]
    if len(set(winners)) > 1:
        return Unscored("unstable", f"samples: {', '.join(winners)}")
    return found[0]


def was_asked(judgement: PairJudgement) -> bool:
    """Tell whether a question was asked at all: it has a verdict, or refused replies."""
    return judgement.verdict is not None or bool(judgement.rejected)


def candidate_on(criterion: str, judgement: PairJudgement) -> PairSide | None:
    """Return which candidate one order's verdict prefers, None where there is no verdict."""
    return None if judgement.preferred is None else _CANDIDATE[judgement.order, read(criterion, judgement.preferred)]


def place_on(criterion: str, judgement: PairJudgement) -> Outcome | None:
    """Return which place won in one order, None where there is no verdict."""
    return None if judgement.preferred is None else _PLACE[read(criterion, judgement.preferred)]


def no_verdict(judgement: PairJudgement) -> Unscored:
    """Return why a question has no verdict: it was not bought, or its replies could not be used."""
    if not judgement.rejected:
        return Unscored("not_bought")
    last = judgement.rejected[-1].rejection
    return Unscored(f"judge_error:{last.kind}", last.message)
