"""One acceptance run over a suite: requests in batches, candidate and verdict by turns until each has its ending, then the report.

A replay and a live run are the same run with another source of candidates; both look verdicts up in the reply cache first.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from evalkit import __version__
from evalkit.acceptance.asking import Asking
from evalkit.acceptance.chain import Chain, Trust
from evalkit.acceptance.compile import compile_suite
from evalkit.acceptance.criteria import Criteria, build_criteria
from evalkit.acceptance.earned import ledger_trust
from evalkit.acceptance.generator import GeneratorConfig
from evalkit.acceptance.independence import independence_of
from evalkit.acceptance.reported import Inputs, report_of
from evalkit.acceptance.request import AcceptOutcome, AcceptRequest
from evalkit.acceptance.sources import Recording, Source
from evalkit.acceptance.summary import Summary
from evalkit.errors import UsageError
from evalkit.loading.acceptance_files import LoadedSpec, load_spec
from evalkit.loading.golden import GoldenSet
from evalkit.loading.loaded_suite import LoadedSuite
from evalkit.loading.outputs import OutputsFolder, open_outputs
from evalkit.loading.suites import load_suite
from evalkit.pipeline.describe import now
from evalkit.pipeline.replies import opened_cache
from evalkit.pipeline.request import Selector
from evalkit.pipeline.run import configured
from evalkit.records.acceptance_log import AcceptanceLine, AcceptancePurchases, AcceptanceReport
from evalkit.records.base import Json
from evalkit.records.cases import Case
from evalkit.records.identity import content_hash
from evalkit.records.judges import JudgeConfig
from evalkit.records.manifests import Purchases
from evalkit.records.outputs import Candidate
from evalkit.records.progress import Progress, Silent
from evalkit.runstore.acceptance import AcceptanceWriter, AttemptJournal, acceptance_folder
from evalkit.runstore.names import folder_part

BATCH = 128
"""Requests that are under way at once."""
LISTED = 200
"""Requests that are not complete and are kept in memory for the report's list; acceptance.jsonl has all."""

Renderer = Callable[[AcceptanceReport, Sequence[AcceptanceLine]], str]
"""Makes acceptance.md of a report and the last lines of the first requests that are not complete."""


def accept_suite(
    request: AcceptRequest, render: Renderer, progress: Progress | None = None, trust: Trust | None = None
) -> AcceptOutcome:
    """Decide every request of a suite and write the record; `render` makes its acceptance.md.

    `trust` answers for the judge; by default the suite's trust.json does. Raises InputError with the faults of all files, before anything
    is asked; UsageError; RunStoreError.
    """
    progress = progress or Silent()
    loaded, spec = opened(request)
    criteria = build_criteria(spec, asked_judge(request, loaded, spec))
    golden = GoldenSet(loaded.folder / loaded.suite.golden)
    earned = ledger_trust(loaded)
    start = _Start(
        request=request,
        suite=loaded.suite.name,
        folder=loaded.folder,
        criteria=criteria,
        golden=golden,
        progress=progress,
        other_judge=_other_judge(request, loaded, spec),
        trust=(lambda _: trust) if trust else earned,
    )
    if request.generator is None:
        return _replay(start, open_outputs(loaded.folder, one_candidate(request)), render)
    return _live(start, request.generator, render)


CHANGES_NO_VERDICT = (
    "prices",
    "max_cost",
    "api_key_env",
    "max_in_flight",
    "timeout_s",
    "rate",
    "backoff",
    "stop_after_failures",
    "batch",
)
"""Fields of judge.yaml that say what verdicts cost and how they are fetched."""


class _Start(NamedTuple):
    """What a replay and a live run begin with."""

    request: AcceptRequest
    suite: str
    folder: Path
    criteria: Criteria
    golden: GoldenSet
    progress: Progress
    other_judge: str
    """Hash of the judge of --judge where it is another than the suite's or the specification's; empty elsewhere."""
    trust: Callable[[Candidate], Trust]
    """What makes the candidates -> who answers for the judge."""


def _replay(start: _Start, outputs: OutputsFolder, render: Renderer) -> AcceptOutcome:
    inputs = Inputs(
        suite=start.suite,
        folder=start.folder,
        outputs=outputs.name,
        outputs_sha256=outputs.sha256,
        mode="replay",
        generator=outputs.candidate,
        independence=independence_of(start.criteria, outputs.candidate),
    )
    folder = acceptance_folder(
        start.request.run.out, start.suite, start.request.run.run_id or _replay_id(start, outputs)
    )
    return _Run(start, inputs, folder, Recording(outputs)).go(render)


def _replay_id(start: _Start, outputs: OutputsFolder) -> str:
    """Return the id of a replay that was given none: under a specification or a judge of its own it takes no other's place."""
    name, loaded = folder_part(outputs.name), start.criteria.loaded
    if start.request.spec:
        name += f"-{loaded.sha256[:12]}"
    if start.other_judge:
        name += f"-judge-{start.other_judge[:12]}"
    return name


def _other_judge(request: AcceptRequest, loaded: LoadedSuite, spec: LoadedSpec) -> str:
    if request.run.judge is None:
        return ""
    own = spec.judge if request.spec else load_suite(request.run.suite).judge
    asked, usual = (_identity(judge) for judge in (loaded.judge, own or JudgeConfig()))
    return "" if asked == usual else asked


def _identity(judge: JudgeConfig) -> str:
    """Return the hash of a judge, whatever it costs and however patiently it is asked."""
    return content_hash("acceptance-judge/2", judge.model_dump(mode="json", exclude=set(CHANGES_NO_VERDICT)))


def _live(start: _Start, generator: GeneratorConfig, render: Renderer) -> AcceptOutcome:
    from evalkit.acceptance.live import Live, live_run_id

    loaded = start.criteria.loaded
    identity: dict[str, Json] = {
        "suite": start.suite,
        "golden": start.golden.sha256,
        "specification": loaded.sha256,
        "generator": generator.identity,
    }
    run_id = start.request.run.run_id or live_run_id(identity)
    folder = acceptance_folder(start.request.run.out, start.suite, run_id)
    with AttemptJournal(folder, start.suite, identity, generator.declared) as journal:
        candidate = generator.candidate.model_copy(update=journal.declared)
        inputs = Inputs(
            suite=start.suite,
            folder=start.folder,
            outputs=run_id,
            outputs_sha256="",
            mode="live",
            generator=candidate,
            independence=independence_of(start.criteria, candidate),
        )
        source = Live(generator, journal, loaded.spec.terms, start.progress)
        return _Run(start, inputs, folder, source).go(render)


def opened(request: AcceptRequest) -> tuple[LoadedSuite, LoadedSpec]:
    """Return the suite, and the specification that was named or that the suite comes to. Raises InputError, UsageError."""
    loaded = configured(request.run).one_judge("acceptance").without_cascade("acceptance")
    return loaded, load_spec(request.spec) if request.spec else compile_suite(loaded)


def asked_judge(request: AcceptRequest, loaded: LoadedSuite, spec: LoadedSpec) -> JudgeConfig | None:
    """Return the judge to ask: of --judge, else of the specification; with the command line's own cost limit."""
    if request.run.judge is not None:
        return loaded.judge
    judge = spec.judge
    if judge is None or request.run.max_cost is None:
        return judge
    from evalkit.loading.judge_files import changed_judge

    return changed_judge(judge, {"max_cost": request.run.max_cost})


def one_candidate(request: AcceptRequest) -> str | None:
    """Return the outputs that are replayed, None for the suite's only ones. Raises UsageError where several are named."""
    if len(request.run.outputs) > 1:
        raise UsageError("acceptance replays one candidate's attempts; name one with --outputs")
    return next(iter(request.run.outputs), None)


@dataclass
class _Run:
    """One run while requests come to their ends."""

    start: _Start
    inputs: Inputs
    folder: Path
    source: Source
    summary: Summary = field(default_factory=Summary)
    notes: list[str] = field(default_factory=list)
    troubles: list[str] = field(default_factory=list)
    open_ones: list[AcceptanceLine] = field(default_factory=list)
    interrupted: bool = False
    trust: Trust = field(init=False)

    def __post_init__(self) -> None:
        """Ask who answers for the judge, now that it is known whose answers it judges."""
        self.trust = self.start.trust(self.inputs.generator)

    def go(self, render: Renderer) -> AcceptOutcome:
        self.notes += self.start.criteria.loaded.notes
        selector = Selector(self.start.request.run)
        cases = (case for case in self.start.golden if selector.takes(case))
        for _ in self.start.golden:  # every line is checked before the first candidate is made or judged
            pass
        with AcceptanceWriter(self.folder, self.inputs.suite) as writer, self._asking() as asking:
            while batch := list(islice(cases, BATCH)):
                self._settle([self._chain(case) for case in batch], writer, asking)
                self._tell(asking)
                if self.interrupted:
                    break
            else:
                selector.check(self.start.golden.count)
            self._stopped(asking)
            report = report_of(
                self.inputs,
                self.start.criteria,
                self.summary,
                golden_sha256=self.start.golden.sha256,
                selection=self.start.request.run.selection,
                notes=self.notes,
                interrupted=self.interrupted,
                blocked_judged=self._judge_blocked,
            )
            purchases = AcceptancePurchases(
                finished_at=now(),
                evalkit_version=__version__,
                purchases=asking.purchases() if asking else Purchases(),
                notes=tuple(self.troubles),
            )
            folder = writer.finish(report, render(report, self.open_ones), purchases)
        return AcceptOutcome(folder=folder, report=report, purchases=purchases.purchases, not_complete=self.open_ones)

    def _stopped(self, asking: Asking | None) -> None:
        """Let the report say why verdicts are missing."""
        reason = asking.stop.reason if asking else None
        if asking and reason and reason != "interrupted":
            last = f"; {asking.stop.last_failure}" if asking.stop.last_failure else ""
            self.notes.append(f"asking the judge stopped early: {reason}{last}")

    def _tell(self, asking: Asking | None) -> None:
        """Say how far the run is, unless making and judging say it themselves."""
        if self.inputs.mode == "replay" and not (asking and asking.bought):
            if self.summary.cases <= BATCH:
                self.start.progress.stage("accepting", None)
            self.start.progress.step(self.summary.cases)

    @property
    def _judge_blocked(self) -> bool:
        return self.inputs.mode == "replay" or self.start.request.judge_blocked

    def _chain(self, case: Case) -> Chain:
        return Chain(
            criteria=self.start.criteria,
            case=case,
            trust=self.trust,
            independent=self.inputs.independence["independent"],
            judge_blocked=self._judge_blocked,
        )

    def _settle(self, chains: list[Chain], writer: AcceptanceWriter, asking: Asking | None) -> None:
        """Bring a batch to its ends, or as far as it came, and write it down in the golden set's order."""
        try:
            self._turns(chains, asking)
        except KeyboardInterrupt:
            self.interrupted = True
        for chain in chains:
            ended = chain.situation.ended
            self.summary.add(chain.lines, ended=ended, unread=self.source.unread(chain) if ended else 0)
            if chain.lines and chain.situation.state != "complete" and len(self.open_ones) < LISTED:
                self.open_ones.append(chain.lines[-1])
            writer.add(chain.lines, chain.judgements)

    def _turns(self, chains: list[Chain], asking: Asking | None) -> None:
        while True:
            wanting = [chain for chain in chains if chain.wants_candidate]
            if wanting:
                self.source.serve(wanting)
            waiting = [chain for chain in chains if chain.pending]
            if asking and waiting:
                ends = iter(asking.ends([request for chain in waiting for request in chain.pending]))
                for chain in waiting:
                    found = [next(ends) for _ in chain.pending]
                    if not (asking.interrupted and any(_unasked(end.verdict, end.rejected) for end in found)):
                        chain.judged(found)
                if asking.interrupted:
                    self.interrupted = True
                    return
            elif not wanting:
                return

    @contextlib.contextmanager
    def _asking(self) -> Iterator[Asking | None]:
        judged = self.start.criteria.judged
        if not judged:
            yield None
            return
        judge = judged[0].measurement.judge
        folder = self.inputs.folder if self.start.request.run.judge else self.start.criteria.loaded.folder
        with opened_cache(self.start.request.run, self._note, wanted=judge.client != "floor") as cache:
            yield Asking(judge, folder, cache, self.start.progress)

    def _note(self, message: str) -> None:
        self.troubles.append(message)
        self.start.progress.note(message)


def _unasked(verdict: object, rejected: tuple[object, ...]) -> bool:
    return verdict is None and not rejected
