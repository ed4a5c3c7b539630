"""Three or more candidates in an order, criterion by criterion, by Bradley-Terry over cases."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from evalkit.records.comparisons import Ranking, Standing
from evalkit.stats.bradley_terry import Game, bradley_terry
from evalkit.stats.results import Refused

Games = Mapping[tuple[str, str, str], Mapping[str, Sequence[Game]]]
"""(capability, rubric, criterion) -> case -> its pairs' verdicts."""


def rankings(games: Games, judge: str, seed: int, sample: int | None = None) -> tuple[Ranking, ...]:
    """Return a ranking per judge use and criterion, its intervals drawn over cases by `seed`; `sample` of verdicts made elsewhere."""
    return tuple(_ranking(key, list(cases.values()), judge, seed, sample) for key, cases in games.items())


def _ranking(
    key: tuple[str, str, str], cases: Sequence[Sequence[Game]], judge: str, seed: int, sample: int | None
) -> Ranking:
    capability, rubric, criterion = key
    unranked = Ranking(
        judge=judge, capability=capability, rubric=rubric, criterion=criterion, sample=sample, standings=()
    )
    found = bradley_terry(cases, seed)
    if isinstance(found, Refused):
        return unranked.model_copy(update={"reading": found.reason})
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
    return unranked.model_copy(update={"standings": standings, "reading": "; ".join(words)})
