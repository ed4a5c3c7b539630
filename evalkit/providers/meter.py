"""What a run's calls took: tokens, cost, retries by reason, latency. Unknown stays unknown and is counted, never 0.

Servers that do not report usage send nothing or 0/0; both count as unknown, and token sums and cost are then lower bounds.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from evalkit.providers.estimates import prompt_tokens, reply_cap
from evalkit.records.chat import ChatCall
from evalkit.records.judges import Prices
from evalkit.records.manifests import Latency, Purchases
from evalkit.records.verdicts import Reply

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
    _before: float | None = 0.0
    """US dollars of the calls before `prices` held; None where they are not known."""
    _counted: tuple[int, int, int, int] = (0, 0, 0, 0)
    """Calls and input, output and cached tokens that `_before` covers."""

    def turn_to(self, prices: Prices | None) -> None:
        """Let the calls from here on cost these prices: another judge of the same run."""
        if self.calls > self._counted[0]:
            self._before = self.spent()
        self._counted = (self.calls, self.input_tokens, self.output_tokens, self.cached_tokens)
        self.prices = prices

    def answered(self, reply: Reply, seconds: float) -> None:
        """Count a reply and the time it took."""
        self.calls += 1
        self.latencies_ms.append(seconds * 1000)
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

    def to_purchases(self) -> Purchases:
        """Return the manifest's record with the fields known here; what was bought and spared is for the caller to add."""
        return Purchases(
            calls=self.calls,
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
