"""Position bias: what becomes of verdicts on pairs when the two answers change places.

A pair is judged in both orders. Consistent: one outcome (one answer wins, or a tie) in both. Order-dependent otherwise: primacy
where the answers did better when shown first, recency where they did better when shown second.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

from evalkit.stats.differences import mcnemar_midp, tango
from evalkit.stats.intervals import clopper_pearson, wilson

Outcome = Literal["first", "second", "tie"]
"""Who won in one order: the answer shown first, the one shown second, or nobody."""
Swap = Literal["consistent", "primacy", "recency"]

_GAIN = {"first": 1, "tie": 0, "second": -1}


def swap(one: Outcome, other: Outcome) -> Swap:
    """Return what became of a pair, given who won in one order and who won in the other.

    Consistent where the place that won changed with the answers (first and second, second and first, tie and tie); otherwise the
    first place gained on the whole (primacy), or the second did (recency).
    """
    gain = _GAIN[one] + _GAIN[other]
    if gain == 0:
        return "consistent"
    return "primacy" if gain > 0 else "recency"


class PositionBias(NamedTuple):
    """The figures of pairs that were judged in both orders."""

    consistency: float
    """Share of pairs with one outcome in both orders."""
    consistency_interval: tuple[float, float]
    """95 % Wilson."""
    swing: float
    """(primacy - recency)/pairs, in [-1, 1]."""
    swing_interval: tuple[float, float]
    """95 % Tango."""
    p: float
    """Two-sided McNemar mid-p of primacy against recency."""
    first_share: float | None
    """primacy/(primacy + recency); None where no pair depends on the order."""
    first_share_interval: tuple[float, float] | None
    """95 % Clopper-Pearson."""


def position_bias(consistent: int, primacy: int, recency: int) -> PositionBias:
    """Return consistency, swing and first-slot share with their intervals.

    Range: counts >= 0, one pair at least. Shi et al. 2024 (2406.07791) for the terms. Raises ValueError outside the range.
    """
    pairs, divided = consistent + primacy + recency, primacy + recency
    if pairs < 1:
        raise ValueError("a rate of pairs needs one pair at least")
    return PositionBias(
        consistency=consistent / pairs,
        consistency_interval=wilson(consistent, pairs),
        swing=(primacy - recency) / pairs,
        swing_interval=tango(primacy, recency, pairs),
        p=mcnemar_midp(primacy, recency),
        first_share=primacy / divided if divided else None,
        first_share_interval=clopper_pearson(primacy, divided) if divided else None,
    )
