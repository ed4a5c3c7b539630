"""Composite: several independent answers in one number, in code, without a second call. The weights are the host's.

Questions over one state are independent, which is what makes a weighted mean of them meaningful. A noul counts with its p, a score with
its share of the highest level; a choice has no amount and is refused.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from evalkit.classifiers.banding import BANDS, is_sure
from evalkit.errors import UsageError
from evalkit.records.bands import Bands
from evalkit.records.decisions import EXACT, Answer, ChoiceAnswer, Decision, NoulAnswer


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """What one answer contributes."""

    amount: float
    """0 to 1."""
    weight: float
    """The host's weight divided by the sum of those that count, 0 to 1."""
    confidence: float
    """The answer's confidence; of a noul its distance from 0.5 as a share of the largest, |2p - 1|."""
    sure: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Composite:
    """A weighted mean and what it was made of."""

    value: float
    """Sum of weight x amount, 0 to 1."""
    parts: Mapping[str, Part]
    least_confidence: float
    uncertain: bool
    """Whether any part is not sure."""
    missing: tuple[str, ...]
    """Questions with a weight and no answer; never any unless `missing="skip"`."""
    calibrated: bool


def composite(
    decision: Decision,
    weights: Mapping[str, float],
    *,
    missing: Literal["error", "skip"] = "error",
    bands: Bands = BANDS,
) -> Composite:
    """Return the weighted mean of a decision's answers.

    Raises UsageError for no weights, a weight that is not a positive number, an answer without an amount, and a missing answer unless it
    is to be skipped, in which case the weights of the others count alone.
    """
    if not weights:
        raise UsageError("a composite needs the host's weights")
    for name, weight in weights.items():
        if not (weight > 0 and math.isfinite(weight)):
            raise UsageError(f"the weight of {name!r} is {weight!r}, not a positive number")
    absent = tuple(name for name in weights if name not in decision.answers)
    if absent and (missing == "error" or len(absent) == len(weights)):
        raise UsageError(f"no answer to {', '.join(map(repr, absent))}, which the composite weighs")
    present = {name: weight for name, weight in weights.items() if name not in absent}
    whole = math.fsum(present.values())
    parts = {name: _part(name, decision.answers[name], weight / whole, bands) for name, weight in present.items()}
    return Composite(
        value=round(math.fsum(part.weight * part.amount for part in parts.values()), EXACT),
        parts=parts,
        least_confidence=min(part.confidence for part in parts.values()),
        uncertain=not all(part.sure for part in parts.values()),
        missing=absent,
        calibrated=decision.calibrated,
    )


def _part(name: str, answer: Answer, weight: float, bands: Bands) -> Part:
    if isinstance(answer, ChoiceAnswer):
        raise UsageError(
            f"the answer to {name!r} is a choice, which has no amount; ask a noul for each option that counts"
        )
    if isinstance(answer, NoulAnswer):
        amount, confidence = answer.p, round(abs(2 * answer.p - 1), EXACT)
    else:
        amount, confidence = answer.normalised, answer.confidence
    return Part(amount=amount, weight=weight, confidence=confidence, sure=is_sure(answer, bands))
