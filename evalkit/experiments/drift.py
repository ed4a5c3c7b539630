"""Drift: a seeded sample of cached verdicts bought again under the same configuration. A model that was changed silently shows.

Flips alone prove nothing, for a judge disagrees with itself: they are compared with its own flip probability, as its stability
experiment under the same configuration measured it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field

from evalkit.aggregation.readings import join
from evalkit.errors import UsageError
from evalkit.experiments.fresh_rounds import Mark, fresh_round, mark_of
from evalkit.experiments.questions import Questions, cached_ends, concluded
from evalkit.experiments.subject import Judged, Subject
from evalkit.judging.requests import JudgeRequest, requests_for
from evalkit.judging.results import criteria_of, grade_of
from evalkit.pipeline.replies import opened_cache
from evalkit.providers.reply_cache import cache_folder, open_cache
from evalkit.records.base import Json
from evalkit.records.experiments import AgreementRow, DriftRow, Experiment, ExperimentPurchases
from evalkit.records.identity import content_hash
from evalkit.records.progress import Progress
from evalkit.records.scores import Unscored
from evalkit.records.verdicts import Judgement
from evalkit.runstore.experiments import stored_experiments
from evalkit.stats.intervals import wilson

Key = tuple[str, str, str]
"""Capability, rubric, criterion."""
NOTHING_BOUGHT = "no verdict was bought now, so nothing was measured now; without --round a fresh one is taken"


@dataclass(slots=True)
class _Counts:
    cases: int = 0
    n: int = 0
    flips: int = 0
    excluded: Counter[str] = field(default_factory=Counter)


@dataclass
class Drift:
    """One drift experiment: `questions` to be planned, or `begin`, `questions` to be answered, `result` and, once it is kept, `finish`."""

    subject: Subject
    size: int
    """Cached verdicts that are bought again, at most."""
    seed: int
    given_round: int | None
    """Sample index of the fresh verdicts; None for a fresh one, or that of the same drift where it was interrupted."""
    progress: Progress
    round: int = field(init=False)
    questions: Questions = field(init=False)
    chosen: list[tuple[Judged, Judgement]] = field(default_factory=list)
    cached: int = 0

    def __post_init__(self) -> None:
        """Draw the sample from the cache. Raises UsageError where nothing is cached, and for the floor judge, which is a rule."""
        judge = self.subject.loaded.judge
        if judge.client == "floor":
            raise UsageError("the floor judge is a fixed rule: nothing of it is cached, and it cannot drift")
        found = self._cached()
        self.cached = len(found)
        if not found:
            raise UsageError("no verdict of this judge on these outputs is cached; `evalkit run` buys them first")
        found.sort(key=lambda entry: self._draw(entry[1]))
        self.chosen = [(judged, judgement) for judged, judgement in found[: self.size]]
        self.questions = Questions(self.subject)
        self.round = self._fresh_round() if self.given_round is None else self.given_round
        for (judged, _), request in zip(self.chosen, self._requests(self.round), strict=True):
            self.questions.ask(judged.column, [request])

    def _requests(self, sample: int) -> list[JudgeRequest]:
        return [
            request
            for judged, _ in self.chosen
            for request in requests_for(judged.column.measurement, judged.case, judged.output, [sample])
        ]

    def _fresh_round(self) -> int:
        with closing(open_cache(cache_folder(self.subject.request.cache), self.progress.note)) as cache:
            return fresh_round(self._requests, cache)

    def begin(self) -> None:
        """Leave the mark by which the next drift knows that this one was interrupted. A round that was given needs none."""
        if self.given_round is None:
            self._mark().leave(self.progress.note)

    def finish(self, written: Experiment) -> None:
        """Take the mark away, now that the file is written, unless verdicts are still missing."""
        if written.completeness != "incomplete":
            self._mark().take_away(self.progress.note)

    def _mark(self) -> Mark:
        return mark_of(cache_folder(self.subject.request.cache), self.round, self._requests(self.round))

    def _draw(self, end: Judgement) -> str:
        """Return an item's place in the draw: of its role and the seed, so that the same cases are drawn of every judge."""
        return content_hash("drift/1", [self.seed, end.case_id, end.capability, end.rubric])

    def _cached(self) -> list[tuple[Judged, Judgement]]:
        asked: list[tuple[Judged, JudgeRequest]] = []
        for judged in self.subject.judged():
            (request,) = requests_for(judged.column.measurement, judged.case, judged.output, [0])
            asked.append((judged, request))
        kept = self.subject.loaded.judge.client != "floor"
        with opened_cache(self.subject.request, self.progress.note, wanted=kept) as cache:
            found = cached_ends([request for _, request in asked], cache)
        return [(judged, end) for (judged, _), end in zip(asked, found, strict=True) if end is not None]

    def result(self) -> Experiment:
        """Return flips per criterion beside the judge's own noise, and the snapshots before and now. After `answer`."""
        counts: dict[Key, _Counts] = {}
        changed: list[dict[str, Json]] = []
        for (judged, before), now in zip(self.chosen, self.questions.judgements, strict=True):
            measurement = judged.column.measurement
            for criterion in criteria_of(measurement):
                key = (measurement.capability, measurement.rubric.id, criterion)
                entry = _counted(counts.setdefault(key, _Counts()), criterion, before, now)
                if entry:
                    changed.append({**dict(zip(("capability", "rubric", "criterion"), key, strict=True)), **entry})
        noise = self._noise()
        rows = [_row(key, found, noise.get(key)) for key, found in counts.items()]
        if not _bought_any(self.questions.purchases):
            rows = [_unmeasured(row) for row in rows]
        bought = [end for _, end in self.chosen]
        was, answers = _snapshots(bought), _snapshots(self.questions.judgements)
        settings: dict[str, object] = {
            "sample": self.size,
            "seed": self.seed,
            "round": self.round,
            "cached": self.cached,
            "snapshots_before": was,
            "snapshots_now": answers,
        }
        if any(end.tiers for end in bought):
            settings["classifier_snapshots_before"] = _classifiers(bought)
            settings["classifier_snapshots_now"] = _classifiers(self.questions.judgements)
        notes = [
            f"{who}answered by {', '.join(was)} when bought, by {', '.join(now)} now: not the model that was measured, however few verdicts flipped"
            for who, was, now in _answered(settings)
            if _differ(was, now)
        ]
        return concluded("drift", [self.questions], settings).model_copy(
            update={"drift": tuple(rows), "cases": tuple(changed), "notes": tuple(notes)}
        )

    def _noise(self) -> Mapping[Key, AgreementRow]:
        """Return the newest agreement row of each criterion that was measured under the configuration asked now."""
        asked = {(judge.capability, judge.judge_config_hash) for judge in self.questions.judges()}
        found: dict[Key, AgreementRow] = {}
        for _, stability in stored_experiments(self.subject.request.out, self.subject.loaded.suite.name, "stability"):
            capabilities = {j.capability for j in stability.judges if (j.capability, j.judge_config_hash) in asked}
            for row in stability.agreement:
                if row.capability in capabilities and row.pairwise is not None:
                    found.setdefault((row.capability, row.rubric, row.criterion), row)
        return found


def drifted(experiment: Experiment) -> bool:
    """Tell whether the served model is to be taken for another one: more flips than noise, or another snapshot that answered."""
    moved = any(_differ(was, now) for _, was, now in _answered(experiment.settings))
    return moved or any(row.state == "drift" for row in experiment.drift)


def _answered(settings: Mapping[str, Json]) -> Iterator[tuple[str, Sequence[str], Sequence[str]]]:
    """Yield per tier whose answers are meant, who gave them when they were bought, and who gives them now."""
    for who, name in (("", "snapshots"), ("the classifier: ", "classifier_snapshots")):
        yield who, settings.get(f"{name}_before", ()), settings.get(f"{name}_now", ())


def _differ(before: Sequence[str], now: Sequence[str]) -> bool:
    return bool(before) and bool(now) and list(before) != list(now)


def _snapshots(judgements: Sequence[Judgement]) -> list[str]:
    return sorted({end.purchase.model for end in judgements if end.purchase and end.purchase.model})


def _classifiers(judgements: Sequence[Judgement]) -> list[str]:
    return sorted({answer.model for end in judgements if end.tiers for answer in end.tiers.answers.values()})


def _counted(counts: _Counts, criterion: str, before: Judgement, now: Judgement) -> dict[str, Json] | None:
    counts.cases += 1
    was, grade = grade_of(criterion, before), grade_of(criterion, now)
    for one in (was, grade):
        if isinstance(one, Unscored):
            counts.excluded[one.reason] += 1
            return None
    if was == grade == "not_applicable":
        counts.excluded["not_applicable"] += 1
        return None
    counts.n += 1
    if was == grade:
        return None
    counts.flips += 1
    return {"case_id": before.case_id, "before": was, "after": grade}


def _bought_any(purchases: ExperimentPurchases) -> bool:
    return bool(purchases.bought or (purchases.cascade and purchases.cascade.classifier.asked))


def _unmeasured(row: DriftRow) -> DriftRow:
    """Return a row of a drift that bought nothing: flips that were bought earlier stand, "within noise" is no finding of now."""
    reading = join(row.reading, NOTHING_BOUGHT)
    return row.model_copy(update={"state": "drift" if row.state == "drift" else "not measured", "reading": reading})


def _row(key: Key, found: _Counts, noise: AgreementRow | None) -> DriftRow:
    interval = wilson(found.flips, found.n) if found.n else None
    own = None if noise is None or noise.pairwise is None else 1 - noise.pairwise
    upper = None if noise is None or noise.pairwise_interval is None else 1 - noise.pairwise_interval[0]
    row = DriftRow(
        capability=key[0],
        rubric=key[1],
        criterion=key[2],
        cases=found.cases,
        n=found.n,
        excluded=dict(sorted(found.excluded.items())),
        flips=found.flips,
        rate=found.flips / found.n if found.n else None,
        interval=interval,
        noise=own,
        noise_upper=upper,
        state="not measured",
    )
    if interval is None:
        return row.model_copy(update={"reading": "no data"})
    if upper is None:
        return row.model_copy(update={"reading": "`evalkit stability` under this configuration measures the noise"})
    return row.model_copy(update={"state": "drift" if interval[0] > upper else "within noise"})
