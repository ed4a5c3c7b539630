"""One run, the stages in order: load, score in code, look verdicts up, buy what is missing, aggregate, write.

Deterministic scorers run first and everything is read and checked before the first call is bought. Whatever stops the buying,
what is there is written, marked incomplete.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from evalkit.errors import UsageError
from evalkit.judging.verdicts import Recorder
from evalkit.loading.loaded_suite import LoadedSuite
from evalkit.loading.outputs import OutputsFolder, open_outputs
from evalkit.loading.suites import load_suite
from evalkit.pipeline.columns import Columns, build_columns
from evalkit.pipeline.describe import first_manifest
from evalkit.pipeline.finish import Renderer, finish
from evalkit.pipeline.finished import Finished
from evalkit.pipeline.replies import keeps_replies, opened_cache, settle_open_batches
from evalkit.pipeline.request import RunOutcome, RunRequest
from evalkit.pipeline.stages import Stages
from evalkit.records.progress import Progress, Silent
from evalkit.runstore.baselines import StoredBaseline, read_baseline
from evalkit.runstore.ledger import StoredLedger, stored_ledger
from evalkit.runstore.writer import RunWriter, default_run_id


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

        kept = keeps_replies(self.loaded, columns)
        with opened_cache(self.request, note, wanted=kept) as cache, self._recorder() as record:
            stages = Stages(
                request=self.request,
                loaded=self.loaded,
                outputs=self.outputs,
                columns=columns,
                progress=self.progress,
                note=note,
                writer=writer,
                cache=cache,
                record=record,
            )
            stages.score()
            stages.classify()
            stages.judge()
            stages.give_up()
            settle_open_batches(cache)
        classified = stages.write()
        return Finished(
            loaded=self.loaded,
            outputs=self.outputs,
            columns=columns,
            scorer=stages.scorer,
            verdicts=stages.verdicts,
            golden_sha256=stages.golden.sha256,
            golden_count=stages.golden.count,
            selection=self.request.selection,
            stop=stages.stop,
            not_bought=stages.not_bought,
            scores=stages.table.scores([kept for column in columns.in_order() for kept in column.kept]),
            baseline=self.baseline,
            ledger=self.ledger,
            classified=classified,
            classifiers=tuple(stages.classifiers.uses) if stages.classifiers else (),
            cascade=stages.cascade,
        )

    def _replayed(self) -> list[Path]:
        """Return the recordings that this run's judges answer from."""
        return [self.loaded.folder / judge.replay for judge in self.loaded.judges if judge.replay]

    @contextlib.contextmanager
    def _recorder(self) -> Iterator[Recorder | None]:
        if self.request.record is None:
            yield None
            return
        from evalkit.providers.replay import Recorder as ReplayRecorder
        from evalkit.runstore.own_files import require_own

        require_own(self.request.record, "recording", self._replayed())
        recorder = ReplayRecorder(self.request.record)
        try:
            yield recorder.write
        finally:
            recorder.close()
