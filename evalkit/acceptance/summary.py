"""Ended chains, one after the other, -> the counts of the report. What feedback did is counted per retry, and never called a cause."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from evalkit.records.acceptance_log import AcceptanceLine, AcceptedAt, FeedbackEffect, Named, RetryCounts
from evalkit.stats.clusters import ClusterSum, Singles, clustered_wilson
from evalkit.stats.intervals import wilson

ANY = "any"
CASES_SHOWN = 20
ACCEPTED = ("complete", "complete_provisional", "accepted_unjudged")
DECIDED = frozenset({"passed", "missed"})


@dataclass(slots=True)
class _Effect:
    """One criterion over all retries; per request (named again, gone)."""

    named: int = 0
    requests: defaultdict[str, list[int]] = field(default_factory=lambda: defaultdict(lambda: [0, 0]))
    kept: int = 0
    broken: int = 0


@dataclass(slots=True)
class _Some:
    n: int = 0
    cases: list[str] = field(default_factory=list)

    def add(self, case_id: str) -> None:
        self.n += 1
        if self.n <= CASES_SHOWN:
            self.cases.append(case_id)

    def named(self) -> Named:
        return Named(n=self.n, cases=tuple(self.cases))


@dataclass(slots=True)
class Summary:
    """Counts while requests come to their ends."""

    cases: int = 0
    endings: Counter[str] = field(default_factory=Counter)
    reasons: Counter[str] = field(default_factory=Counter)
    untrusted: Counter[str] = field(default_factory=Counter)
    """Why a judge's word was not enough -> requests."""
    by_trusted_judge: int = 0
    """Requests that are complete by a judge that is trusted."""
    unfinished: int = 0
    insufficient: _Some = field(default_factory=_Some)
    blocked: _Some = field(default_factory=_Some)
    retries: int = 0
    unchanged: int = 0
    wasted: int = 0
    broke: int = 0
    unread: int = 0
    _attempts: Counter[int] = field(default_factory=Counter)
    _accepted: Counter[tuple[int, str]] = field(default_factory=Counter)
    _effects: dict[str, _Effect] = field(default_factory=dict)

    def add(self, lines: Sequence[AcceptanceLine], *, ended: bool, unread: int = 0) -> None:
        """Take one request's lines in order; `unread` cached attempts were never looked at."""
        self.cases += 1
        self.unread += unread
        self._candidates(lines)
        if not ended:
            self.unfinished += 1
            return
        last = lines[-1]
        self.endings[last.state_after] += 1
        self.reasons[f"{last.state_after}: {last.reason}" if last.reason else last.state_after] += 1
        if last.state_after == "complete_provisional":
            self.untrusted[last.detail] += 1
        self.by_trusted_judge += last.state_after == "complete" and last.trusted is True
        if last.state_after in ACCEPTED and last.attempt is not None:
            self._accepted[last.attempt, last.state_after] += 1
        if last.state_after == "exhausted" and last.meets is False:
            self.insufficient.add(last.case_id)
        if last.state_after == "blocked_by_policy" and last.meets:
            self.blocked.add(last.case_id)

    def _candidates(self, lines: Sequence[AcceptanceLine]) -> None:
        looked = [line for line in lines if line.output_sha256 is not None and line.attempt is not None]
        for line in looked:
            self._attempts[line.attempt or 0] += 1
        for before, after in pairwise(looked):
            if before.feedback is not None:
                self._retry(before, after)

    def _retry(self, before: AcceptanceLine, after: AcceptanceLine) -> None:
        """Compare a faulted attempt with the one that was made from its feedback."""
        self.retries += 1
        self.unchanged += after.unchanged
        was = {result.name: result.result for result in before.criteria}
        now = {result.name: result.result for result in after.criteria}
        gone, again, broken = 0, 0, 0
        for name, result in was.items():
            effect = self._effects.setdefault(name, _Effect())
            decided = now.get(name) in DECIDED
            if result == "missed":
                effect.named += 1
                if decided:
                    again += 1
                    gone += now[name] == "passed"
                    _count(effect, before.case_id, gone=now[name] == "passed")
            elif result == "passed" and decided:
                effect.kept += 1
                effect.broken += now[name] == "missed"
                broken += now[name] == "missed"
        overall = self._effects.setdefault(ANY, _Effect())
        overall.named += 1
        if again:
            _count(overall, before.case_id, gone=gone > 0)
            overall.kept += 1
            overall.broken += broken > 0
        self.wasted += bool(again) and not gone
        self.broke += broken > 0

    def accepted(self) -> tuple[AcceptedAt, ...]:
        """Return acceptance by attempt number."""
        return tuple(
            AcceptedAt(
                attempt=attempt,
                candidates=count,
                complete=self._accepted[attempt, "complete"],
                complete_provisional=self._accepted[attempt, "complete_provisional"],
                accepted_unjudged=self._accepted[attempt, "accepted_unjudged"],
            )
            for attempt, count in sorted(self._attempts.items())
        )

    def retry_counts(self) -> RetryCounts:
        """Return what the quality retries came to."""
        return RetryCounts(
            retries=self.retries,
            unchanged=self.unchanged,
            wasted=self.wasted,
            broke_something=self.broke,
            unread_attempts=self.unread,
        )

    def effects(self, names: Iterable[str]) -> tuple[FeedbackEffect, ...]:
        """Return one row over all criteria, then one per criterion that was named or kept, in the order of `names`."""
        found = [name for name in (ANY, *names) if name in self._effects]
        return tuple(_row(name, self._effects[name]) for name in found)


def _count(effect: _Effect, case_id: str, *, gone: bool) -> None:
    counts = effect.requests[case_id]
    counts[0] += 1
    counts[1] += gone


def _row(name: str, effect: _Effect) -> FeedbackEffect:
    n = sum(size for size, _ in effect.requests.values())
    changed = sum(total for _, total in effect.requests.values())
    return FeedbackEffect(
        criterion=name,
        named=effect.named,
        n=n,
        excluded=effect.named - n,
        changed=changed,
        rate=changed / n if n else None,
        interval=_interval(list(effect.requests.values()), n, changed),
        kept=effect.kept,
        broken=effect.broken,
        reading="" if n else "no data",
    )


def _interval(requests: Sequence[Sequence[int]], n: int, changed: int) -> tuple[float, float] | None:
    """Return the 95 % interval of changed/n; retries of one request are a cluster, and one request alone tells as much as one retry."""
    if not n:
        return None
    if len(requests) == 1:
        return wilson(changed / n, 1)
    several = [ClusterSum(size, total) for size, total in requests if size > 1]
    if several:
        ones = [total for size, total in requests if size == 1]
        clustered = clustered_wilson(several, Singles(len(ones), sum(ones), sum(ones)))
        if clustered:
            return clustered.low, clustered.high
    return wilson(changed, n)
