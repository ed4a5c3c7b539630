"""Batteries over a suite's cached trajectories: every expected decision is made by the battery itself, then counted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

from evalkit import __version__
from evalkit.classifiers.batteries.asking import Battery
from evalkit.errors import InputError, UsageError
from evalkit.experiments.batteries.control import shuffle_control
from evalkit.experiments.batteries.deciding import Trial, build, evaluate, trials_of
from evalkit.experiments.batteries.figures import confusion, excluded_counts, rates, threshold_rows
from evalkit.experiments.batteries.offers import offer_row
from evalkit.experiments.batteries.remembering import Remembering
from evalkit.experiments.batteries.subjects import Subject, subjects_of
from evalkit.loading.battery_suites import LoadedBatteries, load_batteries
from evalkit.loading.faults import FaultList
from evalkit.loading.golden import GoldenSet
from evalkit.loading.loaded_suite import LoadedSuite
from evalkit.loading.outputs import OutputsFolder, open_outputs
from evalkit.loading.suites import load_suite
from evalkit.pipeline.request import RunRequest, Selector
from evalkit.providers.estimates import CHARACTERS_PER_TOKEN
from evalkit.records.battery_reports import BatteryFigures, BatteryMiss, BatteryReport
from evalkit.records.battery_suites import SELECTIONS, BatteryUse
from evalkit.records.progress import Progress


@dataclass(frozen=True, kw_only=True)
class BatteryPlan:
    """What a measurement would ask."""

    evaluations: int
    """Evaluations not in the cache, none for a classifier that asks no server; a router's deeper levels come on top where its first is not in the cache."""
    cached: int
    tokens: int
    """Estimate of their input tokens: a quarter of the characters."""


@dataclass(kw_only=True)
class Measurement:
    """A suite's batteries and trajectories, read and checked."""

    request: RunRequest
    loaded: LoadedSuite
    batteries: LoadedBatteries
    outputs: OutputsFolder
    golden: GoldenSet
    uses: tuple[BatteryUse, ...]
    subjects: list[Subject] = field(default_factory=list)
    """In the order of the golden set."""

    def plan(self, asked: Remembering) -> BatteryPlan:
        """Return what is not in the cache; `asked` has no live classifier."""
        self._evaluated(asked, cap=1, progress=None)
        tokens = asked.missing_characters // CHARACTERS_PER_TOKEN
        return BatteryPlan(evaluations=asked.missing, cached=len(asked.decisions) - asked.bought, tokens=tokens)

    def report(self, asked: Remembering, *, seed: int, cap: int, progress: Progress | None = None) -> BatteryReport:
        """Ask about every subject, at most `cap` at once, and return the figures.

        Raises UsageError for a battery whose options cannot be asked about.
        """
        by_use = self._evaluated(asked, cap=cap, progress=progress)
        usages = [decision.usage for decision in asked.decisions if decision.usage.requests]
        inputs, outputs = [u.input_tokens for u in usages], [u.output_tokens for u in usages]
        return BatteryReport(
            made_at=datetime.now(UTC).isoformat(timespec="seconds"),
            evalkit_version=__version__,
            suite=self.loaded.suite.name,
            outputs=self.outputs.name,
            golden_sha256=self.golden.sha256,
            outputs_sha256=self.outputs.sha256,
            decisions_sha256=self.batteries.decisions_sha256,
            selection=self.request.selection,
            classifier=dict(asked.identity),
            models=tuple(sorted({decision.model for decision in asked.decisions})),
            seed=seed,
            requests=sum(usage.requests for usage in usages),
            bought=asked.bought,
            input_tokens=_sum(inputs),
            output_tokens=_sum(outputs),
            errors=dict(asked.errors),
            not_asked=asked.not_asked,
            batteries=tuple(_figures(battery, use, cases, seed) for battery, use, cases in by_use),
        )

    def _evaluated(
        self, asked: Remembering, *, cap: int, progress: Progress | None
    ) -> list[tuple[Battery, BatteryUse, list[list[Trial]]]]:
        import asyncio

        built: dict[str, Battery] = {use.battery: build(use, asked) for use in self.uses}
        if progress is not None:
            progress.stage("batteries", len(self.subjects))
        trials = asyncio.run(_all(self.subjects, built, asked, cap, progress))
        found = []
        for use in self.uses:
            of_use = [made for subject, made in zip(self.subjects, trials, strict=True) if subject.use is use]
            found.append((built[use.battery], use, of_use))
        return found


def open_measurement(request: RunRequest, chosen: Sequence[str] = ()) -> Measurement:
    """Return a suite's batteries (those `chosen`, all by default) with the subjects of the selected cases.

    Raises InputError with the faults of the files, UsageError for an unknown battery and a selection of nothing.
    """
    if len(request.outputs) > 1:
        raise UsageError("batteries are measured on one set of trajectories; name one with --outputs")
    loaded = load_suite(request.suite)
    batteries = load_batteries(loaded.folder)
    uses = tuple(use for use in batteries.suite.batteries if not chosen or use.battery in chosen)
    unknown = sorted(set(chosen) - {use.battery for use in uses})
    if unknown:
        known = ", ".join(use.battery for use in batteries.suite.batteries)
        raise UsageError(f"this suite has no battery {unknown[0]!r}; it has {known}")
    found = Measurement(
        request=request,
        loaded=loaded,
        batteries=batteries,
        outputs=open_outputs(loaded.folder, next(iter(request.outputs), None)),
        golden=GoldenSet(loaded.folder / loaded.suite.golden),
        uses=uses,
    )
    found.subjects = list(_subjects(found))
    if not found.subjects:
        raise UsageError("none of the selected cases has an expected decision of these batteries")
    return found


def _subjects(found: Measurement) -> Iterator[Subject]:
    selector = Selector(found.request)
    faults = FaultList()
    met = set()
    subjects: list[Subject] = []
    for case in found.golden:
        met.add(case.id)
        output = found.outputs.last_attempt(case.id)
        lines = found.batteries.expected.get(case.id, [])
        if output is None and lines:
            faults.add(found.batteries.fault(lines[0].line, "case_id", "the case has no trajectory", "add its output"))
        if output is None or not selector.takes(case):
            continue
        try:
            subjects += subjects_of(found.batteries, found.uses, case, output)
        except InputError as error:
            faults.absorb(error)
    for case_id, lines in found.batteries.expected.items():
        if case_id not in met:
            problem = f"no case {case_id!r} in {found.loaded.suite.golden}"
            faults.add(found.batteries.fault(lines[0].line, "case_id", problem, "name a case of the golden set"))
    faults.raise_if_any()
    selector.check(found.golden.count)
    yield from subjects


async def _all(
    subjects: Sequence[Subject], built: dict[str, Battery], asked: Remembering, cap: int, progress: Progress | None
) -> list[list[Trial]]:
    import asyncio

    slots = asyncio.Semaphore(cap)
    done = 0

    async def one(subject: Subject) -> list[Trial]:
        nonlocal done
        battery = built[subject.use.battery]
        async with slots:
            verdict = await evaluate(battery, subject)
        done += 1
        if progress is not None:
            progress.step(done)
        return trials_of(battery, subject, verdict)

    try:
        return await asyncio.gather(*(one(subject) for subject in subjects))
    finally:
        await asked.aclose()


def _figures(battery: Battery, use: BatteryUse, cases: list[list[Trial]], seed: int) -> BatteryFigures:
    trials = [trial for case in cases for trial in case]
    counted = [trial for trial in trials if not trial.excluded]
    whole = [case for case in cases if case and not case[0].excluded]
    misses = [_miss(trial) for trial in counted if trial.decided != trial.expected]
    return BatteryFigures(
        battery=use.battery,
        signature=battery.signature,
        wording=battery.wording_version,
        calibrated=bool(counted) and all(trial.calibrated for trial in counted),
        cases=len({trial.subject.case.id for trial in trials}),
        decisions=len(trials),
        n=len(counted),
        excluded=dict(excluded_counts(trials)),
        confusion=confusion(counted),
        rates=rates(use, counted),
        thresholds=threshold_rows(use, counted),
        shuffle=shuffle_control(use, counted, seed),
        offers=offer_row(whole) if use.battery in SELECTIONS else None,
        misses=tuple(misses),
    )


def _miss(trial: Trial) -> BatteryMiss:
    wanted = trial.subject.expected
    return BatteryMiss(
        case_id=trial.subject.case.id,
        item=trial.item,
        tags=wanted.tags,
        expected=trial.expected,
        decided=trial.decided,
        answers=dict(trial.answers),
        note=wanted.note,
    )


def _sum(counts: Sequence[int | None]) -> int | None:
    known = [count for count in counts if count is not None]
    return sum(known) if len(known) == len(counts) else None
