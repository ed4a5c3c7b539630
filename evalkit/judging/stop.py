"""Why and when buying stops: the cost limit, a judge that answers nothing, an interruption.

The cost limit holds for calls in flight too: each call reserves what it will probably cost before it is sent, the mean of the calls
so far with a margin, or, before the first answer, the length of its prompt and the longest reply. Where a reservation does not fit,
the call waits for those in flight; where it does not fit with nothing in flight, buying is over. That holds for the first call too: what
one may take at most can be said before it is made. So the limit is passed by the error of an estimate at most.

What classifiers before the judge take counts in the same limit (`admit_question`), where their price is known.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from evalkit.records.chat import ChatCall
from evalkit.records.verdicts import Judgement

if TYPE_CHECKING:
    import asyncio

    from evalkit.providers.meter import Meter
    from evalkit.records.judges import JudgeConfig

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
    `batch_open` (a batch had not ended in the time that judge.yaml allows), `interrupted`; None while buying goes on."""
    still_open: frozenset[str] = frozenset()
    """Keys of requests that were, or perhaps were, submitted in a batch whose answer is not taken yet."""
    failures: int = 0
    last_failure: str = ""
    of_classifiers: float | None = 0.0
    """US dollars that classifiers took, beside what the meter counts; None where a server did not say what a question used."""
    wanted: float | None = None
    """US dollars of the call that did not fit the limit; None where none was refused."""
    loop: asyncio.AbstractEventLoop | None = None
    """Where the calls run, once they do."""
    in_flight: Sequence[asyncio.Future[Any]] = ()
    """What is given up at an interruption."""
    _reserved: list[float] = field(default_factory=list)
    _settled: asyncio.Event | None = None

    async def admit(self, call: ChatCall) -> float | None:
        """Return what is reserved for a call that may be sent now, or None where nothing is bought any more."""
        return await self._admitted(lambda: self._estimate(call))

    async def admit_question(self, estimate: Callable[[], float], first: Callable[[], bool]) -> float | None:
        """Return what is reserved for a priced question to a classifier, or None where nothing is bought any more.

        `estimate` says what it will probably cost (US dollars) by all that is known now, `first` whether nothing is known yet: then one
        question goes out alone, for a server may count what no rule of thumb foresees.
        """
        while self.max_cost is not None and self.reason is None and self._reserved and first():
            await self._next_end()
        return await self._admitted(estimate)

    async def _admitted(self, estimate: Callable[[], float]) -> float | None:
        while self.reason is None:
            if self.max_cost is None:
                return self._reserve(0.0)
            spent = self.spent()
            if spent is None:
                self.reason = "cost_unknown"
                break
            wanted = estimate()
            if spent + sum(self._reserved) + wanted <= self.max_cost:
                return self._reserve(wanted)
            if not self._reserved:
                self.wanted = wanted
                self.reason = "max_cost"
                break
            await self._next_end()
        return None

    def spent(self) -> float | None:
        """Return US dollars spent so far, on judge and classifiers; None where that cannot be known."""
        judged = None if self.meter.unknown_usage else self.meter.spent()
        return None if judged is None or self.of_classifiers is None else judged + self.of_classifiers

    def admit_batch(self, calls: Sequence[ChatCall]) -> tuple[int, float]:
        """Return how many of these calls may be submitted together, from the first on, and what is reserved for them.

        0 where nothing is bought any more; where not even one fits the limit, buying is over. Give the amount to `release`.
        """
        if self.reason is not None or not calls:
            return 0, 0.0
        if self.max_cost is None:
            return len(calls), self._reserve(0.0)
        spent = self.spent()
        if spent is None:
            self.reason = "cost_unknown"
            return 0, 0.0
        count, amount, mean, share = 0, 0.0, self.meter.mean_cost(), self.meter.batch_share()
        for call in calls:
            estimate = share * (self.meter.longest_cost(call) if mean is None else MARGIN * mean)
            if spent + sum(self._reserved) + amount + estimate > self.max_cost:
                break
            count, amount = count + 1, amount + estimate
        if not count:
            self.reason = "max_cost"
            return 0, 0.0
        return count, self._reserve(amount)

    def release(self, reserved: float) -> None:
        """Give back what was reserved: what was admitted has ended."""
        self._reserved.remove(reserved)
        if self._settled is not None:
            self._settled.set()

    def settle(self, reserved: float, judgement: Judgement) -> None:
        """Take the end of an admitted call."""
        self.release(reserved)
        if judgement.verdict is not None:
            self.failures = 0
            return
        self.failures += 1
        self.last_failure = judgement.rejected[-1].rejection.message if judgement.rejected else ""
        if self.failures >= self.failures_allowed and self.reason is None:
            self.reason = "judge_answers_nothing"

    def settle_question(self, reserved: float, cost: float | None) -> None:
        """Take the end of an admitted question and what it cost (US dollars); None where that is not known."""
        known = self.of_classifiers is not None and cost is not None
        self.of_classifiers = (self.of_classifiers or 0.0) + (cost or 0.0) if known else None
        self.release(reserved)

    def turn_to(self, judge: JudgeConfig) -> None:
        """Let the calls from here on be this judge's: its prices, and failures counted anew; what was spent stays."""
        self.meter.turn_to(judge.prices, judge.batch_prices)
        self.failures, self.failures_allowed = 0, judge.stop_after_failures

    def interrupt(self) -> None:
        """Stop sending now and give up what is in flight; what has arrived is still yielded. May be called from a signal handler."""
        self.reason = "interrupted"
        if self.loop is not None:
            self.loop.call_soon_threadsafe(self._give_up)

    def _give_up(self) -> None:
        for task in self.in_flight:
            task.cancel()

    @property
    def margin(self) -> float:
        """Factor on the mean of the calls so far for the next one, which others in flight may make dearer."""
        return MARGIN if self._reserved else 1.0

    def _reserve(self, amount: float) -> float:
        self._reserved.append(amount)
        return amount

    async def _next_end(self) -> None:
        import asyncio

        if self._settled is None or self._settled.is_set():
            self._settled = asyncio.Event()
        await self._settled.wait()

    def _estimate(self, call: ChatCall) -> float:
        mean = self.meter.mean_cost()
        if mean is not None:
            return self.margin * mean
        return self.meter.longest_cost(call)
