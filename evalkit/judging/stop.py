"""Why and when buying stops: the cost limit, a judge that answers nothing, an interruption.

The cost limit holds for calls in flight too: each call reserves what it will probably cost before it is sent, the mean of the calls
so far with a margin, or, before the first answer, the length of its prompt and the longest reply. Where a reservation does not fit,
the call waits for those in flight; where it does not fit with nothing in flight, buying is over. One call is always made while
nothing is known. So the limit is passed by the error of an estimate at most, not by a whole round of calls.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from evalkit.records.chat import ChatCall
from evalkit.records.verdicts import Judgement

if TYPE_CHECKING:
    import asyncio

    from evalkit.providers.meter import Meter
    from evalkit.records.judges import Prices

MARGIN = 1.2
"""A call that goes out beside others is reserved at this many times the mean of the calls so far."""


@dataclass(slots=True)
class Stop:
    """Set by whoever finds out, asked before each purchase."""

    meter: Meter
    """What was spent so far."""
    max_cost: float | None = None
    """US dollars after which nothing more is bought."""
    failures_allowed: int = 20
    """Consecutive requests without a verdict for which the judge is taken to answer nothing."""
    reason: str | None = None
    """`max_cost`, `cost_unknown` (a limit is set, but the server does not say what calls use), `judge_answers_nothing`,
    `interrupted`; None while buying goes on."""
    failures: int = 0
    last_failure: str = ""
    loop: asyncio.AbstractEventLoop | None = None
    """Where the calls run, once they do."""
    in_flight: Sequence[asyncio.Future[Any]] = ()
    """What is given up at an interruption."""
    _reserved: list[float] = field(default_factory=list)
    _settled: asyncio.Event | None = None

    async def admit(self, call: ChatCall) -> float | None:
        """Return what is reserved for a call that may be sent now, or None where nothing is bought any more."""
        while self.reason is None:
            if self.max_cost is None:
                return self._reserve(0.0)
            spent = self.meter.spent()
            if self.meter.unknown_usage or spent is None:
                self.reason = "cost_unknown"
                break
            estimate = self._estimate(call, spent)
            if spent + sum(self._reserved) + estimate <= self.max_cost:
                return self._reserve(estimate)
            if not self._reserved:
                if self.meter.calls == 0 and self.max_cost > 0:
                    return self._reserve(estimate)
                self.reason = "max_cost"
                break
            await self._next_end()
        return None

    def settle(self, reserved: float, judgement: Judgement) -> None:
        """Take the end of an admitted call."""
        self._reserved.remove(reserved)
        if self._settled is not None:
            self._settled.set()
        if judgement.verdict is not None:
            self.failures = 0
            return
        self.failures += 1
        self.last_failure = judgement.rejected[-1].rejection.message if judgement.rejected else ""
        if self.failures >= self.failures_allowed and self.reason is None:
            self.reason = "judge_answers_nothing"

    def turn_to(self, prices: Prices | None, failures_allowed: int) -> None:
        """Let the calls from here on be another judge's: its prices, and failures counted anew; what was spent stays."""
        self.meter.turn_to(prices)
        self.failures, self.failures_allowed = 0, failures_allowed

    def interrupt(self) -> None:
        """Stop sending now and give up what is in flight; what has arrived is still yielded. May be called from a signal handler."""
        self.reason = "interrupted"
        if self.loop is not None:
            self.loop.call_soon_threadsafe(self._give_up)

    def _give_up(self) -> None:
        for task in self.in_flight:
            task.cancel()

    def _reserve(self, amount: float) -> float:
        self._reserved.append(amount)
        return amount

    async def _next_end(self) -> None:
        import asyncio

        if self._settled is None or self._settled.is_set():
            self._settled = asyncio.Event()
        await self._settled.wait()

    def _estimate(self, call: ChatCall, spent: float) -> float:
        if self.meter.calls:
            mean = spent / self.meter.calls
            return MARGIN * mean if self._reserved else mean
        return self.meter.longest_cost(call)
