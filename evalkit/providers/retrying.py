"""Requests that are sent again: backoff with jitter, Retry-After honoured, a cap on tries, every retry counted with its reason.

What is asked for takes at most `backoff.tries` requests. Between them it waits exponentially, never less than the server's Retry-After
and never more than `backoff.cap_s`; a server that asks for more is given up at once.

Imports asyncio and tenacity: import this module where something is bought, not at start-up.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

from tenacity import (
    AsyncRetrying,
    RetryCallState,
    retry_if_exception,
    stop_after_attempt,
    wait_exponential,
    wait_random,
)

from evalkit.errors import ProviderError
from evalkit.providers.meter import Meter
from evalkit.records.judges import Backoff

T = TypeVar("T")


class Retrying:
    """Sends until something comes back or nothing will. Belongs to one event loop."""

    def __init__(self, backoff: Backoff, meter: Meter) -> None:
        self._cap_s = backoff.cap_s
        self._meter = meter
        self._not_before = 0.0
        self._backoff = wait_exponential(multiplier=backoff.first_s, max=backoff.cap_s) + wait_random(
            0, backoff.first_s
        )
        self._last_try = stop_after_attempt(backoff.tries)

    async def send(self, once: Callable[[], Awaitable[T]], label: str) -> tuple[T, int]:
        """Return what `once` returns and the number of requests that were sent again for it; `label` names them in the log.

        Raises ProviderError, always permanent: it has failed for good. Its kind is that of the last failure; `rate_limited` also
        where a server asks to wait longer than the cap.
        """
        retrying = AsyncRetrying(
            stop=self._gives_up,
            wait=self._wait,
            retry=retry_if_exception(_may_help),
            before_sleep=lambda state: self._note_retry(label, state),
            reraise=True,
        )
        try:
            found: T = await retrying(once)
        except ProviderError as error:
            raise self._final(error, _requests(retrying)) from None
        return found, _requests(retrying) - 1

    async def turn(self) -> None:
        """Wait as long as a rate-limited server asked of anybody."""
        pause = self._not_before - asyncio.get_running_loop().time()
        if pause > 0:
            await asyncio.sleep(pause)

    def _wait(self, state: RetryCallState) -> float:
        asked = _failure(state).retry_after or 0.0
        return min(self._cap_s, max(asked, self._backoff(state)))

    def _gives_up(self, state: RetryCallState) -> bool:
        return self._last_try(state) or self._asks_too_long(_failure(state))

    def _asks_too_long(self, error: ProviderError) -> bool:
        return error.retry_after is not None and error.retry_after > self._cap_s

    def _note_retry(self, label: str, state: RetryCallState) -> None:
        error, wait = _failure(state), state.upcoming_sleep
        self._meter.retried(error.kind, label, wait)
        if error.kind == "rate_limited" and error.retry_after:
            self._not_before = max(self._not_before, asyncio.get_running_loop().time() + error.retry_after)

    def _final(self, error: ProviderError, requests: int) -> ProviderError:
        sent = f"{requests} request{'s' if requests != 1 else ''} sent"
        if not error.permanent and self._asks_too_long(error):
            asked = f"it asks to wait {error.retry_after:.0f} s, longer than backoff.cap_s = {self._cap_s:g} s"
            return ProviderError(
                "rate_limited",
                f"{error}; {asked}; {sent}",
                permanent=True,
                retry_after=error.retry_after,
                status=error.status,
            )
        return ProviderError(
            error.kind,
            f"{error}; {sent}",
            permanent=True,
            retry_after=error.retry_after,
            refused=error.refused,
            status=error.status,
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
