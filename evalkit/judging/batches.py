"""Buying through the provider's batch interface; a reply from a batch passes the same checks into the same cache as a live one.

    batches that an earlier run left open     waited for, not bought again
    everything else                           submitted, as much at once as max_cost allows
    no reply, or one that does not count      asked one by one as always; of a refused reply only the verdict retry is left

Each batch is settled when it ends, whatever the others do, and leaves the disk only when its requests have an end here.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Coroutine, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from evalkit.errors import ProviderError
from evalkit.judging.requests import JudgeRequest
from evalkit.judging.stop import Stop
from evalkit.judging.verdicts import Recorder, buy, learn_split, lookup, settle_batched, shared_end
from evalkit.providers.batch_desk import BatchDesk
from evalkit.providers.batch_wire import BatchResults
from evalkit.providers.channel import Channel
from evalkit.providers.reply_cache import ReplyCache
from evalkit.records.batches import OpenBatch
from evalkit.records.chat import ChatCall
from evalkit.records.progress import Progress
from evalkit.records.verdicts import Judgement, Reply

TAKEN_AT_ONCE = 100
"""Replies that are checked and stored before anything else may happen."""

Settled = list[tuple[JudgeRequest, Judgement]]
Ended = tuple[OpenBatch, BatchResults] | None
"""A batch that has ended; None where it is still open, or was never taken."""


@dataclass
class BatchBuyer:
    """Buys what is missing of one judge in batches, the rest one by one. Belongs to one event loop."""

    channel: Channel
    desk: BatchDesk
    cache: ReplyCache | None
    stop: Stop
    watch: Progress
    record: Recorder | None = None

    async def buy(self, misses: Sequence[JudgeRequest]) -> AsyncIterator[Settled]:
        """Buy as `judging.verdicts.buy` does, with the same promises; references are split, in batches, before anything else.

        What is still open at the end is told, and `stop` knows it. Raises UsageError where the server has no batch interface.
        """
        splits = {one.split.key: one.split for one in misses if one.split and one.split_end is None}
        if splits:
            ends: dict[str, Judgement | None] = {}
            async for settled in self._round(list(splits.values())):
                ends.update({request.key: judgement for request, judgement in settled})
            for request in misses:
                learn_split(request, ends)
            found, left = lookup(misses, self.cache, self.record)
            yield [(request, end) for request, end in zip(misses, found, strict=True) if end is not None]
            misses = left
        async for settled in self._round(misses):
            yield settled
        self.stop.still_open |= self.desk.tell_open()

    async def _round(self, misses: Sequence[JudgeRequest]) -> AsyncIterator[Settled]:
        """Yield the ends of requests; those that still wait for a split go the way of `buy` only."""
        work = _Round(self, [(request, request.put()) for request in misses])
        async for settled in work.batches():
            yield settled
        left = [request for request, put in work.asked if put.key not in work.ended]
        if left and self.stop.reason is None:
            self.watch.stage("judging", len(misses))
        async for settled in buy(left, self.channel, self.cache, self.stop, self.record, refused=work.refused):
            yield settled
            work.ended.update(judgement.request_key for _, judgement in settled)
        for batch in work.closed:
            self.desk.settle(batch, work.ended)
            self.stop.still_open |= set(batch.keys) - work.ended


@dataclass
class _Round:
    """Requests, each as it is put to the judge, on their way through batches; identical ones are bought once."""

    buyer: BatchBuyer
    asked: Sequence[tuple[JudgeRequest, JudgeRequest]]
    groups: dict[str, list[tuple[JudgeRequest, JudgeRequest]]] = field(default_factory=dict)
    """Key of a request as it is put -> who asks it."""
    ended: set[str] = field(default_factory=set)
    refused: dict[str, Reply] = field(default_factory=dict)
    """Key -> first reply that does not count."""
    closed: list[OpenBatch] = field(default_factory=list)
    """Batches that have ended."""

    def __post_init__(self) -> None:
        """Gather the requests that wait for nothing."""
        for request, put in self.asked:
            if put.split is None:
                self.groups.setdefault(put.key, []).append((request, put))

    async def batches(self) -> AsyncIterator[Settled]:
        """Yield the ends that batches bring, of each batch when it has ended."""
        stop, desk = self.buyer.stop, self.buyer.desk
        kept = await self._kept()
        covered = {key for batch in kept for key in batch.keys}
        calls = [asked[0][1].call() for key, asked in self.groups.items() if key not in covered]
        while stop.reason is None and (kept or calls):
            count, reserved = stop.admit_batch(calls)
            parts = list(desk.sized(calls[:count]))
            self._count_too_large(count - sum(map(len, parts)))
            work = [*map(self._awaited, kept), *map(self._submitted, parts)]
            kept, calls = [], calls[count:]
            async for settled in self._wave(work):
                yield settled
            if count:
                stop.release(reserved)

    def _count_too_large(self, count: int) -> None:
        if count:
            self.buyer.stop.meter.too_large += count
            self.buyer.desk.tell_too_large(count)

    async def _kept(self) -> list[OpenBatch]:
        """Return the batches that an earlier run left open; none where nothing is bought any more, or the search ends in doubt."""
        if self.buyer.stop.reason is not None:
            return []
        search = asyncio.ensure_future(self.buyer.desk.found(self.groups))
        self.buyer.stop.in_flight = [search]
        await asyncio.wait([search])
        if search.cancelled():
            return []
        try:
            return search.result()
        except ProviderError:
            self._still_open()
            return []

    async def _wave(self, work: Sequence[Coroutine[Any, Any, Ended]]) -> AsyncIterator[Settled]:
        running = {asyncio.create_task(one) for one in work}
        self.buyer.stop.in_flight = tuple(running)
        try:
            while running:
                done, running = await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)
                for task in done:
                    ended = None if task.cancelled() else task.result()
                    async for settled in self._taken(ended):
                        yield settled
        finally:
            for task in running:
                task.cancel()
            await asyncio.gather(*running, return_exceptions=True)

    async def _submitted(self, calls: Sequence[ChatCall]) -> Ended:
        try:
            batch = await self.buyer.desk.submit(calls)
        except ProviderError as error:
            self.buyer.watch.note(f"a batch of {len(calls):,} was not taken ({error}): asked one by one")
            return None
        if batch is None:
            self._still_open()
            return None
        return await self._awaited(batch)

    async def _awaited(self, batch: OpenBatch) -> Ended:
        results = await self.buyer.desk.results(batch)
        if results is None:
            self._still_open()
            return None
        return batch, results

    def _still_open(self) -> None:
        self.buyer.stop.reason = self.buyer.stop.reason or "batch_open"

    async def _taken(self, ended: Ended) -> AsyncIterator[Settled]:
        """Take the replies of a batch, some at a time: an interruption leaves the others for the next run."""
        if ended is None:
            return
        batch, results = ended
        self.closed.append(batch)
        brought = iter(results.replies.items())
        while self.buyer.stop.reason != "interrupted" and (some := list(islice(brought, TAKEN_AT_ONCE))):
            yield [end for key, reply in some for end in self._settled(key, reply)]
            await asyncio.sleep(0)

    def _settled(self, key: str, reply: Reply) -> Settled:
        """Take a reply: one that counts is stored before it is returned."""
        if key not in self.groups or key in self.ended:
            return []
        self.buyer.stop.meter.brought(reply)
        asked = self.groups[key]
        judgement = settle_batched(asked[0][1], reply, self.buyer.cache, self.buyer.record)
        if judgement is None:
            self.refused[key] = reply
            return []
        self.ended.add(key)
        return [(request, shared_end(request, judgement)) for request, _ in asked]
