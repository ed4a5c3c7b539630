"""The only two ways to a verdict: `lookup` needs no client, `buy` asks for what is missing. Nothing leaves unvalidated.

lookup: the floor judge answers at once; for a model, cached replies are validated again at each read, so a stricter validator
reaches old replies for free. buy: one verdict retry with the errors appended, then a judge_error; an accepted reply is on disk
under the first request's key before anyone sees it; failed calls and refused replies are never cached.

A request that waits for the split of its reference: lookup reads the split first, buy buys it first, once for all requests that
share it. Without the split nothing is asked; a split that does not count ends its requests as a judge_error.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from evalkit.errors import ProviderError
from evalkit.judging.requests import JudgeRequest, Splitting
from evalkit.judging.stop import Stop
from evalkit.records.verdicts import (
    AnyVerdict,
    BatchShare,
    Judgement,
    PairJudgement,
    Purchase,
    RejectedReply,
    Rejection,
    Reply,
    StoredReply,
)

if TYPE_CHECKING:
    # A warm run asks nobody: it imports no event loop and no retry, and a run with a model imports no floor.
    import asyncio

    from evalkit.providers.channel import Channel
    from evalkit.providers.reply_cache import ReplyCache

RETRY_SUFFIX = "/retry"

Recorder = Callable[[str, str, Reply], None]
"""Takes (key, label, reply) of every reply that a run rests on, bought or cached."""


def lookup(
    requests: Sequence[JudgeRequest], cache: ReplyCache | None, record: Recorder | None = None
) -> tuple[list[Judgement | None], list[JudgeRequest]]:
    """Return a judgement per request, None where it must be bought, and the requests that must be bought."""
    _look_up_splits(requests, cache, record)
    put = [request.put() for request in requests]
    asked = [one.key for one in put if one.measurement.judge.client != "floor" and one.split is None]
    stored = cache.get_many(asked) if cache and asked else {}
    found = [_known(request, stored, record) for request in put]
    return found, [request for request, judgement in zip(requests, found, strict=True) if judgement is None]


def _look_up_splits(requests: Sequence[JudgeRequest], cache: ReplyCache | None, record: Recorder | None) -> None:
    waiting = [request for request in requests if request.split and request.split_end is None]
    splits = {request.split.key: request.split for request in waiting if request.split}
    if not splits:
        return
    found = dict(zip(splits, lookup(list(splits.values()), cache, record)[0], strict=True))
    for request in waiting:
        learn_split(request, found)


def learn_split(request: JudgeRequest, ends: Mapping[str, Judgement | None]) -> None:
    """Let a request's measurement know how the split ended that it waits for, where `ends` (by key) says so."""
    end = ends.get(request.split.key) if request.split else None
    if request.split and end:
        request.measurement.splits[request.split.key] = end


def _known(request: JudgeRequest, stored: dict[str, StoredReply], record: Recorder | None) -> Judgement | None:
    if request.split is not None:
        return _not_split(request, request.split_end) if request.split_end else None
    if request.measurement.judge.client == "floor":
        return _from_floor(request)
    entry = stored.get(request.key)
    if entry is None:
        return None
    read = request.measurement.form.read(entry.reply, request.material)
    if isinstance(read, Rejection):
        return None
    if record:
        record(request.key, request.case_id, entry.reply)
    return _judgement(request, read, entry.purchase)


def _from_floor(request: JudgeRequest) -> Judgement:
    mode = request.measurement.rubric.mode
    if isinstance(request.measurement, Splitting):
        from evalkit.judging.floor_split import floor_reply
    elif mode == "pairwise":
        from evalkit.judging.floor_pairs import floor_reply
    elif mode == "reference":
        from evalkit.judging.floor_facts import floor_reply
    elif mode == "triage":
        from evalkit.judging.floor_statements import floor_reply
    else:
        from evalkit.judging.floor import floor_reply

    reply = floor_reply(request)
    read = request.measurement.form.read(reply, request.material)
    if isinstance(read, Rejection):
        return _judgement(request, None, None, [RejectedReply(text=reply.text, rejection=read)])
    return _judgement(request, read, None)


async def buy(
    misses: Sequence[JudgeRequest],
    channel: Channel,
    cache: ReplyCache | None,
    stop: Stop,
    record: Recorder | None = None,
    *,
    refused: Mapping[str, Reply] | None = None,
) -> AsyncIterator[list[tuple[JudgeRequest, Judgement]]]:
    """Buy what is missing, at most `max_in_flight` at once, and yield the ends of requests as they come.

    Identical requests are bought once. Requests that were not sent when `stop` was set are not yielded. Calls that share a
    prefix go out next to each other because requests are sent in the order given. Cancelling loses nothing that arrived. What
    the split of a reference cost counts for `stop` like any call; a yielded end is always that of a request given. `refused` holds
    first replies that a batch brought and that do not count, by key: only the verdict retry is left of those requests.
    """
    import asyncio

    groups = iter(_by_key(misses))
    settled: asyncio.Queue[list[tuple[JudgeRequest, Judgement]] | None] = asyncio.Queue()
    buyer = _Buyer(channel, cache, stop, record, refused or {})

    async def work() -> None:
        for group in groups:
            judgement = await buyer.end_of(group)
            if judgement is None:
                break
            settled.put_nowait([(request, shared_end(request, judgement)) for request in group])

    count = min(len(misses), misses[0].measurement.judge.max_in_flight) if misses else 0
    workers = [asyncio.create_task(work()) for _ in range(count)]
    stop.in_flight = workers
    done = asyncio.gather(*workers, return_exceptions=True)
    done.add_done_callback(lambda _: settled.put_nowait(None))
    try:
        while (batch := await settled.get()) is not None:
            yield batch
        for outcome in done.result():
            if isinstance(outcome, BaseException) and not isinstance(outcome, asyncio.CancelledError):
                raise outcome
    finally:
        for worker in workers:
            worker.cancel()
        await asyncio.gather(*workers, return_exceptions=True)


@dataclass(slots=True)
class _Buyer:
    """Asks for one group of identical requests at a time; several groups at once, which may wait for the same split."""

    channel: Channel
    cache: ReplyCache | None
    stop: Stop
    record: Recorder | None
    refused: Mapping[str, Reply]
    splits: dict[str, Judgement] = field(default_factory=dict)
    splitting: dict[str, asyncio.Lock] = field(default_factory=dict)

    async def end_of(self, group: Sequence[JudgeRequest]) -> Judgement | None:
        """Return the end of identical requests, None where nothing is bought any more; the split they wait for is bought first."""
        first = group[0]
        if first.split is None:
            return await self._ask(first)
        if first.split_end is None and await self._split(first.split) is None:
            return None
        for request in group:
            learn_split(request, self.splits)
        put = first.put()
        (known,), _ = lookup([put], self.cache, self.record)
        return known or await self._ask(put)

    async def _split(self, request: JudgeRequest) -> Judgement | None:
        import asyncio

        async with self.splitting.setdefault(request.key, asyncio.Lock()):
            end = self.splits.get(request.key) or await self._ask(request)
            if end is not None:
                self.splits[request.key] = end
            return end

    async def _ask(self, request: JudgeRequest) -> Judgement | None:
        reserved = await self.stop.admit(request.call())
        if reserved is None:
            return None
        judgement = await _settle(request, self.channel, self.cache, self.record, self.refused.get(request.key))
        self.stop.settle(reserved, judgement)
        return judgement


def _by_key(misses: Sequence[JudgeRequest]) -> Iterator[list[JudgeRequest]]:
    groups: dict[str, list[JudgeRequest]] = {}
    for request in misses:
        groups.setdefault(request.key, []).append(request)
    yield from groups.values()


async def _settle(
    request: JudgeRequest,
    channel: Channel,
    cache: ReplyCache | None,
    record: Recorder | None,
    batched: Reply | None,
) -> Judgement:
    """Ask once, and once more with the errors; what is accepted is stored before it is returned.

    `batched` is the first reply where a batch brought it: it is read as if it had been asked for here.
    """
    rejected: list[RejectedReply] = []
    replies: list[Reply] = []
    transport_retries = 0
    call = request.call()
    for key in (request.key, request.key + RETRY_SUFFIX):
        try:
            reply, retries = (batched, 0) if batched and not replies else await channel.ask(call)
        except ProviderError as error:
            rejection = Rejection(kind="transport", message=f"{error.kind}: {error}")
            rejected.append(RejectedReply(text=None, rejection=rejection))
            break
        replies.append(reply)
        transport_retries += retries
        read = request.measurement.form.read(reply, request.material)
        purchase = _purchase(replies, transport_retries, batched)
        if cache and not isinstance(read, Rejection):
            cache.put(request.key, StoredReply(reply=reply, purchase=purchase))
        if record:
            record(key, request.case_id, reply)
        if not isinstance(read, Rejection):
            return _judgement(request, read, purchase)
        rejected.append(RejectedReply(text=reply.text, rejection=read))
        call = request.retry(reply.text, read.message)
    return _judgement(request, None, _purchase(replies, transport_retries, batched), rejected)


def settle_batched(
    request: JudgeRequest, reply: Reply, cache: ReplyCache | None, record: Recorder | None
) -> Judgement | None:
    """Return the judgement of a reply that a batch brought, stored; None for one that does not count, which `buy` goes on with."""
    read = request.measurement.form.read(reply, request.material)
    if isinstance(read, Rejection):
        return None
    purchase = _purchase([reply], 0, reply)
    if cache:
        cache.put(request.key, StoredReply(reply=reply, purchase=purchase))
    if record:
        record(request.key, request.case_id, reply)
    return _judgement(request, read, purchase)


def _purchase(replies: Sequence[Reply], transport_retries: int, batched: Reply | None) -> Purchase:
    return Purchase(
        tries=len(replies),
        transport_retries=transport_retries,
        model=replies[-1].model if replies else None,
        input_tokens=_sum([reply.input_tokens for reply in replies]),
        output_tokens=_sum([reply.output_tokens for reply in replies]),
        cached_tokens=_sum([reply.cached_tokens for reply in replies]),
        batch=BatchShare.model_validate(batched.model_dump(include=set(BatchShare.model_fields))) if batched else None,
    )


def _sum(counts: Sequence[int | None]) -> int | None:
    known = [count for count in counts if count is not None]
    return sum(known) if counts and len(known) == len(counts) else None


def not_bought(request: JudgeRequest) -> Judgement:
    """Return the end of a request that was never sent."""
    return _judgement(request, None, None)


def _not_split(request: JudgeRequest, end: Judgement) -> Judgement:
    """Return the end of a request whose reference could not be split: the split's refused replies, and no verdict."""
    refused = [
        one.model_copy(
            update={
                "rejection": Rejection(
                    kind=one.rejection.kind,
                    message=f"the reference could not be split into facts: {one.rejection.message}",
                )
            }
        )
        for one in end.rejected
    ]
    return _judgement(request, None, None, refused)


def shared_end(asked: JudgeRequest, judgement: Judgement) -> Judgement:
    """Return the judgement of an identical request under a request's own case and capability."""
    request = asked.put()
    if judgement.case_id == request.case_id and judgement.capability == request.measurement.capability:
        return judgement
    return _judgement(request, judgement.verdict, judgement.purchase, judgement.rejected)


def _judgement(
    request: JudgeRequest,
    verdict: AnyVerdict | None,
    purchase: Purchase | None,
    rejected: Sequence[RejectedReply] = (),
) -> Judgement:
    measurement = request.measurement
    ended = Judgement(
        case_id=request.case_id,
        capability=measurement.capability,
        rubric=measurement.rubric.id,
        mode=measurement.rubric.mode,
        sample=request.sample,
        request_key=request.key,
        output_sha256=request.output_sha256,
        judge_config_hash=measurement.config_hash,
        verdict=verdict,
        rejected=tuple(rejected),
        abstained=measurement.abstained,
        purchase=purchase,
        alterations=request.alterations,
    )
    if request.order is None:
        return ended
    return PairJudgement(**dict(ended), order=request.order, other_sha256=request.other_sha256)
