"""Of a plan: the way that each request takes, the batches that they fill, and how many are in batches that an earlier run left open."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

from evalkit.judging.requests import JudgeRequest
from evalkit.providers.batch_journal import BatchJournal
from evalkit.providers.batch_wire import Packing, line_of
from evalkit.providers.endpoints import OPENAI_BASE_URL, base_url_of
from evalkit.providers.reply_cache import ReplyCache

Way = Literal["alone", "batch", "too_large", "open"]
"""`alone`: its judge is asked one by one; `too_large`: so it is asked although its judge is asked in batches; `open`: it was bought."""


@dataclass(slots=True)
class PlannedBatches:
    """Requests to buy while they stream past; references are split in batches of their own, first."""

    cache: ReplyCache | None
    note: Callable[[str], None]
    """Told what lies among open batches and cannot be read, once each."""
    already_open: int = 0
    """Requests that have been bought in a batch and wait for its end."""
    too_large: int = 0
    """Requests that no batch may hold."""
    packings: dict[tuple[int, bool], Packing] = field(default_factory=dict)
    """Judge (by identity) and whether it splits references -> its batches."""
    kept: dict[str, frozenset[str]] = field(default_factory=dict)
    """Server -> requests in open batches."""
    journal: BatchJournal | None = None

    @property
    def count(self) -> int:
        """Batches to submit."""
        return sum(packing.batches for packing in self.packings.values())

    def take(self, request: JudgeRequest, *, split: bool = False) -> Way:
        """Count a request that neither the cache nor another request answers; return the way it takes."""
        judge = request.measurement.judge
        if judge.batch is None or self.cache is None:
            return "alone"
        if request.key in self._open(self.cache, base_url_of(judge) or OPENAI_BASE_URL):
            self.already_open += 1
            return "open"
        packing = self.packings.setdefault((id(judge), split), Packing(judge.batch))
        if packing.add(len(line_of(request.call()))) is None:
            self.too_large += 1
            return "too_large"
        return "batch"

    def _open(self, cache: ReplyCache, address: str) -> frozenset[str]:
        if self.journal is None:
            self.journal = BatchJournal(cache.folder, self.note)
        if address not in self.kept:
            self.kept[address] = self.journal.keys(address)
        return self.kept[address]
