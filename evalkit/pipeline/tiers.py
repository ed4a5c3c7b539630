"""Who decides each of many requests of one cascade: the classifier's answers are looked up, or asked for, request by request.

The one place in which a classifier before a judge is asked, for runs and experiments alike. Each request has answers of its own sample:
the sample index of a request is in their keys, so an experiment that asks afresh asks both tiers afresh.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from evalkit.classifiers.patience import Patiences
from evalkit.classifiers.replies import BOUGHT, ONE, reply_key
from evalkit.judging.cascade import CheapTier, altered, decided, reading, state_of
from evalkit.judging.requests import JudgeRequest
from evalkit.judging.stop import Stop
from evalkit.judging.verdicts import Recorder
from evalkit.pipeline.classifier_answers import Answers, Asked, estimates, look_up
from evalkit.providers.reply_cache import ReplyCache
from evalkit.records.plans import ClassifierPlan
from evalkit.records.progress import Progress
from evalkit.records.tiers import ExperimentCascade, TierReading, TierUse
from evalkit.records.verdicts import Judgement


@dataclass(slots=True)
class TierRequests:
    """Requests of one cascade, between its classifier and its judge."""

    tier: CheapTier
    requests: Sequence[JudgeRequest]
    record: Recorder | None = None
    """Takes the classifier's answers that count."""
    answers: Answers = field(init=False)
    keys: list[dict[str, str]] = field(init=False)
    """Per request: criterion -> reply key; none for a request that the classifier is not asked about."""

    def __post_init__(self) -> None:
        """Nothing is known yet."""
        tier = self.tier
        self.keys = [_keys(tier, request) for request in self.requests]
        named = zip(self.requests, self.keys, strict=True)
        names = {key: request.case_id for request, asked in named for key in asked.values()}
        self.answers = Answers(
            tier.config, tier.canned, None, prices=tier.settings.prices, record=self.record, names=names
        )

    @property
    def replay(self) -> str | None:
        """The recording that answers for the classifier, relative to the suite: the judge's, where that is a replay."""
        judge = self.requests[0].measurement.judge if self.requests else None
        return judge.replay if judge is not None and judge.client == "replay" else None

    def look_up(self, cache: ReplyCache | None) -> None:
        """Read what the cache holds; nothing is asked."""
        self.answers.found = look_up(self.tier.config, self._wanted(), cache)

    def ask(
        self,
        cache: ReplyCache | None,
        stop: Stop,
        patiences: Patiences,
        progress: Progress,
        note: Callable[[str], None],
        *,
        folder: Path,
    ) -> None:
        """Read what the cache holds and ask for the rest; a replay asks nobody. `folder` is the suite's.

        Raises UsageError for a missing key, or where a recording lacks an answer; InputError for a recording that cannot be read.
        """
        if self.replay:
            from evalkit.providers.replay import read_recording

            self.answers.recording = read_recording(folder / self.replay)
        self.answers.cache = cache
        self.answers.patience = patiences.of(self.tier.classifier)
        self.answers.gather(self._wanted(), stop, progress, note)

    def told(self) -> Iterator[TierReading]:
        """Yield who decides each request, by the answers that are there."""
        answers = self.answers
        for named in self.keys:
            if not named:
                yield altered(self.tier)
                continue
            found = {name: answers.found[key] for name, key in named.items() if key in answers.found}
            failed = [answers.failed[key] for key in named.values() if key in answers.failed]
            if not failed and answers.patience.gave_up:
                failed = [answers.patience.gave_up]
            yield reading(self.tier, found, failed, ONE)

    def plan(self, counted: set[str]) -> ClassifierPlan:
        """Return what `ask` would ask, after `look_up`; cases are requests here.

        `counted` holds the reply keys that are asked for already, and takes those of this cascade: what is shared is asked once.
        A static or floor classifier, and a recording, answer at once.
        """
        server = self.tier.config.style in BOUGHT and not self.replay
        asked = [named for named in self.keys if named]
        found, wanted = self.answers.found.keys(), self._wanted()
        to_ask = wanted.keys() - found - counted if server else set()
        counted |= to_ask
        estimated = estimates((wanted[key] for key in to_ask), self.tier.settings.prices)
        return ClassifierPlan(
            capability=self.requests[0].measurement.capability if self.requests else "",
            scorer=self.tier.rubric.id,
            classifier=self.tier.name,
            cases=len(asked),
            cached=sum(found >= set(named.values()) for named in asked),
            at_once=0 if server else len(asked),
            to_ask=len(to_ask),
            before_judge=True,
        ).model_copy(update=estimated)

    def _wanted(self) -> dict[str, Asked]:
        wanted: dict[str, Asked] = {}
        for request, named in zip(self.requests, self.keys, strict=True):
            state = state_of(request) if named else {}
            wanted |= {key: (state, self.tier.questions[name]) for name, key in named.items()}
        return wanted


class _Told(NamedTuple):
    """Who decides one request, by which cascade."""

    tier: CheapTier
    reading: TierReading


@dataclass(slots=True)
class Cascades:
    """Many requests, some of them of cascades: what each cascade's classifier decides, and what is left to a judge."""

    requests: Sequence[JudgeRequest]
    groups: list[tuple[list[int], TierRequests]] = field(init=False)
    """Per cascade the places of its requests, in order."""
    told: dict[int, _Told] = field(default_factory=dict)
    """Place of a cascade's request -> who decides it."""

    def __post_init__(self) -> None:
        """Sort the requests by cascade."""
        by_tier: dict[int, tuple[CheapTier, list[int]]] = {}
        for place, request in enumerate(self.requests):
            tier = request.measurement.cheap
            if tier is not None:
                by_tier.setdefault(id(tier), (tier, []))[1].append(place)
        self.groups = [
            (places, TierRequests(tier, [self.requests[place] for place in places]))
            for tier, places in by_tier.values()
        ]

    def look_up(self, cache: ReplyCache | None) -> None:
        """Read what the cache holds; nothing is asked, and what it does not hold nobody decides."""
        for _, between in self.groups:
            between.look_up(cache)
        self._tell()

    def ask(
        self, cache: ReplyCache | None, stop: Stop, progress: Progress, note: Callable[[str], None], *, folder: Path
    ) -> None:
        """Read what the cache holds and ask for the rest, one classifier after the other. Raises UsageError, e.g. for a missing key."""
        patiences = Patiences(stop.failures_allowed)
        for _, between in self.groups:
            between.ask(cache, stop, patiences, progress, note, folder=folder)
        self._tell()

    def _tell(self) -> None:
        for places, between in self.groups:
            self.told |= {place: _Told(between.tier, told) for place, told in zip(places, between.told(), strict=True)}

    def end_of(self, place: int) -> Judgement | None:
        """Return the end of a request that its classifier decides, None of any other."""
        told = self.told.get(place)
        if told is None or told.reading.decided_by == "judge":
            return None
        return decided(told.tier, self.requests[place], told.reading)

    def is_open(self, place: int) -> bool:
        """Tell whether nobody knows yet who decides a request: its classifier was not asked."""
        told = self.told.get(place)
        return told is not None and told.reading.why == "not_asked"

    def read_by_judge(self, place: int, judgement: Judgement) -> Judgement:
        """Return a judge's end of a request with what its classifier said before, if there is one."""
        told = self.told.get(place)
        return judgement if told is None else judgement.model_copy(update={"tiers": told.reading})

    def plans(self) -> tuple[ClassifierPlan, ...]:
        """Return what `ask` would ask, after `look_up`; what cascades share is counted once."""
        counted: set[str] = set()
        return tuple(between.plan(counted) for _, between in self.groups)

    def use(self) -> ExperimentCascade:
        """Return what the classifiers did, after `ask`."""
        why = Counter(told.reading.why for told in self.told.values())
        return ExperimentCascade(
            verdicts=len(self.told),
            by_classifier=why["sure"],
            classifier_failed=why["classifier_failed"],
            not_asked=why["not_asked"],
            classifier=sum_of([between.answers.use() for _, between in self.groups]),
            answers_cost_usd=cost_sum(between.answers.cost() for _, between in self.groups),
        )


def sum_of(uses: Sequence[TierUse]) -> TierUse:
    """Return what several classifiers took together; unknown where it is unknown of one that was asked."""
    asked = [use for use in uses if use.asked]
    return TierUse(
        asked=sum(use.asked for use in uses),
        cache_hits=sum(use.cache_hits for use in uses),
        replayed=sum(use.replayed for use in uses),
        failed=sum(use.failed for use in uses),
        input_tokens=_sum([use.input_tokens for use in asked]),
        output_tokens=_sum([use.output_tokens for use in asked]),
        cost_usd=cost_sum(use.cost_usd for use in uses),
    )


def cost_sum(costs: Iterable[float | None]) -> float | None:
    """Return US dollars together; None where a part is not known."""
    total = 0.0
    for cost in costs:
        if cost is None:
            return None
        total += cost
    return total


def _sum(counts: Sequence[int | None]) -> int | None:
    known = [count for count in counts if count is not None]
    return sum(known) if known and len(known) == len(counts) else None


def _keys(tier: CheapTier, request: JudgeRequest) -> dict[str, str]:
    if request.alterations:
        return {}
    state = state_of(request)
    sample = request.sample
    return {name: reply_key(tier.classifier, state, question, sample) for name, question in tier.questions.items()}
