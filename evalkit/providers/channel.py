"""The one way a call is sent, and the one place that retries: rate limits, the in-flight maximum, time-out, backoff, counting.

A call takes at most `backoff.tries` requests. Between them it waits exponentially with jitter, never less than the server's
Retry-After and never more than `backoff.cap_s`; a server that asks for more is given up at once. What a rate-limited server asks of
one call holds for all calls of the channel. So a call takes at most tries x (timeout_s + wait) once it is admitted.

Imports asyncio and tenacity: import this module where something is bought, not at start-up.
"""

from __future__ import annotations

import asyncio

from tenacity import (
    AsyncRetrying,
    RetryCallState,
    retry_if_exception,
    stop_after_attempt,
    wait_exponential,
    wait_random,
)

from evalkit.errors import ProviderError
from evalkit.providers.client import Client
from evalkit.providers.meter import Meter
from evalkit.providers.rate_limits import RateLimits
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
        self._not_before = 0.0
        backoff = config.backoff
        self._backoff = wait_exponential(multiplier=backoff.first_s, max=backoff.cap_s) + wait_random(
            0, backoff.first_s
        )
        self._last_try = stop_after_attempt(backoff.tries)

    async def ask(self, call: ChatCall) -> tuple[Reply, int]:
        """Return the reply and the number of requests that were sent again for it.

        Raises ProviderError, always permanent: the call has failed for good. Its kind is that of the last failure;
        `rate_limited` also where a server asks to wait longer than the cap.
        """
        retrying = AsyncRetrying(
            stop=self._gives_up,
            wait=self._wait,
            retry=retry_if_exception(_may_help),
            before_sleep=lambda state: self._note_retry(call, state),
            reraise=True,
        )
        try:
            reply: Reply = await retrying(self._send, call)
        except ProviderError as error:
            final = self._final(error, _requests(retrying))
            self._meter.failed(final.kind)
            raise final from None
        return reply, _requests(retrying) - 1

    async def _send(self, call: ChatCall) -> Reply:
        loop = asyncio.get_running_loop()
        await self._limits.admit(call)
        pause = self._not_before - loop.time()
        if pause > 0:
            await asyncio.sleep(pause)
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

    def _wait(self, state: RetryCallState) -> float:
        asked = _failure(state).retry_after or 0.0
        return min(self._config.backoff.cap_s, max(asked, self._backoff(state)))

    def _gives_up(self, state: RetryCallState) -> bool:
        return self._last_try(state) or self._asks_too_long(_failure(state))

    def _asks_too_long(self, error: ProviderError) -> bool:
        return error.retry_after is not None and error.retry_after > self._config.backoff.cap_s

    def _note_retry(self, call: ChatCall, state: RetryCallState) -> None:
        error, wait = _failure(state), state.upcoming_sleep
        self._meter.retried(error.kind, call.label, wait)
        if error.kind == "rate_limited" and error.retry_after:
            self._not_before = max(self._not_before, asyncio.get_running_loop().time() + error.retry_after)

    def _final(self, error: ProviderError, requests: int) -> ProviderError:
        sent = f"{requests} request{'s' if requests != 1 else ''} sent"
        if not error.permanent and self._asks_too_long(error):
            cap = self._config.backoff.cap_s
            text = f"{error}; it asks to wait {error.retry_after:.0f} s, longer than backoff.cap_s = {cap:g} s; {sent}"
            return ProviderError("rate_limited", text, permanent=True, retry_after=error.retry_after)
        return ProviderError(
            error.kind, f"{error}; {sent}", permanent=True, retry_after=error.retry_after, refused=error.refused
        )


def _may_help(error: BaseException) -> bool:
    return isinstance(error, ProviderError) and not error.permanent


def _failure(state: RetryCallState) -> ProviderError:
    """Return what failed; tenacity asks only about failures that `_may_help` let through."""
    error = state.outcome.exception() if state.outcome is not None else None
    if not isinstance(error, ProviderError):
        raise TypeError("only a ProviderError is retried")
    return error


def _requests(retrying: AsyncRetrying) -> int:
    return int(retrying.statistics["attempt_number"])
