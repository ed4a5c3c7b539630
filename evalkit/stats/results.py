"""What an estimator hands back: an estimate with its interval, or a refusal with its reason.

Where the data cannot carry a number there is none, so that nobody prints it by accident; where they carry one that is too weak to
decide on, the estimate says so itself and its reader need not know the rule.
"""

from __future__ import annotations

from typing import NamedTuple


class Refused(NamedTuple):
    """There is no number."""

    reason: str
    """Why, in words that a report can print, and what would help where something would."""


class Estimate(NamedTuple):
    """A number with its interval."""

    value: float
    interval: tuple[float, float] | None
    """Two-sided, 95 % unless the function was asked for another level; None where the sample shows no spread to build one on."""
    insufficient: str | None = None
    """Why the number may support no decision, e.g. "12 labels, 30 needed"; None where it may."""


def too_few(count: float, least: int, what: str) -> str | None:
    """Return the words of `Estimate.insufficient` for a count below its least; None from the least on."""
    return None if count >= least else f"{count:g} {_one(what) if count == 1 else what}, {least} needed"


def _one(what: str) -> str:
    """Return the singular of what is counted: "runs of an item" is "run of an item"."""
    first, *rest = what.split(" ")
    return " ".join((first.removesuffix("s"), *rest))
