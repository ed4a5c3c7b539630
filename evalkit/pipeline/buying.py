"""Buying what is missing: the event loop of a run, its signals, its progress. Nothing here is imported on a warm run.

First Ctrl-C or SIGTERM: stop sending, keep what has arrived, let the run be written as incomplete. Second: leave at once; what was
bought is in the cache.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
from collections.abc import Iterator
from pathlib import Path

from evalkit.judging.verdicts import Stop, buy
from evalkit.pipeline.judged import Verdicts
from evalkit.providers.channel import Channel
from evalkit.providers.clients import make_client
from evalkit.records.judges import JudgeConfig
from evalkit.records.progress import Progress

INTERRUPTED = 130


def buy_missing(verdicts: Verdicts, judge: JudgeConfig, folder: Path, stop: Stop, progress: Progress) -> None:
    """Buy every missing verdict, or until `stop` says why not; `folder` is the suite's, for a replay file."""
    asyncio.run(_buy_missing(verdicts, judge, folder, stop, progress))


async def _buy_missing(verdicts: Verdicts, judge: JudgeConfig, folder: Path, stop: Stop, progress: Progress) -> None:
    progress.stage("judging", len(verdicts.misses))
    client = make_client(judge, folder)
    done = 0
    try:
        with _signals(stop):
            channel = Channel(client, judge, stop.meter)
            async for settled in buy(verdicts.misses, channel, verdicts.cache, stop, verdicts.record):
                for request, judgement in settled:
                    verdicts.arrived(request, judgement)
                done += len(settled)
                progress.step(done, cost_usd=stop.meter.spent())
    finally:
        await client.aclose()


@contextlib.contextmanager
def _signals(stop: Stop) -> Iterator[None]:
    loop = asyncio.get_running_loop()

    def interrupt() -> None:
        if stop.reason == "interrupted":
            os._exit(INTERRUPTED)
        stop.interrupt()

    caught = []
    for name in (signal.SIGINT, signal.SIGTERM):
        # Windows and threads other than the main one have no such handlers; KeyboardInterrupt reaches the caller there.
        with contextlib.suppress(NotImplementedError, ValueError, RuntimeError):
            loop.add_signal_handler(name, interrupt)
            caught.append(name)
    try:
        yield
    finally:
        for name in caught:
            loop.remove_signal_handler(name)
