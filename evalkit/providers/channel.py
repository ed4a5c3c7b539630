"""The one way a call is sent: rate limits, the in-flight maximum, time-out, retries, counting.

How often and when it is sent again stands in `retrying`; what a rate-limited server asks of one call holds for all calls of the
channel. So a call takes at most tries x (timeout_s + wait) once it is admitted.

Imports asyncio and tenacity: import this module where something is bought, not at start-up.
"""

from __future__ import annotations

import asyncio
from functools import partial

from evalkit.errors import ProviderError
from evalkit.providers.client import Client
from evalkit.providers.meter import Meter
from evalkit.providers.rate_limits import RateLimits
from evalkit.providers.retrying import Retrying
from evalkit.records.chat import ChatCall
from evalkit.records.judges import JudgeConfig
from evalkit.records.verdicts import Reply


class Channel:
    """Sends calls through one client. Belongs to one event loop."""

    def __init__(self, client: Client, config: JudgeConfig, meter: Meter) -> None:
        self._client = client
        self._config = config
        self._meter = meter
        self._limits = RateLimits(config.rate)
        self._slots = asyncio.Semaphore(config.max_in_flight)
        self._retrying = Retrying(config.backoff, meter)

    async def ask(self, call: ChatCall) -> tuple[Reply, int]:
        """Return the reply and the number of requests that were sent again for it.

        Raises ProviderError, always permanent: the call has failed for good. Its kind is that of the last failure;
        `rate_limited` also where a server asks to wait longer than the cap.
        """
        try:
            return await self._retrying.send(partial(self._send, call), call.label)
        except ProviderError as error:
            self._meter.failed(error.kind)
            raise

    async def _send(self, call: ChatCall) -> Reply:
        loop = asyncio.get_running_loop()
        await self._limits.admit(call)
        await self._retrying.turn()
        async with self._slots:
            started = loop.time()
            try:
                async with asyncio.timeout(self._config.timeout_s):
                    reply = await self._client.complete(call)
            except TimeoutError:
                raise ProviderError(
                    "timeout", f"no complete answer within timeout_s = {self._config.timeout_s:g} s"
                ) from None
        self._meter.answered(reply, loop.time() - started)
        self._limits.settle(call, reply)
        return reply
