"""Rounds: which sample index names the fresh verdicts of an experiment.

A default round is made of the day, the kind of experiment and a counter, so no two kinds answer for each other. A bias experiment
has one round a day: asked again, it goes on where it stopped, and what it reads again was bought for the very same comparison.
Drift measures whether the judge is still the same now, so a finished one never answers the next: it counts on.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from itertools import count

from evalkit.records.experiments import Experiment, Kind

AGAIN = 1_000_000_000_000
"""Added to a round for its second verdict: no other round reaches it."""
_A_DAY = 10_000
_A_KIND = 1_000
_PLACES: dict[Kind, int] = {
    "position": 1,
    "criteria": 2,
    "verbosity": 3,
    "injection": 4,
    "family": 5,
    "style": 6,
    "drift": 9,
}
"""Where a kind's rounds of a day begin, in thousands."""
EARLIEST = 20_000_101
"""Numbers from here on are days, YYYYMMDD."""


def round_of(kind: Kind, given: int | None = None) -> int:
    """Return the round that was given, else the kind's first one of today (UTC): YYYYMMDD, a digit of the kind, 000."""
    return next(rounds_of(kind)) if given is None else given


def rounds_of(kind: Kind) -> Iterator[int]:
    """Yield the kind's rounds of today (UTC), without end."""
    yield from count(int(f"{datetime.now(UTC):%Y%m%d}") * _A_DAY + _PLACES[kind] * _A_KIND)


def days_of(number: int, kept: Iterable[Experiment]) -> tuple[str, ...]:
    """Return the days (ISO 8601) on which verdicts of a round may have been bought, sorted; empty where nothing says it.

    A default round holds its day; of another one the experiments that used it tell, `kept` being those of the suite.
    """
    day = str(number // _A_DAY)
    if number // _A_DAY >= EARLIEST:
        return (f"{day[:4]}-{day[4:6]}-{day[6:]}",)
    return tuple(sorted({one.made_at[:10] for one in kept if one.settings.get("round") == number}))
