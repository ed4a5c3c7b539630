"""What an experiment asks one judge: gathered, looked up, bought, or only planned. The way to verdicts is `lookup` and `buy`.

Fresh verdicts are further sample indices: `--runs` takes 0, 1, 2, ..., the first of them the run's own; a round (a date by
default) names verdicts that no run and no other round has bought, so an interrupted experiment can be taken up again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

from evalkit.experiments.outcome import new_experiment
from evalkit.experiments.subject import Subject
from evalkit.judging.answerer import answerer_of
from evalkit.judging.requests import JudgeRequest, Measurement
from evalkit.judging.stop import Stop
from evalkit.judging.verdicts import Recorder, lookup, not_bought
from evalkit.pipeline.columns import Columns, JudgeColumn
from evalkit.pipeline.describe import snapshots_of
from evalkit.pipeline.plan import plan_requests
from evalkit.pipeline.replies import opened_cache
from evalkit.providers.families import known_family
from evalkit.providers.meter import Meter
from evalkit.providers.reply_cache import ReplyCache
from evalkit.records.experiments import Experiment, ExperimentJudge, ExperimentPurchases, Kind
from evalkit.records.judges import JudgeConfig
from evalkit.records.manifests import Latency
from evalkit.records.plans import Plan
from evalkit.records.progress import Progress
from evalkit.records.verdicts import Judgement

BATCH = 256
AGAIN = 1_000_000_000
"""Added to a round for its second verdict: no other round reaches it."""


def round_of(given: int | None) -> int:
    """Return the sample index of fresh verdicts: the one given, else today's date in UTC as YYYYMMDD."""
    return int(f"{datetime.now(UTC):%Y%m%d}") if given is None else given


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
            return plan_requests(self.subject.loaded, columns, self.subject.outputs.name, asked, cache)

    def answer(self, progress: Progress, *, spent: float = 0.0, interrupted: bool = False) -> None:
        """Look every verdict up and buy what is missing; what could not be bought ends as `not_bought`.

        `spent` is what earlier questions of the experiment cost (US dollars), which `max_cost` covers too; after an interruption
        nothing more is asked.
        """
        judge = self.judge
        left_over = None if judge.max_cost is None else max(0.0, judge.max_cost - spent)
        stop = Stop(Meter(judge.prices), max_cost=left_over, failures_allowed=judge.stop_after_failures)
        if interrupted:
            stop.reason = "interrupted"
        with opened_cache(self.subject.request, progress.note, wanted=judge.client != "floor") as self.cache:
            self._look_up()
            if self.misses:
                from evalkit.pipeline.buying import buy_missing

                buy_missing(self, judge, self.subject.loaded.folder, stop, progress)
        metered = stop.meter.to_purchases()
        self.latency = metered.latency_ms
        left = sum(judgement is None for judgement in self._found)
        ends = zip(self.requests, self._found, strict=True)
        self.judgements = [not_bought(request) if end is None else end for request, end in ends]
        asked = [self.judgements[place] for place in self._places.values()]
        self.purchases = ExperimentPurchases(
            requests=len(self.requests),
            cached=len(self.requests) - len(self.misses),
            bought=sum(judgement.verdict is not None for judgement in asked),
            failed=sum(bool(judgement.rejected) and judgement.verdict is None for judgement in asked),
            not_bought=left,
            cost_usd=metered.cost_usd,
            stopped=stop.reason,
        )

    def _look_up(self) -> None:
        for start in range(0, len(self.requests), BATCH):
            found, misses = lookup(self.requests[start : start + BATCH], self.cache)
            self._found += found
            self.misses += misses
        missing = (place for place, judgement in enumerate(self._found) if judgement is None)
        self._places = dict(zip(map(id, self.misses), missing, strict=True))

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
        return ExperimentJudge.model_validate(
            {
                "role": role,
                "capability": measurement.capability,
                "judge": judge.name,
                "judge_config_hash": measurement.config_hash,
                "snapshots": snapshots_of(self.judgements, measurement.capability, measurement.config_hash),
                "family": known_family(judge),
                "answerer": answerer_of(measurement.identity),
            }
        )


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
    )
    return new_experiment(kind, subject.loaded.suite.name, judges).model_copy(
        update={
            "golden_sha256": subject.golden.sha256,
            "outputs": tuple(folders),
            "outputs_sha256": tuple(folders.values()),
            "selection": selection,
            "settings": settings,
            "completeness": "incomplete" if left else "partial" if selection else "complete",
            "purchases": purchases,
        }
    )
