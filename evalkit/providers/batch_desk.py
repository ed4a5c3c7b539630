"""Batches from their submission to their results: kept on disk at every step, looked at with growing waits, told to whoever watches.

    file uploaded -> kept -> batch started -> kept -> looked at until it ends -> result files read
                                                      not in time, or no sure answer -> still open, kept for another run

What becomes of requests without a reply is the caller's to decide; nothing is asked anew here.
"""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Collection, Iterator, Sequence

from evalkit.errors import ProviderError, UsageError
from evalkit.providers.batch_client import BatchClient
from evalkit.providers.batch_journal import BatchJournal
from evalkit.providers.batch_wire import BatchResults, BatchState, line_of, read_results, sized
from evalkit.records.batches import OpenBatch
from evalkit.records.chat import ChatCall
from evalkit.records.judges import BatchConfig
from evalkit.records.progress import Progress

GROWTH = 1.5
"""Each wait is so many times the one before."""
REASONS = 5
"""Reasons for failed requests that a line names, the most frequent first."""
NO_INTERFACE = frozenset({404, 405, 501})


class BatchDesk:
    """Submits calls in batches and waits for them. Belongs to one event loop."""

    def __init__(self, client: BatchClient, config: BatchConfig, journal: BatchJournal, watch: Progress) -> None:
        self._client = client
        self._config = config
        self._journal = journal
        self._watch = watch
        self._one_upload = asyncio.Lock()
        self._status: dict[str, str] = {}
        self._done: dict[str, int] = {}
        self._open: dict[str, OpenBatch] = {}
        self._label = ""
        self._submitted = 0

    async def found(self, wanted: Collection[str]) -> list[OpenBatch]:
        """Return the batches that an earlier run left open and that hold a wanted request.

        A file whose batch was perhaps never started is looked up at the provider, and forgotten where it was not. Raises ProviderError
        where no answer says so: what may have been bought is not to be bought again.
        """
        kept = self._journal.read(self._client.address, wanted)
        self._open.update({batch.file_id: batch for batch in kept})
        batches = [batch for one in kept if (batch := await self._known(one)) is not None]
        for batch in batches:
            self._watch.note(
                f"{_named(batch)} of {_counted(len(batch.keys))} is still open: it is waited for, not bought again"
            )
        return batches

    async def _known(self, batch: OpenBatch) -> OpenBatch | None:
        if batch.batch_id is not None:
            return batch
        try:
            state = await self._client.find(batch.file_id)
        except ProviderError as error:
            if error.status not in NO_INTERFACE:
                self._unsure(batch, error)
                raise
            state = None
        if state is None:
            self._journal.settle(batch, batch.keys)
            del self._open[batch.file_id]
            return None
        return self._kept(batch, state)

    def _kept(self, batch: OpenBatch, state: BatchState) -> OpenBatch:
        started = batch.model_copy(update={"batch_id": state.id})
        self._journal.write(started)
        self._open[started.file_id] = started
        return started

    def sized(self, calls: Sequence[ChatCall]) -> Iterator[list[ChatCall]]:
        """Yield the calls of each batch; a call too large for any is left out."""
        yield from sized(calls, self._config)

    def tell_too_large(self, count: int) -> None:
        """Tell how many requests go by themselves, which costs more than was asked for."""
        self._watch.note(
            f"{_counted(count)} {'is' if count == 1 else 'are'} larger than a batch may be (batch.max_bytes {self._config.max_bytes:,}): "
            "asked one by one, at the prices of single requests"
        )

    async def submit(self, calls: Sequence[ChatCall]) -> OpenBatch | None:
        """Upload calls and start their batch; None where no answer says whether it was started, so that it may be paid for.

        Raises ProviderError where nothing was started, UsageError where the server has no batch interface.
        """
        async with self._one_upload:
            try:
                file_id = await self._client.upload(b"".join(map(line_of, calls)))
                kept = OpenBatch(
                    address=self._client.address,
                    file_id=file_id,
                    batch_id=None,
                    submitted_at=time.time(),
                    keys=tuple(call.key for call in calls),
                )
                self._journal.write(kept)
                self._open[file_id] = kept
                return await self._started(kept)
            except ProviderError as error:
                if error.status in NO_INTERFACE:
                    raise UsageError(
                        f"judge.yaml: batch: the server has no batch interface ({error}); take `batch` out to ask one by one"
                    ) from None
                raise

    async def _started(self, batch: OpenBatch) -> OpenBatch | None:
        try:
            state = await self._client.start(batch.file_id)
        except ProviderError as error:
            if error.kind == "rejected":
                self._journal.settle(batch, batch.keys)
                del self._open[batch.file_id]
                raise
            self._unsure(batch, error)
            return None
        started = self._kept(batch, state)
        self._watch.note(f"{_named(started)} of {_counted(len(batch.keys))} is submitted")
        return started

    def _unsure(self, batch: OpenBatch, error: ProviderError) -> None:
        self._watch.note(f"{_named(batch)}: it is not known whether it was started ({error})")

    async def results(self, batch: OpenBatch) -> BatchResults | None:
        """Return what a batch brought once it has ended; None where it is still open after `wait_s`, or its end cannot be read now.

        A batch that the provider no longer knows, or that failed as a whole, brought nothing.
        """
        wait = self._config.poll_s
        while True:
            try:
                state = await self._client.state(batch.batch_id or "")
                self._show(batch, state)
                if state.ended:
                    results = await self._collected(batch, state)
                    self._open.pop(batch.file_id, None)
                    return results
            except ProviderError as error:
                if error.kind == "rejected" and not error.refused:
                    self._watch.note(
                        f"{_named(batch)}: the provider does not know it any more ({error}); asked one by one"
                    )
                    self._open.pop(batch.file_id, None)
                    return BatchResults()
                self._watch.note(f"{_named(batch)}: no answer about it for now ({error})")
                if error.refused:
                    return None
            if time.time() - batch.submitted_at > self._config.wait_s:
                return None
            await asyncio.sleep(wait)
            wait = min(self._config.poll_cap_s, wait * GROWTH)

    async def _collected(self, batch: OpenBatch, state: BatchState) -> BatchResults:
        files = [await self._client.content(name) for name in (state.output_file, state.error_file) if name]
        results = read_results(files, self._client.key)
        known = set(batch.keys)
        unknown = [key for key in results.replies if key not in known]
        foreign = len(unknown) + sum(key not in known for key in results.doubled)
        for key in unknown:
            del results.replies[key]
        missing = len(known) - len(results.replies)
        told = {
            "answered": len(results.replies),
            **dict(results.failed.most_common(REASONS)),
            "with two answers": sum(key in known for key in results.doubled),
            "unreadable lines": results.unreadable,
            "of no request in it": foreign,
        }
        words = ", ".join(f"{reason} {count}" for reason, count in told.items() if count or reason == "answered")
        rest = f"; {_counted(missing)} without a reply: asked one by one" if missing else ""
        problem = f" ({state.problem})" if state.problem else ""
        self._watch.note(f"{_named(batch)}: {state.status}{problem}: {words}{rest}")
        return results

    def settle(self, batch: OpenBatch, ended: Collection[str]) -> None:
        """Take requests out of a kept batch that have an end."""
        self._journal.settle(batch, ended)

    def tell_open(self) -> frozenset[str]:
        """Tell which batches stay with the provider, and how to go on with them or give them up; return their requests."""
        for batch in self._open.values():
            state = (
                "has not ended and stays with the provider; the same command goes on with it and buys nothing twice"
                if batch.batch_id
                else "may have been started, which nobody could say; the same command asks the provider again before it buys anything"
            )
            self._watch.note(
                f"{_named(batch)} of {_counted(len(batch.keys))} {state} (to give it up, remove {self._journal.path_of(batch)})"
            )
        return frozenset(key for batch in self._open.values() for key in batch.keys)

    def _show(self, batch: OpenBatch, state: BatchState) -> None:
        """Say how far all batches are: states in words, requests as steps."""
        if state.id not in self._status:
            self._submitted += len(batch.keys)
        self._status[state.id], self._done[state.id] = state.status, state.done
        states = Counter(self._status.values())
        label = "batches " + ", ".join(f"{count} {status}" for status, count in sorted(states.items()))
        if label != self._label:
            self._label = label
            self._watch.stage(label, self._submitted)
        self._watch.step(sum(self._done.values()))


def _named(batch: OpenBatch) -> str:
    return f"batch {batch.batch_id}" if batch.batch_id else f"the batch of file {batch.file_id}"


def _counted(count: int) -> str:
    return "1 request" if count == 1 else f"{count:,} requests"
