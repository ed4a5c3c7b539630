"""Of a plan: the batches that its requests fill, and how many are in batches that an earlier run left open."""

from __future__ import annotations

from dataclasses import dataclass, field

from evalkit.judging.requests import JudgeRequest
from evalkit.providers.batch_journal import BatchJournal
from evalkit.providers.batch_wire import Packing, line_of
from evalkit.providers.endpoints import OPENAI_BASE_URL, base_url_of
from evalkit.providers.reply_cache import ReplyCache


@dataclass(slots=True)
class PlannedBatches:
    """Requests to buy while they stream past; references are split in batches of their own, first."""

    cache: ReplyCache | None
    already_open: int = 0
    """Requests that have been bought in a batch and wait for its end."""
    packings: dict[tuple[int, bool], Packing] = field(default_factory=dict)
    """Judge (by identity) and whether it splits references -> its batches."""
    kept: dict[int, frozenset[str]] = field(default_factory=dict)
    """Judge -> requests in open batches."""

    @property
    def count(self) -> int:
        """Batches to submit."""
        return sum(packing.batches for packing in self.packings.values())

    def take(self, request: JudgeRequest, *, split: bool = False) -> None:
        """Count a request that is to be bought; nothing where its judge is asked one by one."""
        judge = request.measurement.judge
        if judge.batch is None or self.cache is None:
            return
        if id(judge) not in self.kept:
            journal = BatchJournal(self.cache.folder, lambda _: None)
            self.kept[id(judge)] = journal.keys(base_url_of(judge) or OPENAI_BASE_URL)
        if request.key in self.kept[id(judge)]:
            self.already_open += 1
            return
        packing = self.packings.setdefault((id(judge), split), Packing(judge.batch))
        packing.add(len(line_of(request.call())))
