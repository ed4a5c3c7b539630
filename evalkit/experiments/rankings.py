"""Three or more candidates in an order, criterion by criterion, by Bradley-Terry over cases."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from evalkit.records.comparisons import Ranking, Standing
from evalkit.stats.bradley_terry import Game, bradley_terry
from evalkit.stats.results import Refused

Games = Mapping[tuple[str, str, str], Mapping[str, Sequence[Game]]]
"""(capability, rubric, criterion) -> case -> its pairs' verdicts."""


def rankings(games: Games, judge: str, seed: int) -> tuple[Ranking, ...]:
    """Return a ranking per judge use and criterion, its intervals drawn over cases by `seed`."""
    return tuple(_ranking(key, list(cases.values()), judge, seed) for key, cases in games.items())


def _ranking(key: tuple[str, str, str], cases: Sequence[Sequence[Game]], judge: str, seed: int) -> Ranking:
    named = {"judge": judge, "capability": key[0], "rubric": key[1], "criterion": key[2]}
    found = bradley_terry(cases, seed)
    if isinstance(found, Refused):
        return Ranking(**named, standings=(), reading=found.reason)
    words = [f"insufficient: {found.insufficient}"] if found.insufficient else []
    if found.prior:
        words.append(
            "a candidate never won or never lost: its strength is unbounded, half a win was added to each side"
        )
    standings = tuple(
        Standing(
            name=one.name,
            rank=one.rank,
            ranks=one.ranks,
            strength=one.value,
            interval=one.interval,
            unbounded=one.unbounded,
        )
        for one in found.strengths
    )
    return Ranking(**named, standings=standings, reading="; ".join(words))
