"""Cascades of a run: cases are put by, the classifier is asked once all is read, what it is sure of is decided, the rest goes to the judge.

A sample of its decisions, drawn by seed and case, is read by the judge as well through the same lookup and purchase as every verdict; what
the judge says there is recorded beside the decision and changes no row.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from evalkit.classifiers.patience import Patiences
from evalkit.judging.cascade import CheapTier, decided
from evalkit.judging.requests import JudgeRequest
from evalkit.judging.results import criteria_of, grade_of
from evalkit.judging.stop import Stop
from evalkit.judging.verdicts import Recorder, lookup
from evalkit.pipeline.classifier_answers import Answers
from evalkit.pipeline.columns import JudgeColumn
from evalkit.pipeline.judged import Verdicts
from evalkit.pipeline.scored import JudgedCase
from evalkit.pipeline.tiers import TierRequests
from evalkit.providers.reply_cache import ReplyCache
from evalkit.records.identity import content_hash
from evalkit.records.plans import ClassifierPlan
from evalkit.records.progress import Progress
from evalkit.records.tiers import CascadeReport, CascadeUse, JudgeCheck, TierReading
from evalkit.records.verdicts import Judgement


def tier_of(column: JudgeColumn) -> CheapTier:
    """Return the classifier before a column's judge."""
    if column.measurement.cheap is None:
        raise TypeError(f"{column.measurement.capability}: no classifier is asked before this judge")
    return column.measurement.cheap


@dataclass(slots=True)
class Checks:
    """Judge requests about cases that the classifier decides."""

    cache: ReplyCache | None
    record: Recorder | None
    found: dict[str, Judgement] = field(default_factory=dict)
    """Request key -> its end."""
    misses: list[JudgeRequest] = field(default_factory=list)
    hits: list[Judgement] = field(default_factory=list)
    bought: list[Judgement] = field(default_factory=list)

    def want(self, requests: Sequence[JudgeRequest]) -> None:
        """Look requests up; what is not found is to be bought."""
        known, misses = lookup(requests, self.cache, self.record)
        self.misses += misses
        for request, judgement in zip(requests, known, strict=True):
            if judgement is not None:
                self.found[request.key] = judgement
                self.hits.append(judgement)

    def arrived(self, request: JudgeRequest, judgement: Judgement) -> None:
        """Take the end of a bought request."""
        self.found[request.key] = judgement
        self.bought.append(judgement)


@dataclass(slots=True)
class Tiers:
    """One judge use with a classifier before the judge, and how its cases ended."""

    column: JudgeColumn
    answers: Answers
    cases: list[tuple[JudgedCase, TierReading]] = field(default_factory=list)
    """Every case with who decides it, in the order of the golden set."""
    sampled: list[JudgeRequest] = field(default_factory=list)
    checked: dict[str, Judgement] = field(default_factory=dict)
    """Case -> what the judge says of a decision of the classifier."""


@dataclass(slots=True)
class CascadeStage:
    """Decides between the tiers of every cascade of a run."""

    cache: ReplyCache | None
    record: Recorder | None
    stop: Stop
    progress: Progress
    note: Callable[[str], None]
    folder: Path
    """The suite's, where a recording may stand."""
    waiting: list[JudgedCase] = field(default_factory=list)
    used: list[Tiers] = field(default_factory=list)
    checks: Checks = field(init=False)
    patiences: Patiences = field(init=False)
    """Whoever asks the same classifier in this run, a scorer too, gives up together."""

    def __post_init__(self) -> None:
        """Begin without checks."""
        self.checks = Checks(self.cache, self.record)
        self.patiences = Patiences(self.stop.failures_allowed)

    def keep(self, cases: list[JudgedCase]) -> list[JudgedCase]:
        """Put the cases of cascades by; return the others."""
        self.waiting += [judged for judged in cases if judged.column.measurement.cheap is not None]
        return [judged for judged in cases if judged.column.measurement.cheap is None]

    def ask(self, columns: Sequence[JudgeColumn]) -> list[JudgedCase]:
        """Ask the classifiers, draw the samples, look the sampled verdicts up; return the cases that are the judge's.

        Raises UsageError, e.g. for a missing key of a classifier.
        """
        for column in columns:
            if column.measurement.cheap is not None:
                self.used.append(self._read(column, [one for one in self.waiting if one.column is column]))
        self.waiting = []
        return [judged for tiers in self.used for judged, told in tiers.cases if told.decided_by == "judge"]

    def _read(self, column: JudgeColumn, cases: list[JudgedCase]) -> Tiers:
        tier = tier_of(column)
        between = TierRequests(tier, [judged.requests[0] for judged in cases], self.record)
        between.ask(self.cache, self.stop, self.patiences, self.progress, self.note, folder=self.folder)
        tiers = Tiers(column, between.answers)
        for judged, told in zip(cases, between.told(), strict=True):
            judged.tiers = told if told.decided_by == "judge" else None
            tiers.cases.append((judged, told))
        tiers.sampled = sample_of(tier, [judged for judged, told in tiers.cases if told.decided_by == "classifier"])
        self.checks.want(tiers.sampled)
        return tiers

    def decide(self, verdicts: Verdicts) -> int:
        """Count what the classifiers decide, each sampled case with the judge's word; return how much of it all was not asked.

        The judge's requests about the sample are requests like all others where its health is concerned.
        A case that nobody asked the classifier about counts as not asked even where the judge's verdict was at hand.
        """
        unasked = 0
        for tiers in self.used:
            tier = tier_of(tiers.column)
            sampled = {request.case_id: request for request in tiers.sampled}
            for judged, told in tiers.cases:
                if told.decided_by == "judge":
                    unasked += told.why == "not_asked"
                    continue
                request = sampled.get(judged.case.id)
                if request is not None:
                    check = self.checks.found.get(request.key)
                    unasked += check is None
                    if check is not None:
                        tiers.checked[judged.case.id] = check
                        verdicts.health.add(check)
                checked = tiers.checked.get(judged.case.id)
                shown = told if checked is None else told.model_copy(update={"check": _check(tiers.column, checked)})
                verdicts.decided(judged, [decided(tier, one, shown) for one in judged.requests])
        return unasked

    def reports(self) -> tuple[CascadeReport, ...]:
        """Return what report.json says, once all is decided."""
        from evalkit.pipeline.cascade_report import report_of

        return tuple(map(report_of, self.used))

    def uses(self, verdicts: Verdicts) -> tuple[CascadeUse, ...]:
        """Return what manifest.json says, once all is decided."""
        from evalkit.pipeline.cascade_report import use_of

        return tuple(use_of(tiers, self.checks, verdicts) for tiers in self.used)


def _check(column: JudgeColumn, judgement: Judgement) -> JudgeCheck:
    grades = {name: grade_of(name, judgement) for name in criteria_of(column.measurement)}
    known = {name: grade for name, grade in grades.items() if isinstance(grade, str)}
    return JudgeCheck(request_key=judgement.request_key, grades=known)


def sample_of(tier: CheapTier, sure: Sequence[JudgedCase]) -> list[JudgeRequest]:
    """Return the judge's requests about the sampled ones of the cases that the classifier decides.

    The order of a draw is a hash of seed and case, so a sample stays as it is while cases come and go around it.
    """
    drawn = sorted(sure, key=lambda judged: content_hash("cascade-sample/1", [tier.settings.seed, judged.case.id]))
    return [judged.requests[0] for judged in drawn[: tier.settings.sample]]


def plan_of(
    column: JudgeColumn, cases: Sequence[JudgedCase], cache: ReplyCache | None, counted: set[str]
) -> tuple[ClassifierPlan, Iterator[JudgeRequest]]:
    """Return what a run would ask a classifier for one judge use, and the judge's requests, at most; asks nothing.

    A case without all answers in the cache counts as the judge's. `counted` as for `TierRequests.plan`.
    """
    tier = tier_of(column)
    between = TierRequests(tier, [judged.requests[0] for judged in cases])
    between.look_up(cache)
    plan = between.plan(counted).model_copy(update={"capability": column.measurement.capability})
    sure = [judged for judged, told in zip(cases, between.told(), strict=True) if told.decided_by == "classifier"]
    spared = {id(judged) for judged in sure}
    left = [request for judged in cases if id(judged) not in spared for request in judged.requests]
    return plan, iter([*left, *sample_of(tier, sure)])
