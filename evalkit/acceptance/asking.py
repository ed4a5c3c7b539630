"""Verdicts for the chains of one run: looked up, bought where they are missing, over as many rounds as there are attempts.

The reply cache, the meter and the reason to stop are one for all rounds, so `max_cost` covers the whole run. What could not be bought
ends as `not_bought` and the chain ends as its terms say; after an interruption nothing ends.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from evalkit.judging.requests import JudgeRequest
from evalkit.judging.stop import Stop
from evalkit.judging.verdicts import Recorder, lookup, not_bought
from evalkit.providers.meter import Meter
from evalkit.providers.reply_cache import ReplyCache
from evalkit.records.judges import JudgeConfig
from evalkit.records.manifests import Purchases
from evalkit.records.progress import Progress
from evalkit.records.verdicts import Judgement


@dataclass
class Asking:
    """One judge and everything that was asked of it."""

    judge: JudgeConfig
    folder: Path
    """To which a recording of replies is relative."""
    cache: ReplyCache | None
    progress: Progress
    record: Recorder | None = None
    cached: int = 0
    bought: int = 0
    failed: int = 0
    misses: list[JudgeRequest] = field(default_factory=list)
    stop: Stop = field(init=False)
    _arrived: dict[int, Judgement] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Nothing is spent yet."""
        judge = self.judge
        self.stop = Stop(Meter(judge.prices), max_cost=judge.max_cost, failures_allowed=judge.stop_after_failures)

    @property
    def interrupted(self) -> bool:
        """Whether somebody stopped the run."""
        return self.stop.reason == "interrupted"

    def purchases(self) -> Purchases:
        """Return what was bought in all rounds."""
        known = {"bought": self.bought, "failed": self.failed, "cache_hits": self.cached, "stopped": self.stop.reason}
        return self.stop.meter.to_purchases().model_copy(update=known)

    def ends(self, requests: Sequence[JudgeRequest]) -> list[Judgement]:
        """Return the end of each request, in order; after an interruption the ends of those that arrived, and `not_bought`."""
        found, self.misses = lookup(requests, self.cache, self.record)
        if self.judge.client != "floor":
            self.cached += len(requests) - len(self.misses)
        self._arrived = {}
        if self.misses:
            from evalkit.pipeline.buying import buy_missing

            buy_missing(self, self.judge, self.folder, self.stop, self.progress)
        bought = sum(end.verdict is not None for end in self._arrived.values())
        self.bought += bought
        self.failed += len(self._arrived) - bought
        return [
            end or self._arrived.get(id(request)) or not_bought(request)
            for request, end in zip(requests, found, strict=True)
        ]

    def arrived(self, request: JudgeRequest, judgement: Judgement) -> None:
        """Take the end of a bought request."""
        self._arrived[id(request)] = judgement
