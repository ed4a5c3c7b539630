"""What an experiment asks one judge: gathered, looked up, bought, or only planned. The way to verdicts is `lookup` and `buy`.

Where a classifier stands before the judge, it is asked here first, about each sample and each version of a text, and the judge about what it
leaves: an experiment measures the cascade as a whole and knows nothing of tiers.

Fresh verdicts are further sample indices: `--runs` takes 0, 1, 2, ..., the first of them the run's own; a round (`rounds.py`) names
verdicts that no run and no other round has bought, so an interrupted experiment can be taken up again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from evalkit.errors import RunStoreError
from evalkit.experiments.outcome import new_experiment
from evalkit.experiments.rounds import days_of
from evalkit.experiments.subject import Subject
from evalkit.judging.answerer import answerer_of
from evalkit.judging.requests import JudgeRequest, Measurement
from evalkit.judging.stop import Stop
from evalkit.judging.verdicts import Recorder, lookup, not_bought
from evalkit.pipeline.columns import Columns, JudgeColumn
from evalkit.pipeline.describe import classifiers_of, snapshots_of
from evalkit.pipeline.plan import plan_requests
from evalkit.pipeline.replies import opened_cache, settle_open_batches
from evalkit.providers.families import known_family
from evalkit.providers.meter import Meter
from evalkit.providers.reply_cache import ReplyCache
from evalkit.records.experiments import Experiment, ExperimentJudge, ExperimentPurchases, Kind
from evalkit.records.judges import JudgeConfig
from evalkit.records.manifests import Latency
from evalkit.records.plans import Plan
from evalkit.records.progress import Progress
from evalkit.records.tiers import ExperimentCascade
from evalkit.records.verdicts import Judgement
from evalkit.runstore.experiments import stored_experiments

if TYPE_CHECKING:
    # An experiment without a cascade imports no classifier.
    from evalkit.pipeline.tiers import Cascades

BATCH = 256


@dataclass
class Questions:
    """Requests to one judge and, once answered, their judgements in the same order."""

    subject: Subject
    role: str = "home"
    columns: list[JudgeColumn] = field(default_factory=list)
    requests: list[JudgeRequest] = field(default_factory=list)
    judgements: list[Judgement] = field(default_factory=list)
    """Empty until `answer`; then one per request."""
    misses: list[JudgeRequest] = field(default_factory=list)
    cache: ReplyCache | None = None
    record: Recorder | None = None
    purchases: ExperimentPurchases = field(default_factory=ExperimentPurchases)
    latency: Latency | None = None
    """Of the calls that `answer` made; None where it made none."""
    _found: list[Judgement | None] = field(default_factory=list)
    _places: dict[int, int] = field(default_factory=dict)
    _cached: int = 0

    @property
    def judge(self) -> JudgeConfig:
        """The judge that is asked."""
        return self.subject.loaded.judge

    def ask(self, column: JudgeColumn, requests: Sequence[JudgeRequest]) -> list[int]:
        """Take requests; return their places among the judgements."""
        first = len(self.requests)
        self.requests += requests
        self.columns += [column] * len(requests)
        return list(range(first, len(self.requests)))

    def plan(self, progress: Progress) -> Plan:
        """Return what `answer` would buy; nothing is asked."""
        with opened_cache(self.subject.request, progress.note, wanted=self.judge.client != "floor") as cache:
            asked = list(zip(self.columns, self.requests, strict=True))
            known = {id(column): column for column in (*self.subject.columns.judged, *self.columns)}
            used = {id(column) for column in self.columns} or set(known)
            columns = Columns(judged=[column for key, column in known.items() if key in used])
            return plan_requests(
                self.subject.loaded, columns, self.subject.outputs.name, asked, cache, progress=progress
            )

    def answer(self, progress: Progress, *, spent: float = 0.0, interrupted: bool = False) -> None:
        """Look every verdict up and buy what is missing; what could not be bought ends as `not_bought`.

        `spent` is what earlier questions of the experiment cost (US dollars), which `max_cost` covers too; after an interruption
        nothing more is asked.
        """
        judge = self.judge
        left_over = None if judge.max_cost is None else max(0.0, judge.max_cost - spent)
        stop = Stop(
            Meter(judge.prices, batch_prices=judge.batch_prices),
            max_cost=left_over,
            failures_allowed=judge.stop_after_failures,
        )
        if interrupted:
            stop.reason = "interrupted"
        cascades = _cascades(self.requests)
        with opened_cache(self.subject.request, progress.note, wanted=judge.client != "floor") as self.cache:
            if cascades:
                cascades.ask(self.cache, stop, progress, progress.note, folder=self.subject.loaded.folder)
            self._look_up(cascades)
            if self.misses:
                from evalkit.pipeline.buying import buy_missing

                buy_missing(self, judge, self.subject.loaded.folder, stop, progress)
            settle_open_batches(self.cache)
        self._conclude(stop, cascades)

    def _conclude(self, stop: Stop, cascades: Cascades | None) -> None:
        metered = stop.meter.to_purchases()
        self.latency = metered.latency_ms
        left = sum(judgement is None for judgement in self._found)
        ends = zip(self.requests, self._found, strict=True)
        self.judgements = [not_bought(request) if end is None else end for request, end in ends]
        if cascades:
            self.judgements = [
                end if end.tiers else cascades.read_by_judge(place, end) for place, end in enumerate(self.judgements)
            ]
        asked = [self.judgements[place] for place in self._places.values()]
        use = cascades.use() if cascades else None
        of_classifier = (use.classifier.cost_usd if use else None) or 0.0
        self.purchases = ExperimentPurchases(
            requests=len(self.requests),
            cached=self._cached,
            bought=sum(judgement.verdict is not None for judgement in asked),
            failed=sum(bool(judgement.rejected) and judgement.verdict is None for judgement in asked),
            not_bought=left,
            cost_usd=None if metered.cost_usd is None else metered.cost_usd + of_classifier,
            stopped=stop.reason,
            cascade=use,
        )

    def _look_up(self, cascades: Cascades | None) -> None:
        """Take what classifiers decide and what is cached; what no classifier was asked about stays without an end."""
        self._found, left, self.misses = _known(self.requests, cascades, self.cache)
        missing = (place for place in left if self._found[place] is None)
        self._places = dict(zip(map(id, self.misses), missing, strict=True))
        self._cached = len(left) - len(self.misses)

    def arrived(self, request: JudgeRequest, judgement: Judgement) -> None:
        """Take the end of a bought request."""
        self._found[self._places[id(request)]] = judgement

    def judges(self) -> tuple[ExperimentJudge, ...]:
        """Return the judge uses that were asked, with the snapshots that answered."""
        used = {id(column): column for column in self.columns}
        return tuple(self.use(column.measurement, self.role) for column in used.values())

    def use(self, measurement: Measurement, role: str) -> ExperimentJudge:
        """Return one judge use, with the snapshots that answered it."""
        judge = self.judge
        of_use = measurement.capability, measurement.config_hash
        return ExperimentJudge.model_validate(
            {
                "role": role,
                "capability": measurement.capability,
                "judge": judge.name,
                "judge_config_hash": measurement.config_hash,
                "snapshots": snapshots_of(self.judgements, *of_use),
                "classifier_snapshots": classifiers_of(self.judgements, *of_use),
                "family": known_family(judge),
                "answerer": answerer_of(measurement.identity),
            }
        )


def cached_ends(requests: Sequence[JudgeRequest], cache: ReplyCache | None) -> list[Judgement | None]:
    """Return what is known of each request without asking anybody, of a cascade its classifier's decisions included."""
    cascades = _cascades(requests)
    if cascades:
        cascades.look_up(cache)
    found, left, _ = _known(requests, cascades, cache)
    for place in left:
        end = found[place]
        found[place] = cascades.read_by_judge(place, end) if cascades and end else end
    return found


def _known(
    requests: Sequence[JudgeRequest], cascades: Cascades | None, cache: ReplyCache | None
) -> tuple[list[Judgement | None], list[int], list[JudgeRequest]]:
    """Return the ends that classifiers and cache give, the places of the judge's requests, and which of these must be bought."""
    found = [cascades.end_of(place) if cascades else None for place in range(len(requests))]
    left = [place for place, end in enumerate(found) if end is None and not (cascades and cascades.is_open(place))]
    misses: list[JudgeRequest] = []
    for start in range(0, len(left), BATCH):
        batch = left[start : start + BATCH]
        ends, missing = lookup([requests[place] for place in batch], cache)
        misses += missing
        for place, end in zip(batch, ends, strict=True):
            found[place] = end
    return found, left, misses


def _cascades(requests: Sequence[JudgeRequest]) -> Cascades | None:
    """Return what decides between the tiers; None where the judge is asked alone."""
    if not any(request.measurement.cheap for request in requests):
        return None
    from evalkit.pipeline.tiers import Cascades

    return Cascades(requests)


def concluded(kind: Kind, asked: Sequence[Questions], settings: dict[str, object]) -> Experiment:
    """Return an experiment's record without its rows: inputs, judges, purchases, completeness."""
    subject = asked[0].subject
    judges = [judge for questions in asked for judge in questions.judges()]
    bought = [questions.purchases for questions in asked]
    left = sum(purchase.not_bought for purchase in bought)
    costs = [purchase.cost_usd for purchase in bought if purchase.cost_usd is not None]
    selection = subject.request.selection
    folders = {questions.subject.outputs.name: questions.subject.outputs.sha256 for questions in asked}
    purchases = ExperimentPurchases(
        requests=sum(purchase.requests for purchase in bought),
        cached=sum(purchase.cached for purchase in bought),
        bought=sum(purchase.bought for purchase in bought),
        failed=sum(purchase.failed for purchase in bought),
        not_bought=left,
        cost_usd=sum(costs) if len(costs) == len(bought) else None,
        stopped=next((purchase.stopped for purchase in bought if purchase.stopped), None),
        cached_from=_cached_from(
            subject,
            settings,
            cached=any(questions.purchases.cached and questions.judge.client != "floor" for questions in asked),
        ),
        cascade=_cascade_of([purchase.cascade for purchase in bought if purchase.cascade is not None]),
    )
    broken = left or failed_too_often(purchases.cascade, subject.loaded.suite.budgets.judge_error)
    return new_experiment(kind, subject.loaded.suite.name, judges).model_copy(
        update={
            "golden_sha256": subject.golden.sha256,
            "outputs": tuple(folders),
            "outputs_sha256": tuple(folders.values()),
            "selection": selection,
            "settings": settings,
            "completeness": "incomplete" if broken else "partial" if selection else "complete",
            "purchases": purchases,
        }
    )


def _cached_from(subject: Subject, settings: dict[str, object], *, cached: bool) -> tuple[str, ...]:
    """Return the days on which the verdicts of this round that were there already may have been bought."""
    number = settings.get("round")
    if not cached or not isinstance(number, int):
        return ()
    try:
        kept = stored_experiments(subject.request.out, subject.loaded.suite.name)
    except RunStoreError:  # what was bought is not thrown away for a neighbour that cannot be read
        kept = []
    return days_of(number, (experiment for _, experiment in kept))


def _cascade_of(uses: Sequence[ExperimentCascade]) -> ExperimentCascade | None:
    """Return what the classifiers of several questions did together; None where there was none."""
    if not uses:
        return None
    from evalkit.pipeline.tiers import cost_sum, sum_of

    return ExperimentCascade(
        verdicts=sum(use.verdicts for use in uses),
        by_classifier=sum(use.by_classifier for use in uses),
        classifier_failed=sum(use.classifier_failed for use in uses),
        not_asked=sum(use.not_asked for use in uses),
        classifier=sum_of([use.classifier for use in uses]),
        answers_cost_usd=cost_sum(use.answers_cost_usd for use in uses),
    )


def failed_too_often(use: ExperimentCascade | None, budget: float) -> bool:
    """Tell whether the judge stood in for a failing classifier so often that the cascade was not what was measured."""
    return use is not None and use.verdicts > 0 and use.classifier_failed / use.verdicts > budget
