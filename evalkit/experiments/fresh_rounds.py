"""The default round of a drift: fresh each time, but for one that was interrupted, which is gone on with.

Fresh is a round of which the cache holds nothing for any request of the sample: verdicts in it may be of a model that was changed since,
whoever bought them, under whatever configuration and into whatever folder. That a round which stands there in part is an interrupted
drift is never guessed: a drift leaves a mark beside the cache when it starts and takes it away when its finished file is written.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from evalkit.experiments.questions import cached_ends
from evalkit.experiments.rounds import round_of, rounds_of
from evalkit.judging.requests import JudgeRequest
from evalkit.providers.reply_cache import ReplyCache
from evalkit.records.identity import content_hash

FOLDER = "drifts"
"""Beside the reply cache: an empty file per drift that is under way or was interrupted."""


@dataclass(frozen=True, slots=True)
class Mark:
    """What says that a drift which asks these very requests in this round has not finished."""

    path: Path

    @property
    def stands(self) -> bool:
        """Tell whether such a drift is under way or was interrupted."""
        return self.path.is_file()

    @property
    def is_among_others(self) -> bool:
        """Tell whether a drift of another sample has not finished in this round; it may buy the same verdicts yet."""
        number, _, _ = self.path.name.partition("-")
        return any(path != self.path for path in self.path.parent.glob(f"{number}-*"))

    def leave(self, note: Callable[[str], None]) -> None:
        """Leave the mark and take away those of earlier days, which nobody goes on with. A disk that refuses is told to `note`."""
        try:
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            self.path.touch()
            for path in self.path.parent.iterdir():
                number, _, _ = path.name.partition("-")
                if number.isdecimal() and int(number) < round_of("drift"):
                    path.unlink(missing_ok=True)
        except OSError as error:
            reason = error.strerror or error
            note(
                f"{self.path}: cannot be written ({reason}): if this drift is interrupted, it begins anew the next time"
            )

    def take_away(self, note: Callable[[str], None]) -> None:
        """Remove the mark, if there is one. A disk that refuses is told to `note`."""
        try:
            self.path.unlink(missing_ok=True)
        except OSError as error:
            note(
                f"{self.path}: cannot be removed ({error.strerror or error}); this drift is taken for an interrupted one"
            )


def mark_of(cache: Path, number: int, requests: Sequence[JudgeRequest]) -> Mark:
    """Return the mark of a drift that asks these requests in a round, beside the replies in the folder `cache`."""
    return Mark(cache / FOLDER / f"{number}-{content_hash('open-drift/1', sorted(_keys(requests)))[:16]}")


def fresh_round(requests_of: Callable[[int], Sequence[JudgeRequest]], cache: ReplyCache) -> int:
    """Return today's first round that is fresh, or in which these very requests were interrupted and are not all answered.

    `requests_of` gives the requests of the sample in a round.
    """

    def takes(number: int) -> bool:
        requests = requests_of(number)
        mark = mark_of(cache.folder, number, requests)
        if mark.stands:
            return None in cached_ends(requests, cache)
        return not mark.is_among_others and not cache.get_many(_keys(requests))

    return next(filter(takes, rounds_of("drift")))


def _keys(requests: Sequence[JudgeRequest]) -> list[str]:
    """Return the keys under which the cache may hold a reply to these requests: the judge's, and of a cascade its classifier's.

    The split of a reference is no such reply: it is one purchase for all rounds.
    """
    keys = [put.key for put in (request.put() for request in requests) if put.split is None]
    if any(request.measurement.cheap for request in requests):
        from evalkit.pipeline.tiers import Cascades

        keys += [key for _, tier in Cascades(requests).groups for named in tier.keys for key in named.values()]
    return keys
