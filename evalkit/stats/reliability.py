"""Do stated probabilities come true? Reliability table, expected calibration error, Brier score.

The calibration error of a finite sample is above 0 even for honest probabilities and depends on the bins, so what honesty would give
on the same probabilities stands beside it.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import NamedTuple

from evalkit.stats.intervals import wilson
from evalkit.stats.means import t_interval_of
from evalkit.stats.results import Estimate, Refused, too_few

ENOUGH_FORECASTS = 100
ENOUGH_IN_A_BIN = 10
REPLICATES = 500


class Forecast(NamedTuple):
    """A stated probability and what came of it."""

    probability: float
    happened: bool


class Bin(NamedTuple):
    """Forecasts whose probability lies in [low, high); the last bin holds its high end too."""

    low: float
    high: float
    n: int
    stated: float
    """Mean probability."""
    observed: Estimate
    """Share that happened, with its 95 % Wilson interval."""


class Reliability(NamedTuple):
    """How far stated probabilities can be taken at their word."""

    bins: tuple[Bin, ...]
    """Those that hold a forecast."""
    error: float
    """Expected calibration error: the mean over forecasts of |stated - observed| of their bin, in [0, 1]."""
    honest_error: tuple[float, float]
    """5 % and 95 % of that error if every probability were true, simulated by `seed`: within it nothing is amiss."""
    brier: Estimate
    """Mean of (probability - outcome)^2 in [0, 1], with a t interval."""
    skill: float | None
    """1 - Brier/(base rate's Brier): above 0 where the probabilities beat always saying the base rate; None for one outcome only."""
    seed: int
    insufficient: str | None


def reliability(forecasts: Sequence[Forecast], seed: int, bins: int = 10) -> Reliability | Refused:
    """Return the reliability table over bins of equal width, and its summaries.

    Range: probabilities in [0, 1], bins >= 1. Refuses without forecasts. Insufficient below 100 of them, a bin below 10. Brier
    1950; Murphy 1973; Naeini, Cooper & Hauskrecht 2015 for the error, Broecker & Smith 2007 for its consistency range. Raises
    ValueError outside the range.
    """
    if bins < 1 or not all(0 <= forecast.probability <= 1 for forecast in forecasts):
        raise ValueError(f"probabilities lie in [0, 1] and there is a bin at least, got {bins} bins")
    if not forecasts:
        return Refused("no forecasts")
    n = len(forecasts)
    places = [min(int(forecast.probability * bins), bins - 1) for forecast in forecasts]
    outcomes = [forecast.happened for forecast in forecasts]
    stated = [forecast.probability for forecast in forecasts]
    draw = Random(seed)  # noqa: S311 - a simulation, not a secret
    honest = sorted(
        _error(places, stated, [draw.random() < probability for probability in stated], bins) for _ in range(REPLICATES)
    )
    squares = [(probability - outcome) ** 2 for probability, outcome in zip(stated, outcomes, strict=True)]
    base = sum(outcomes) / n
    insufficient = too_few(n, ENOUGH_FORECASTS, "forecasts")
    return Reliability(
        bins=_table(places, forecasts, bins),
        error=_error(places, stated, outcomes, bins),
        honest_error=(honest[round(0.05 * (REPLICATES - 1))], honest[round(0.95 * (REPLICATES - 1))]),
        brier=Estimate(sum(squares) / n, _within_unit(t_interval_of(squares)), insufficient),
        skill=1 - sum(squares) / n / (base * (1 - base)) if 0 < base < 1 else None,
        seed=seed,
        insufficient=insufficient,
    )


def _table(places: Sequence[int], forecasts: Sequence[Forecast], bins: int) -> tuple[Bin, ...]:
    table = []
    for place in sorted(set(places)):
        held = [forecast for own, forecast in zip(places, forecasts, strict=True) if own == place]
        happened = sum(forecast.happened for forecast in held)
        thin = too_few(len(held), ENOUGH_IN_A_BIN, "forecasts in the bin")
        observed = Estimate(happened / len(held), wilson(happened, len(held)), thin)
        stated = sum(forecast.probability for forecast in held) / len(held)
        table.append(Bin(place / bins, (place + 1) / bins, len(held), stated, observed))
    return tuple(table)


def _error(places: Sequence[int], stated: Sequence[float], outcomes: Sequence[bool], bins: int) -> float:
    gaps = [0.0] * bins
    for place, probability, outcome in zip(places, stated, outcomes, strict=True):
        gaps[place] += probability - outcome
    return sum(abs(gap) for gap in gaps) / len(stated)


def _within_unit(interval: tuple[float, float] | None) -> tuple[float, float] | None:
    return interval and (max(0.0, interval[0]), min(1.0, interval[1]))
