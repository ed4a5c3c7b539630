"""The stages of one candidate's run, between an open cache and what is reported.

`score` reads everything and decides in code what it can; `classify` asks classifiers; `judge` buys the verdicts that no lookup has;
`give_up` counts what was not bought; `write` hands every line to the run's folder, in the order of the golden set.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from evalkit.aggregation.health import HealthFold
from evalkit.aggregation.policy import PolicyFold
from evalkit.judging.stop import Stop
from evalkit.judging.verdicts import Recorder
from evalkit.loading.golden import GoldenSet
from evalkit.loading.loaded_suite import LoadedSuite
from evalkit.loading.outputs import OutputsFolder
from evalkit.pipeline.case_record import TableRecord
from evalkit.pipeline.columns import Columns
from evalkit.pipeline.judged import Verdicts
from evalkit.pipeline.request import RunRequest, Selector
from evalkit.pipeline.scored import CaseScorer
from evalkit.providers.meter import Meter
from evalkit.providers.reply_cache import ReplyCache
from evalkit.records.classified import ClassifiedCase
from evalkit.records.identity import short_digest
from evalkit.records.progress import Progress
from evalkit.runstore.writer import RunWriter

if TYPE_CHECKING:
    # A suite without a classifier imports none, and a warm run buys nothing.
    from evalkit.pipeline.buying import Wanted
    from evalkit.pipeline.cascade import CascadeStage
    from evalkit.pipeline.classified import ClassifierStage

SCORING_STEP = 1000
"""Cases between two signs of progress."""


@dataclass(kw_only=True)
class Stages:
    """One candidate's run while it is measured."""

    request: RunRequest
    loaded: LoadedSuite
    outputs: OutputsFolder
    columns: Columns
    progress: Progress
    note: Callable[[str], None]
    """Takes what the manifest is to say."""
    writer: RunWriter
    cache: ReplyCache | None
    record: Recorder | None
    golden: GoldenSet = field(init=False)
    stop: Stop = field(init=False)
    scorer: CaseScorer = field(init=False)
    table: TableRecord = field(init=False)
    verdicts: Verdicts = field(init=False)
    cascade: CascadeStage | None = field(init=False)
    """What decides between the tiers; None where every judge is asked alone."""
    classifiers: ClassifierStage | None = None
    """What classifier scorers asked; None where the suite has none."""
    not_bought: int = 0
    """Requests without an answer; counted by `give_up`."""

    def __post_init__(self) -> None:
        """Begin with nothing scored."""
        judge, suite = self.loaded.judge, self.loaded.suite
        self.golden = GoldenSet(self.loaded.folder / suite.golden)
        self.stop = Stop(
            Meter(judge.prices, batch_prices=judge.batch_prices),
            max_cost=judge.max_cost,
            failures_allowed=judge.stop_after_failures,
        )
        policy = {id(one): PolicyFold(one.scorer, one.folds[0].key.scorer) for one in self.columns.code if one.policy}
        self.scorer = CaseScorer(self.columns, policy, self.writer.failure)
        self.table = TableRecord(judged=bool(self.columns.judged))
        self.verdicts = Verdicts(
            cache=self.cache,
            health=HealthFold(suite.budgets.judge_error),
            record=self.record,
            on_first_miss=self._preload,
        )
        self.cascade = self._cascade()

    def _cascade(self) -> CascadeStage | None:
        if not any(column.measurement.cheap for column in self.columns.judged):
            return None
        from evalkit.pipeline.cascade import CascadeStage

        return CascadeStage(self.cache, self.record, self.stop, self.progress, self.note, self.loaded.folder)

    def _preload(self) -> None:
        from evalkit.providers.clients import preload

        model = next(judge for judge in self.loaded.judges if judge.client != "floor")
        threading.Thread(target=preload, args=(model,), daemon=True).start()

    def score(self) -> None:
        """Read every case and output, score in code, look verdicts up. Raises InputError with the faults of both files."""
        self.progress.stage("scoring", None)
        selector = Selector(self.request)
        for case in self.golden:
            output = self.outputs.last_attempt(case.id)
            if selector.takes(case):
                text = None if output is None else output.text
                line = short_digest(self.golden.line)
                self.table.add(case.id, line, self.outputs.digest(case.id), case.cluster, text)
                judged = self.scorer.take(case, output)
                self.verdicts.add(self.cascade.keep(judged) if self.cascade else judged)
                if self.scorer.joined.cases % SCORING_STEP == 0:
                    self.progress.step(self.scorer.joined.cases)
        self.verdicts.flush()
        selector.check(self.golden.count)

    def classify(self) -> None:
        """Ask and count what classifier scorers cover."""
        if not any(column.asks for column in self.columns.code):
            return
        from evalkit.pipeline.classified import ClassifierStage, by_column

        self.classifiers = ClassifierStage(self.cache, self.stop, self.progress, self.note, self.scorer.settle)
        self.classifiers.settle(by_column(self.columns.code, self.scorer.waiting))

    def judge(self) -> None:
        """Buy the verdicts that are missing, the judge's own before those about what a cascade decided."""
        if self.cascade:
            if self.classifiers:
                self.cascade.patiences = self.classifiers.patiences
            self.verdicts.add(self.cascade.ask(self.columns.judged))
            self.verdicts.flush()
        if self.verdicts.misses:
            self._buy(self.verdicts)
        if self.cascade and self.cascade.checks.misses and self.stop.reason is None:
            self._buy(self.cascade.checks)

    def _buy(self, wanted: Wanted) -> None:
        from evalkit.pipeline.buying import buy_of_each_judge

        buy_of_each_judge(wanted, self.loaded.folder, self.stop, self.progress)

    def give_up(self) -> None:
        """End what has no answer as not bought, and count it; let cascades decide on what was."""
        self.not_bought = self.verdicts.give_up(self.stop.still_open)
        if self.classifiers:
            self.not_bought += self.classifiers.not_asked
        if self.cascade:
            self.not_bought += self.cascade.decide(self.verdicts)

    def write(self) -> tuple[ClassifiedCase, ...]:
        """Write what classifiers and judges said, in the order of the golden set; return the classifiers' answers."""
        classified = tuple(self.classifiers.in_order()) if self.classifiers else ()
        for answered in classified:
            self.writer.classified(answered)
        for judgements, lines in self.verdicts.in_order():
            for judgement in judgements:
                self.writer.judgement(judgement)
            for line in lines:
                self.writer.failure(line)
        return classified
