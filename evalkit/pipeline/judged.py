"""The second half of a run: verdicts are looked up while cases stream past, what is missing is bought, each end is folded into rows.

Results are kept as finished lines with their place in the golden set, so report, verdicts and failures come out in the same
order and with the same bytes however the replies arrived.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field

from evalkit.aggregation.health import HealthFold
from evalkit.judging.requests import JudgeRequest
from evalkit.judging.results import counts_of, results_of
from evalkit.judging.verdicts import Recorder, lookup, not_bought
from evalkit.pipeline.failure_lines import Line, judge_lines
from evalkit.pipeline.scored import JudgedCase
from evalkit.providers.reply_cache import ReplyCache
from evalkit.records.scores import Score
from evalkit.records.verdicts import Judgement

BATCH = 256
"""Requests looked up at once."""

Order = tuple[int, int]


@dataclass(slots=True)
class Verdicts:
    """Judged cases on their way to an end."""

    cache: ReplyCache | None
    health: HealthFold
    record: Recorder | None = None
    on_first_miss: Callable[[], None] | None = None
    """Called once, when it is clear that something must be bought."""
    waiting: list[JudgedCase] = field(default_factory=list)
    open: dict[int, tuple[JudgedCase, list[Judgement | None]]] = field(default_factory=dict)
    """Cases with a verdict missing, by identity of their record."""
    owners: dict[int, tuple[int, int]] = field(default_factory=dict)
    """Request (by identity) -> its case and its place among the samples."""
    misses: list[JudgeRequest] = field(default_factory=list)
    hits: int = 0
    lines: list[tuple[Order, list[Judgement], list[Line]]] = field(default_factory=list)
    bought: list[Judgement] = field(default_factory=list)
    saved: list[Judgement] = field(default_factory=list)

    def add(self, cases: list[JudgedCase]) -> None:
        """Take judged cases; look verdicts up when enough have gathered."""
        self.waiting += cases
        if len(self.waiting) >= BATCH:
            self.flush()

    def flush(self) -> None:
        """Look up what waits; settle the cases whose verdicts are all there."""
        requests = [request for judged in self.waiting for request in judged.requests]
        found, misses = lookup(requests, self.cache, self.record)
        if misses and not self.misses and self.on_first_miss:
            self.on_first_miss()
        self.misses += misses
        answers = iter(found)
        for judged in self.waiting:
            samples = [next(answers) for _ in judged.requests]
            known = [sample for sample in samples if sample is not None]
            self.saved += [sample for sample in known if sample.purchase]
            if len(known) == len(samples):
                self._settle(judged, known)
                continue
            self.open[id(judged)] = (judged, samples)
            for index, request in enumerate(judged.requests):
                self.owners[id(request)] = (id(judged), index)
        self.waiting = []

    def arrived(self, request: JudgeRequest, judgement: Judgement) -> None:
        """Take the end of a bought request."""
        self.bought.append(judgement)
        self._place(request, judgement)

    def _place(self, request: JudgeRequest, judgement: Judgement) -> None:
        owner, index = self.owners.pop(id(request))
        judged, samples = self.open[owner]
        samples[index] = judgement
        known = [sample for sample in samples if sample is not None]
        if len(known) == len(samples):
            del self.open[owner]
            self._settle(judged, known)

    def give_up(self, still_open: Collection[str]) -> int:
        """Settle what has no answer as not bought; return how many requests that is. `still_open` are those in open batches."""
        left = [request for request in self.misses if id(request) in self.owners]
        self.health.left([request.put().key for request in left], still_open)
        for request in left:
            self._place(request, not_bought(request))
        return len(left)

    def decided(self, judged: JudgedCase, samples: list[Judgement]) -> None:
        """Take a case that was decided before the judge: its grades count, and it says nothing of the judge's health."""
        self._count(judged, samples)

    def _settle(self, judged: JudgedCase, samples: list[Judgement]) -> None:
        if judged.tiers is not None:
            samples = [sample.model_copy(update={"tiers": judged.tiers}) for sample in samples]
        for judgement in samples:
            self.health.add(judgement)
        self._count(judged, samples)

    def _count(self, judged: JudgedCase, samples: list[Judgement]) -> None:
        column = judged.column
        results = results_of(column.measurement, samples)
        length = len(judged.output.text or "")
        for fold, lengths, result in zip(column.folds, column.lengths, results, strict=True):
            fold.add(result, judged.case.cluster)
            if isinstance(result, Score) and result.passed is not None:
                lengths.add(length, result.passed)
        for name, spread in column.spreads.items():
            counts = counts_of(column.measurement, name, samples)
            if counts:
                spread.add(judged.order, counts)
        lines: list[Line] = []
        for request, judgement in zip(judged.requests, samples, strict=True):
            lines += judge_lines(judged.case, judged.output, request, judgement)
        self.lines.append((judged.order, samples, lines))

    def in_order(self) -> Iterator[tuple[list[Judgement], list[Line]]]:
        """Yield judgements and failure lines in the order of the golden set."""
        self.lines.sort(key=lambda entry: entry[0])
        for _, judgements, lines in self.lines:
            yield judgements, lines
