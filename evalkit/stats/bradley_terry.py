"""Strengths of three or more candidates from pairwise verdicts: Bradley-Terry, a tie as half a win to each side.

P(a beats b) = exp(s_a)/(exp(s_a) + exp(s_b)). Cases are resampled, not games: the verdicts on one case hang together. A candidate that
never lost has no finite strength; then half a win is added to each side of every pair that met, and the result says so.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from math import exp, log
from random import Random
from typing import NamedTuple

from evalkit.stats.results import Refused, too_few

ENOUGH_CASES = 20
"""Cases on which each pair that met was compared, from which a ranking is read."""
REPLICATES = 1000
PSEUDO_WIN = 0.5
_STEPS = 10_000
_CLOSE = 1e-10
_ROUNDING = 1e-9


class Game(NamedTuple):
    """One verdict on two candidates."""

    first: str
    second: str
    score: float
    """Of the first: 1 won, 0.5 tie, 0 lost."""


class Strength(NamedTuple):
    """A candidate in the ranking."""

    name: str
    value: float
    """Log strength; all of them sum to 0."""
    interval: tuple[float, float] | None
    """95 % percentile interval over resampled cases; None where `unbounded`, and where all resamples agree (one case, say)."""
    rank: int
    """From 1, the strongest."""
    ranks: tuple[int, int]
    """Ranks over resampled cases, 2.5 % and 97.5 %."""
    unbounded: bool
    """The data put no finite figure on it; `value` is what the added half wins make of it."""


class Ranking(NamedTuple):
    """All candidates, the strongest first, equal ones by name."""

    strengths: tuple[Strength, ...]
    prior: bool
    """Half a win was added to each side of every pair that met."""
    replicates_with_prior: int
    """Resamples that needed it."""
    insufficient: str | None


_Wins = dict[tuple[int, int], float]
"""Wins of one candidate over another, by their places; pairs that met have both entries."""


def bradley_terry(cases: Iterable[Sequence[Game]], seed: int, replicates: int = REPLICATES) -> Ranking | Refused:
    """Return the strengths of all candidates with bootstrap intervals over cases, drawn by `seed`.

    The maximum of the likelihood is found by Newman's iteration. Range: scores 0, 0.5 or 1, two different candidates a game,
    replicates >= 1. Refuses fewer than two candidates, and candidates who fall into groups that never met. Insufficient where a
    pair that met was compared on fewer than 20 cases. Bradley & Terry 1952; Ford 1957 for when it is finite; Newman 2023 for the iteration.
    Raises ValueError outside the range.
    """
    games = [list(case) for case in cases]
    _check(games, replicates)
    names = sorted({name for case in games for game in case for name in game[:2]})
    places = {name: place for place, name in enumerate(names)}
    wins = _wins(games, places)
    groups = _groups(len(names), wins)
    if len(names) < 2:
        return Refused("a ranking needs two candidates at least")
    if len(groups) > 1:
        words = " | ".join(", ".join(names[place] for place in sorted(group)) for group in groups)
        return Refused(f"candidates that never met cannot be ranked together: {words}")
    unbounded = _unbounded(len(names), wins)
    values = _fit(len(names), _with_prior(wins, wins) if unbounded else wins)
    drawn, with_prior = _resampled(games, places, wins, Random(seed), replicates, always=bool(unbounded))  # noqa: S311
    strengths = _ranked(names, values, drawn, unbounded)
    return Ranking(strengths, bool(unbounded), with_prior, _thin(games))


def _check(cases: Sequence[Sequence[Game]], replicates: int) -> None:
    if replicates < 1:
        raise ValueError(f"an interval needs replicates, got {replicates}")
    for case in cases:
        for game in case:
            if game.score not in {0, 0.5, 1} or game.first == game.second:
                raise ValueError(f"a game has two candidates and a score of 0, 0.5 or 1, got {game}")


def _thin(cases: Sequence[Sequence[Game]]) -> str | None:
    compared = Counter(pair for case in cases for pair in {(min(game[:2]), max(game[:2])) for game in case})
    (first, second), fewest = min(compared.items(), key=lambda entry: (entry[1], entry[0]))
    return too_few(fewest, ENOUGH_CASES, f"cases on which {first} and {second} met")


def _wins(cases: Iterable[Sequence[Game]], places: Mapping[str, int]) -> _Wins:
    wins: _Wins = {}
    for case in cases:
        for game in case:
            a, b = places[game.first], places[game.second]
            wins[a, b] = wins.get((a, b), 0.0) + game.score
            wins[b, a] = wins.get((b, a), 0.0) + 1 - game.score
    return wins


def _with_prior(wins: _Wins, met: Iterable[tuple[int, int]]) -> _Wins:
    return {pair: wins.get(pair, 0.0) + PSEUDO_WIN for pair in met}


def _reached(start: int, edges: Iterable[tuple[int, int]]) -> set[int]:
    neighbours: dict[int, list[int]] = {}
    for a, b in edges:
        neighbours.setdefault(a, []).append(b)
    seen, waiting = {start}, [start]
    while waiting:
        for neighbour in neighbours.get(waiting.pop(), ()):
            if neighbour not in seen:
                seen.add(neighbour)
                waiting.append(neighbour)
    return seen


def _groups(count: int, wins: _Wins) -> list[set[int]]:
    """Return the candidates in groups that met, directly or over others."""
    groups: list[set[int]] = []
    for place in range(count):
        if not any(place in group for group in groups):
            groups.append(_reached(place, wins))
    return groups


def _unbounded(count: int, wins: _Wins) -> set[int]:
    """Return who has no finite strength; nobody where everybody beat everybody else, directly or over others.

    They are those who never won or never lost; where a whole group never lost to the rest, the group.
    """
    beat = [pair for pair, won in wins.items() if won]
    below = [_reached(place, beat) for place in range(count)]
    if all(len(reached) == count for reached in below):
        return set()
    winners, losers = {a for a, _ in beat}, {b for _, b in beat}
    alone = set(range(count)) - (winners & losers)
    return alone or {a for a in range(count) if all(b in below[a] for b in range(count) if a in below[b])}


def _fit(count: int, wins: _Wins) -> list[float]:
    """Return centred log strengths; the likelihood must have a finite maximum."""
    weights = [1.0] * count
    opponents = [[(b, won, wins[b, a]) for (a, b), won in wins.items() if a == place] for place in range(count)]
    for _ in range(_STEPS):
        moved = 0.0
        for place in range(count):
            own = weights[place]
            above = sum(won * weights[b] / (own + weights[b]) for b, won, _ in opponents[place])
            below = sum(lost / (own + weights[b]) for b, _, lost in opponents[place])
            weights[place] = above / below
            moved = max(moved, abs(log(weights[place] / own)))
        if moved < _CLOSE:
            break
    logs = [log(weight) for weight in weights]
    middle = sum(logs) / count
    return [value - middle for value in logs]


def _resampled(
    cases: Sequence[Sequence[Game]],
    places: Mapping[str, int],
    wins: _Wins,
    draw: Random,
    replicates: int,
    *,
    always: bool,
) -> tuple[list[list[float]], int]:
    """Return the strengths of each resample, and how many of them needed the added half wins."""
    drawn, with_prior, count = [], 0, len(places)
    for _ in range(replicates):
        sample = _wins(draw.choices(cases, k=len(cases)), places)
        needs = always or bool(_unbounded(count, sample))
        with_prior += needs
        drawn.append(_fit(count, _with_prior(sample, wins) if needs else sample))
    return drawn, with_prior


def _ranked(
    names: Sequence[str], values: Sequence[float], drawn: Sequence[Sequence[float]], unbounded: set[int]
) -> tuple[Strength, ...]:
    ranks = [_ranks(sample) for sample in drawn]
    own = _ranks(values)
    strengths = []
    for place, name in enumerate(names):
        low, high = _ends([sample[place] for sample in drawn])
        best, worst = _ends([sample[place] for sample in ranks])
        known = place not in unbounded and high - low > _ROUNDING
        interval = (low, high) if known else None
        strengths.append(
            Strength(name, values[place], interval, own[place], (int(best), int(worst)), place in unbounded)
        )
    return tuple(sorted(strengths, key=lambda strength: (strength.rank, strength.name)))


def _ranks(values: Sequence[float]) -> list[int]:
    """Return each one's rank; equal values, to nine digits, share the better one."""
    rounded = [round(value, 9) for value in values]
    return [1 + sum(other > value for other in rounded) for value in rounded]


def _ends(values: Sequence[float]) -> tuple[float, float]:
    ordered = sorted(values)
    return ordered[round(0.025 * (len(ordered) - 1))], ordered[round(0.975 * (len(ordered) - 1))]


def beats(first: Strength, second: Strength) -> float:
    """Return the chance that the first candidate beats the second, in (0, 1)."""
    difference = second.value - first.value
    return 1 / (1 + exp(difference)) if difference < 0 else exp(-difference) / (1 + exp(-difference))
