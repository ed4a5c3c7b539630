"""Provider limits kept on our side: a token bucket per limit, paced evenly so that no minute ever exceeds the limit by more than one call.

A call's tokens are estimated before it is sent and corrected by the usage afterwards. A call larger than the whole bucket is
let through when the bucket is full and leaves it in debt.
"""

from __future__ import annotations

import asyncio

from evalkit.providers.estimates import estimated_tokens
from evalkit.providers.meter import usage_known
from evalkit.records.chat import ChatCall
from evalkit.records.judges import Rate
from evalkit.records.verdicts import Reply


class Bucket:
    """A token bucket that is refilled steadily and served first come, first served."""

    def __init__(self, per_minute: float, capacity: float) -> None:
        self._per_second = per_minute / 60
        self._capacity = capacity
        self._level = capacity
        self._filled_at: float | None = None
        self._turn = asyncio.Lock()

    async def take(self, amount: float) -> None:
        """Wait until `amount`, or a full bucket where that is less, is there, and take it."""
        async with self._turn:
            self._refill()
            lacking = min(amount, self._capacity) - self._level
            while lacking > 0:
                await asyncio.sleep(lacking / self._per_second)
                self._refill()
                lacking = min(amount, self._capacity) - self._level - 1e-9
            self._level -= amount

    def give_back(self, amount: float) -> None:
        """Correct an earlier estimate; a negative amount takes more."""
        self._level = min(self._capacity, self._level + amount)

    def _refill(self) -> None:
        now = asyncio.get_running_loop().time()
        if self._filled_at is not None:
            self._level = min(self._capacity, self._level + (now - self._filled_at) * self._per_second)
        self._filled_at = now


class RateLimits:
    """The request and the token limit of one judge; either may be absent."""

    def __init__(self, rate: Rate) -> None:
        self._requests = Bucket(rate.rpm, 1) if rate.rpm else None
        # One second's worth: smooth, and a minute holds at most the limit and one call.
        self._tokens = Bucket(rate.tpm, rate.tpm / 60) if rate.tpm else None

    async def admit(self, call: ChatCall) -> None:
        """Wait until the call may be sent."""
        if self._tokens is not None:
            await self._tokens.take(estimated_tokens(call))
        if self._requests is not None:
            await self._requests.take(1)

    def settle(self, call: ChatCall, reply: Reply) -> None:
        """Correct the estimate by what the call really used, where the server said it."""
        if self._tokens is not None and usage_known(reply):
            used = (reply.input_tokens or 0) + (reply.output_tokens or 0)
            self._tokens.give_back(estimated_tokens(call) - used)
