"""One run, the stages in order: load, score in code, look verdicts up, buy what is missing, aggregate, write.

Deterministic scorers run first and everything is read and checked before the first call is bought. Whatever stops the buying,
what is there is written, marked incomplete.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from evalkit.aggregation.health import HealthFold
from evalkit.aggregation.policy import PolicyFold
from evalkit.errors import UsageError
from evalkit.judging.stop import Stop
from evalkit.judging.verdicts import Recorder
from evalkit.loading.golden import GoldenSet
from evalkit.loading.outputs import OutputsFolder, open_outputs
from evalkit.loading.suites import LoadedSuite, load_suite
from evalkit.pipeline.case_record import TableRecord
from evalkit.pipeline.columns import Columns, build_columns
from evalkit.pipeline.describe import first_manifest
from evalkit.pipeline.finish import Finished, Renderer, finish
from evalkit.pipeline.judged import Verdicts
from evalkit.pipeline.request import RunOutcome, RunRequest, Selector
from evalkit.pipeline.scored import CaseScorer
from evalkit.providers.meter import Meter
from evalkit.providers.reply_cache import ReplyCache, cache_folder, open_cache
from evalkit.records.identity import short_digest
from evalkit.records.progress import Progress, Silent
from evalkit.runstore.baselines import StoredBaseline, read_baseline
from evalkit.runstore.ledger import StoredLedger, stored_ledger
from evalkit.runstore.writer import RunWriter, default_run_id

if TYPE_CHECKING:
    # A suite without a classifier imports none.
    from evalkit.pipeline.cascade import CascadeStage
    from evalkit.pipeline.classified import ClassifierStage

SCORING_STEP = 1000
"""Cases between two signs of progress."""


def run_suite(request: RunRequest, render: Renderer, progress: Progress | None = None) -> list[RunOutcome]:
    """Run a suite over one or several candidates and write a run folder for each; `render` makes its report.md.

    Raises InputError, with the faults of all files, before anything is bought; RunStoreError where a run folder cannot be
    written or the suite's baseline or trust.json cannot be used; CacheError never: a run goes on without a cache and says so.
    """
    progress = progress or Silent()
    loaded = configured(request)
    folders = [open_outputs(loaded.folder, name) for name in request.outputs or (None,)]
    _distinct(folders)
    baseline = read_baseline(loaded.folder)
    ledger = stored_ledger(loaded.folder)
    outcomes = []
    for outputs in folders:
        run = _Run(
            request, loaded, outputs, render, progress, several=len(folders) > 1, baseline=baseline, ledger=ledger
        )
        outcomes.append(run.go())
        if outcomes[-1].manifest.purchases.stopped == "interrupted":
            break
    return outcomes


def _distinct(folders: list[OutputsFolder]) -> None:
    names = [outputs.name for outputs in folders]
    double = next((name for name in names if names.count(name) > 1), None)
    if double is not None:
        raise UsageError(f"two of the outputs are named {double!r}; run them one at a time, each with its own --run-id")


def configured(request: RunRequest) -> LoadedSuite:
    """Return the suite with the command line's own settings of the judge put in."""
    loaded = load_suite(request.suite, request.judge)
    changes = {"max_cost": request.max_cost, "samples": request.samples}
    given = {name: value for name, value in changes.items() if value is not None}
    return loaded.with_judge(given) if given else loaded


def keeps_replies(loaded: LoadedSuite, columns: Columns) -> bool:
    """Tell whether a run asks something whose replies are kept: a judge that is no floor, or a classifier behind a server."""
    judged = any(column.measurement.judge.client != "floor" for column in columns.judged)
    return judged or any(config.style in {"systemone", "llm"} for config, _ in loaded.classifiers.values())


@dataclass
class _Run:
    """One candidate's run."""

    request: RunRequest
    loaded: LoadedSuite
    outputs: OutputsFolder
    render: Renderer
    progress: Progress
    several: bool
    baseline: StoredBaseline | None
    ledger: StoredLedger | None

    def go(self) -> RunOutcome:
        columns = build_columns(self.loaded)
        writer = RunWriter(self.request.out, self._run_id(), self.loaded.suite.name)
        notes: list[str] = []
        try:
            manifest = first_manifest(writer.run_id, self.loaded, self.outputs, columns)
            writer.begin(manifest)
            finished = self._measure(columns, writer, notes)
            return finish(finished, manifest, writer, notes, self.render)
        except BaseException:
            writer.discard()
            raise

    def _run_id(self) -> str:
        name = self.request.run_id
        if name is None:
            return default_run_id(self.loaded.suite.name, self.outputs.name)
        return f"{name}-{self.outputs.name}" if self.several else name

    def _measure(self, columns: Columns, writer: RunWriter, notes: list[str]) -> Finished:
        def note(message: str) -> None:
            notes.append(message)
            self.progress.note(message)

        judge = self.loaded.judge
        stop = Stop(Meter(judge.prices), max_cost=judge.max_cost, failures_allowed=judge.stop_after_failures)
        with self._cache(columns, note) as cache, self._recorder() as record:
            verdicts = Verdicts(
                cache=cache,
                health=HealthFold(self.loaded.suite.budgets.judge_error),
                record=record,
                on_first_miss=self._preload,
            )
            scorer = CaseScorer(
                columns,
                {
                    id(column): PolicyFold(column.scorer, column.folds[0].key.scorer)
                    for column in columns.code
                    if column.policy
                },
                writer.failure,
            )
            table = TableRecord(judged=bool(columns.judged))
            cascade = self._cascade(columns, cache, record, stop, note)
            golden = self._score(scorer, verdicts, table, cascade)
            stage = self._classify(columns, scorer, cache, stop, note)
            if cascade:
                verdicts.add(cascade.ask(columns.judged))
                verdicts.flush()
            if verdicts.misses:
                from evalkit.pipeline.buying import buy_of_each_judge

                buy_of_each_judge(verdicts, self.loaded.folder, stop, self.progress)
            if cascade and cascade.checks.misses and stop.reason is None:
                from evalkit.pipeline.buying import buy_of_each_judge

                buy_of_each_judge(cascade.checks, self.loaded.folder, stop, self.progress)
            left = verdicts.give_up() + (stage.not_asked if stage else 0)
            left += cascade.decide(verdicts) if cascade else 0
        classified = tuple(stage.in_order()) if stage else ()
        for answered in classified:
            writer.classified(answered)
        for judgements, lines in verdicts.in_order():
            for judgement in judgements:
                writer.judgement(judgement)
            for line in lines:
                writer.failure(line)
        return Finished(
            loaded=self.loaded,
            outputs=self.outputs,
            columns=columns,
            scorer=scorer,
            verdicts=verdicts,
            golden_sha256=golden.sha256,
            golden_count=golden.count,
            selection=self.request.selection,
            stop=stop,
            not_bought=left,
            scores=table.scores([kept for column in columns.in_order() for kept in column.kept]),
            baseline=self.baseline,
            ledger=self.ledger,
            classifiers=tuple(stage.uses) if stage else (),
            classified=classified,
            cascade=cascade,
        )

    def _cascade(
        self,
        columns: Columns,
        cache: ReplyCache | None,
        record: Recorder | None,
        stop: Stop,
        note: Callable[[str], None],
    ) -> CascadeStage | None:
        """Return what decides between the tiers; None where every judge is asked alone."""
        if not any(column.measurement.cheap for column in columns.judged):
            return None
        from evalkit.pipeline.cascade import CascadeStage

        return CascadeStage(cache, record, stop, self.progress, note)

    def _classify(
        self,
        columns: Columns,
        scorer: CaseScorer,
        cache: ReplyCache | None,
        stop: Stop,
        note: Callable[[str], None],
    ) -> ClassifierStage | None:
        """Ask and count what classifier scorers cover; None where the suite has none."""
        if not any(column.asks for column in columns.code):
            return None
        from evalkit.pipeline.classified import ClassifierStage, by_column

        stage = ClassifierStage(cache, stop, self.progress, note, scorer.settle)
        stage.settle(by_column(columns.code, scorer.waiting))
        return stage

    def _score(
        self, scorer: CaseScorer, verdicts: Verdicts, table: TableRecord, cascade: CascadeStage | None
    ) -> GoldenSet:
        golden = GoldenSet(self.loaded.folder / self.loaded.suite.golden)
        self.progress.stage("scoring", None)
        selector = Selector(self.request)
        for case in golden:
            output = self.outputs.last_attempt(case.id)
            if selector.takes(case):
                text = None if output is None else output.text
                table.add(case.id, short_digest(golden.line), self.outputs.digest(case.id), case.cluster, text)
                judged = scorer.take(case, output)
                verdicts.add(cascade.keep(judged) if cascade else judged)
                if scorer.joined.cases % SCORING_STEP == 0:
                    self.progress.step(scorer.joined.cases)
        verdicts.flush()
        selector.check(golden.count)
        return golden

    def _preload(self) -> None:
        from evalkit.providers.clients import preload

        model = next(judge for judge in self.loaded.judges if judge.client != "floor")
        threading.Thread(target=preload, args=(model,), daemon=True).start()

    @contextlib.contextmanager
    def _cache(self, columns: Columns, note: Callable[[str], None]) -> Iterator[ReplyCache | None]:
        if not keeps_replies(self.loaded, columns):
            yield None
            return
        cache = open_cache(cache_folder(self.request.cache), note, rescue=self.request.out)
        try:
            yield cache
        finally:
            cache.close()

    @contextlib.contextmanager
    def _recorder(self) -> Iterator[Recorder | None]:
        if self.request.record is None:
            yield None
            return
        from evalkit.providers.replay import Recorder as ReplayRecorder

        recorder = ReplayRecorder(self.request.record)
        try:
            yield recorder.write
        finally:
            recorder.close()
