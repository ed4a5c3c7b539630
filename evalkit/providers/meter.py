"""What a run's calls took: tokens, cost, retries by reason, latency. Unknown stays unknown and is counted, never 0.

Servers that do not report usage send nothing or 0/0; both count as unknown, and token sums and cost are then lower bounds.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from evalkit.providers.estimates import prompt_tokens, reply_cap
from evalkit.records.chat import ChatCall
from evalkit.records.judges import JudgeConfig, Prices
from evalkit.records.manifests import Latency, Purchases
from evalkit.records.verdicts import BatchShare, Purchase, Reply

MILLION = 1_000_000


class Retry(NamedTuple):
    """One request that was sent again."""

    reason: str
    """Kind of the ProviderError that made it necessary."""
    label: str
    """What the call was for, e.g. the case id."""
    wait_s: float


def usage_known(reply: Reply) -> bool:
    """Tell whether the server said what the call used; a missing count and 0/0 are no statement."""
    return (
        reply.input_tokens is not None
        and reply.output_tokens is not None
        and reply.input_tokens + reply.output_tokens > 0
    )


def cost_of(prices: Prices | None, input_tokens: int, output_tokens: int, cached_tokens: int = 0) -> float | None:
    """Return US dollars for tokens, cached ones being a part of the input; None without prices.

    Without a price of their own cached tokens cost as much as other input.
    """
    if prices is None:
        return None
    cached = min(cached_tokens, input_tokens)
    cached_price = prices.input if prices.cached_input is None else prices.cached_input
    return ((input_tokens - cached) * prices.input + cached * cached_price + output_tokens * prices.output) / MILLION


def cost_of_purchases(judge: JudgeConfig, bought: Iterable[Purchase]) -> float | None:
    """Return US dollars that purchases from one judge cost, batches at their own prices; None without prices.

    What a server did not say it used counts nothing, so the figure is a lower bound then.
    """
    total, discount = [0, 0, 0], 0.0
    for one in bought:
        for place, count in enumerate((one.input_tokens, one.output_tokens, one.cached_tokens)):
            total[place] += count or 0
        if one.batch is not None:
            discount += _batch_discount(judge.prices, judge.batch_prices, one.batch)
    cost = cost_of(judge.prices, *total)
    return None if cost is None else cost - discount


def _batch_discount(own: Prices | None, batch: Prices | None, used: Reply | BatchShare) -> float:
    """Return US dollars by which a request costs less in a batch; 0 where either price is not known."""
    tokens = used.input_tokens or 0, used.output_tokens or 0, used.cached_tokens or 0
    alone, together = cost_of(own, *tokens), cost_of(batch, *tokens)
    return 0.0 if alone is None or together is None else alone - together


@dataclass(slots=True)
class Meter:
    """Counts of one run. The channel writes it, everybody may read it at any time."""

    prices: Prices | None = None
    calls: int = 0
    """Requests that the server answered with a reply."""
    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    unknown_usage: int = 0
    """Replies without usage."""
    retries: Counter[str] = field(default_factory=Counter)
    """Reason -> requests sent again."""
    failures: Counter[str] = field(default_factory=Counter)
    """Reason -> calls that failed for good."""
    retry_log: list[Retry] = field(default_factory=list)
    latencies_ms: list[float] = field(default_factory=list)
    """Wall time of each answered request, its waits excluded."""
    batch_prices: Prices | None = None
    """Of requests in a batch; where None, `prices` hold for them, too."""
    batched: int = 0
    """Of the calls: those whose reply a batch brought."""
    too_large: int = 0
    """Requests larger than a batch may be, which go by themselves."""
    _discount: float = 0.0
    """US dollars by which those cost less than at `prices`."""
    _before: float | None = 0.0
    """US dollars of the calls before `prices` held; None where they are not known."""
    _counted: tuple[int, int, int, int] = (0, 0, 0, 0)
    """Calls and input, output and cached tokens that `_before` covers."""

    def turn_to(self, prices: Prices | None, batch_prices: Prices | None = None) -> None:
        """Let the calls from here on cost these prices: another judge of the same run."""
        self.batch_prices = batch_prices
        if self.calls > self._counted[0]:
            self._before = self._at_prices()
        self._counted = (self.calls, self.input_tokens, self.output_tokens, self.cached_tokens)
        self.prices = prices

    def answered(self, reply: Reply, seconds: float) -> None:
        """Count a reply and the time it took."""
        self.latencies_ms.append(seconds * 1000)
        self._count(reply)

    def brought(self, reply: Reply) -> None:
        """Count a reply that a batch brought; how long it took says nothing about the judge."""
        self.batched += 1
        self._count(reply)
        if usage_known(reply):
            self._discount += _batch_discount(self.prices, self.batch_prices, reply)

    def _count(self, reply: Reply) -> None:
        self.calls += 1
        if not usage_known(reply):
            self.unknown_usage += 1
            return
        self.input_tokens += reply.input_tokens or 0
        self.output_tokens += reply.output_tokens or 0
        self.cached_tokens += reply.cached_tokens or 0

    def retried(self, reason: str, label: str, wait_s: float) -> None:
        """Count a request that is sent again after a wait."""
        self.retries[reason] += 1
        self.retry_log.append(Retry(reason, label, wait_s))

    def failed(self, reason: str) -> None:
        """Count a call that failed for good."""
        self.failures[reason] += 1

    def spent(self) -> float | None:
        """Return US dollars spent so far: None without prices or where no call said what it used, a lower bound where some did not."""
        found = self._at_prices()
        return None if found is None else found - self._discount

    def mean_cost(self) -> float | None:
        """Return US dollars of a call by itself, on the average of all calls; None where that is not known."""
        found = self._at_prices()
        return None if found is None or not self.calls else found / self.calls

    def _at_prices(self) -> float | None:
        """Return what all calls cost if each had been asked by itself."""
        if self.calls and self.unknown_usage == self.calls:
            return None
        calls, given, replied, cached = self._counted
        if self._before is None or (calls and calls == self.calls):
            return self._before
        since = cost_of(
            self.prices, self.input_tokens - given, self.output_tokens - replied, self.cached_tokens - cached
        )
        return None if since is None else self._before + since

    def longest_cost(self, call: ChatCall) -> float:
        """Return US dollars that a call costs at most, by rule of thumb: its prompt, and a reply as long as it may be; 0 without prices."""
        return cost_of(self.prices, prompt_tokens(call), reply_cap(call)) or 0.0

    def batch_share(self) -> float:
        """Return what a request costs in a batch, as a share of what it costs by itself: of the dearer kind of token."""
        own, batch = self.prices, self.batch_prices
        if own is None or batch is None:
            return 1.0
        pairs = ((batch.input, own.input), (batch.output, own.output))
        return max((cheap / dear for cheap, dear in pairs if dear), default=1.0)

    def to_purchases(self) -> Purchases:
        """Return the manifest's record with the fields known here; what was bought and spared is for the caller to add."""
        return Purchases(
            calls=self.calls,
            batched=self.batched,
            too_large=self.too_large,
            input_tokens=self.input_tokens,
            output_tokens=self.output_tokens,
            cached_tokens=self.cached_tokens,
            unknown_usage=self.unknown_usage,
            cost_usd=self.spent(),
            transport_retries=dict(sorted(self.retries.items())),
            latency_ms=latency_of(self.latencies_ms),
        )


def latency_of(milliseconds: Sequence[float]) -> Latency | None:
    """Return nearest-rank percentiles (the value at rank ceil(p n), so always one that was measured); None without any."""
    if not milliseconds:
        return None
    ordered = sorted(milliseconds)

    def percentile(share: float) -> float:
        return ordered[max(0, math.ceil(share * len(ordered)) - 1)]

    return Latency(p50=percentile(0.5), p90=percentile(0.9), p99=percentile(0.99), max=ordered[-1])
