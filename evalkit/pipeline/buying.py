"""Buying what is missing: the event loop of a run, its signals, its progress. Nothing here is imported on a warm run.

First Ctrl-C or SIGTERM: stop sending, keep what has arrived, let the run be written as incomplete. Second: leave at once; what was
bought is in the cache.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import threading
from collections.abc import AsyncIterator, Coroutine, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any, Protocol

from evalkit.judging.requests import JudgeRequest
from evalkit.judging.stop import Stop
from evalkit.judging.verdicts import Recorder, buy
from evalkit.providers.channel import Channel
from evalkit.providers.clients import make_client, preload
from evalkit.providers.reply_cache import ReplyCache
from evalkit.records.judges import JudgeConfig
from evalkit.records.progress import Progress
from evalkit.records.verdicts import Judgement

INTERRUPTED = 130


class Wanted(Protocol):
    """What is to be bought, and who takes it: the verdicts of a run, or the questions of an experiment."""

    @property
    def misses(self) -> list[JudgeRequest]:
        """What is to be bought."""
        ...

    @property
    def cache(self) -> ReplyCache | None:
        """Where replies are kept."""
        ...

    @property
    def record(self) -> Recorder | None:
        """Who takes what was bought, beside the cache."""
        ...

    def arrived(self, request: JudgeRequest, judgement: Judgement) -> None:
        """Take the end of a bought request."""
        ...


def run_stoppable(work: Coroutine[Any, Any, None], stop: Stop) -> None:
    """Run what asks a server until it is done or interrupted; `stop.in_flight`, which the work sets, is what is given up then."""

    async def run() -> None:
        stop.loop = asyncio.get_running_loop()
        await work

    with _signals(stop):
        asyncio.run(run())


def buy_missing(verdicts: Wanted, judge: JudgeConfig, folder: Path, stop: Stop, progress: Progress) -> None:
    """Buy every missing verdict, or until `stop` says why not; `folder` is the suite's, for a replay file."""
    with _signals(stop):
        asyncio.run(_buy_missing(verdicts, judge, folder, stop, progress))


@dataclass
class _Part:
    """The misses of one judge of a run."""

    whole: Wanted
    misses: list[JudgeRequest]

    @property
    def cache(self) -> ReplyCache | None:
        return self.whole.cache

    @property
    def record(self) -> Recorder | None:
        return self.whole.record

    def arrived(self, request: JudgeRequest, judgement: Judgement) -> None:
        self.whole.arrived(request, judgement)


def buy_of_each_judge(verdicts: Wanted, folder: Path, stop: Stop, progress: Progress) -> None:
    """Buy every missing verdict from the judge of its request, one judge after the other, or until `stop` says why not."""
    by_judge: dict[int, list[JudgeRequest]] = {}
    for request in verdicts.misses:
        by_judge.setdefault(id(request.measurement.judge), []).append(request)
    for misses in by_judge.values():
        judge = misses[0].measurement.judge
        stop.turn_to(judge)
        buy_missing(_Part(verdicts, misses), judge, folder, stop, progress)
        if stop.reason is not None:
            return


async def _buy_missing(verdicts: Wanted, judge: JudgeConfig, folder: Path, stop: Stop, progress: Progress) -> None:
    progress.stage("judging", len(verdicts.misses))
    stop.loop = asyncio.get_running_loop()
    if stop.reason is None:
        await _imported(judge, stop)
    if stop.reason is not None:
        return
    client = make_client(judge, folder)
    done = 0
    try:
        channel = Channel(client, judge, stop.meter)
        async for settled in _bought(verdicts, judge, channel, stop, progress):
            for request, judgement in settled:
                verdicts.arrived(request, judgement)
            done += len(settled)
            progress.step(done, cost_usd=stop.meter.spent())
    finally:
        await client.aclose()


async def _bought(
    verdicts: Wanted, judge: JudgeConfig, channel: Channel, stop: Stop, progress: Progress
) -> AsyncIterator[list[tuple[JudgeRequest, Judgement]]]:
    """Buy one by one, or in batches where judge.yaml says so and there is a folder to keep what is open in."""
    if judge.batch is None or verdicts.cache is None:
        async for settled in buy(verdicts.misses, channel, verdicts.cache, stop, verdicts.record):
            yield settled
        return
    from evalkit.judging.batches import BatchBuyer
    from evalkit.providers.batch_client import BatchClient
    from evalkit.providers.batch_desk import BatchDesk
    from evalkit.providers.batch_journal import BatchJournal

    server = BatchClient(judge, stop.meter)
    desk = BatchDesk(server, judge.batch, BatchJournal(verdicts.cache.folder, progress.note), progress)
    buyer = BatchBuyer(channel, desk, verdicts.cache, stop, progress, verdicts.record)
    try:
        async for settled in buyer.buy(verdicts.misses):
            yield settled
    finally:
        await server.aclose()


async def _imported(judge: JudgeConfig, stop: Stop) -> None:
    """Wait until the client's packages are imported, which may take seconds, or until nobody wants them any more."""
    loop, ready = asyncio.get_running_loop(), asyncio.Event()

    def work() -> None:
        # What fails here fails again, and is told, when the client is made.
        with contextlib.suppress(Exception):
            preload(judge)
        with contextlib.suppress(RuntimeError):  # the loop is closed: nobody waited
            loop.call_soon_threadsafe(ready.set)

    threading.Thread(target=work, daemon=True).start()
    waiting = asyncio.ensure_future(ready.wait())
    stop.in_flight = [waiting]
    with contextlib.suppress(asyncio.CancelledError):
        await waiting


@contextlib.contextmanager
def _signals(stop: Stop) -> Iterator[None]:
    """Take Ctrl-C and SIGTERM over, from before the client is imported until the loop is closed."""

    def interrupt(_number: int, _frame: FrameType | None) -> None:
        if stop.reason == "interrupted":
            os._exit(INTERRUPTED)
        stop.interrupt()

    before = {}
    for name in (signal.SIGINT, signal.SIGTERM):
        # In a thread other than the main one there are no handlers; KeyboardInterrupt reaches the caller there.
        with contextlib.suppress(ValueError):
            before[name] = signal.signal(name, interrupt)
    try:
        yield
    finally:
        # After an interruption they stay: a second one leaves at once, whatever is still being closed or written.
        if stop.reason != "interrupted":
            for name, handler in before.items():
                signal.signal(name, handler)
