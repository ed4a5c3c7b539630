"""`evalkit check`: everything that a run would read is read and checked, every lexicon example run, every rubric and gate linted; no call."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from evalkit.errors import Fault, InputError
from evalkit.judging.lint import lint_rubric
from evalkit.loading.faults import FaultList
from evalkit.loading.golden import GoldenSet
from evalkit.loading.loaded_suite import LoadedSuite
from evalkit.loading.outputs import open_outputs, output_names
from evalkit.loading.suites import load_suite
from evalkit.pipeline.check_outputs import misplaced, unmatched
from evalkit.pipeline.check_planted import check_planted
from evalkit.pipeline.scorers import BuiltScorer, build_scorers
from evalkit.records.base import Json
from evalkit.text.nearest import nearest


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckReport:
    """What a check found."""

    faults: tuple[Fault, ...]
    """What keeps the suite from running; the first 20."""
    total_faults: int
    warnings: tuple[Fault, ...]
    """What runs but will not measure well."""
    summary: dict[str, Json]
    """What was read: cases, capabilities, candidates with their outputs, rubrics, judge."""


def check_suite(path: Path) -> CheckReport:
    """Check a suite and all that it names. Faults are collected, not raised."""
    faults = FaultList()
    try:
        loaded = load_suite(path)
    except InputError as error:
        return CheckReport(faults=error.faults, total_faults=error.total, warnings=(), summary={})
    built: list[BuiltScorer] = []
    try:
        built = build_scorers(loaded)
        if loaded.suite.gates:  # which is the only need of all that a judge's rows are made of
            from evalkit.pipeline.gate_checks import gate_faults

            faults.add(*gate_faults(loaded))
    except InputError as error:
        faults.absorb(error)
    summary: dict[str, Json] = {
        "suite": loaded.suite.name,
        "version": loaded.suite.version,
        "capabilities": [capability.name for capability in loaded.suite.capabilities],
        "rubrics": sorted(loaded.rubrics),
        "judge": ", ".join(dict.fromkeys(judge.model or judge.client for judge in loaded.judges)),
    }
    warnings = _rubric_warnings(loaded) + _golden(loaded, faults, summary)
    warnings += _scorer_warnings(loaded, built) + _cascade_warnings(loaded)
    return CheckReport(faults=tuple(faults.first), total_faults=faults.total, warnings=tuple(warnings), summary=summary)


def _rubric_warnings(loaded: LoadedSuite) -> list[Fault]:
    return [
        Fault(file=f"rubric {name}", field=warning.criterion, problem=warning.problem, remedy=warning.remedy)
        for name, rubric in sorted(loaded.rubrics.items())
        for warning in lint_rubric(rubric)
    ]


def _cascade_warnings(loaded: LoadedSuite) -> list[Fault]:
    """Return the rubrics that a cascade leaves to the judge, and what is doubtful about the questions to the classifier."""
    cascaded = [one for one in loaded.suite.capabilities if loaded.cheap_for(one.name) is not None]
    if not cascaded:
        return []
    from evalkit.classifiers.lint import lint
    from evalkit.judging.cascade import FIELDS, question_of, why_not

    used = {use.rubric for one in cascaded for use in one.judge}
    warnings = []
    for name in sorted(used):
        reason = why_not(loaded.rubrics[name])
        if reason:
            problem = f"the judge alone decides by it, the cascade spares nothing: {reason}"
            warnings.append(Fault(file=f"rubric {name}", field="cascade", problem=problem))
            continue
        questions = {criterion.id: question_of(criterion) for criterion in loaded.rubrics[name].criteria}
        warnings += [
            Fault(
                file=f"rubric {name}",
                field=f"{doubt.question}, as the cascade asks it",
                problem=doubt.problem,
                remedy=doubt.remedy,
            )
            for doubt in lint(questions, dict.fromkeys(FIELDS, ""))
        ]
    return warnings


def _scorer_warnings(loaded: LoadedSuite, built: list[BuiltScorer]) -> list[Fault]:
    return [
        Fault(
            file=str(loaded.file),
            field=f"capability {use.capability}, scorer {use.scorer.signature.scorer}",
            problem=text,
        )
        for use in built
        for text in getattr(use.scorer, "warnings", ())
    ]


@dataclass(slots=True)
class _Named:
    """What the golden set says of capabilities, while its cases go by."""

    ids: set[str] = field(default_factory=set)
    capabilities: Counter[str] = field(default_factory=Counter)
    """Capability -> cases that name it."""
    without: int = 0
    """Cases that name none."""


def _golden(loaded: LoadedSuite, faults: FaultList, summary: dict[str, Json]) -> list[Fault]:
    """Read the golden set and every candidate's outputs into the summary; return what is doubtful about both."""
    golden = GoldenSet(loaded.folder / loaded.suite.golden)
    named = _Named()
    whole = True  # ids of a golden set that was read in part meet no outputs
    try:
        for case in golden:
            named.ids.add(case.id)
            named.capabilities.update(case.capabilities)
            named.without += not case.capabilities
    except InputError as error:
        faults.absorb(error)
        whole = False
    summary["cases"] = len(named.ids)
    warnings = list(misplaced(loaded))
    counts: dict[str, Json] = {}
    for name in output_names(loaded.folder):
        counts[name], unmet = _outputs(loaded, name, named.ids, faults)
        warnings += unmet if whole else ()
    summary["outputs"] = counts
    planted = check_planted(loaded, named.ids, faults)
    if planted:
        summary["planted faults"] = planted
    return [*warnings, *_unmeasured(loaded, named, str(golden.path)), *_uncovered(loaded, named)]


def _unmeasured(loaded: LoadedSuite, named: _Named, file: str) -> Iterator[Fault]:
    """Yield the capabilities that cases name and no capability of the suite is, then that cases name none."""
    known = [capability.name for capability in loaded.suite.capabilities]
    for name, count in sorted(named.capabilities.items()):
        if name not in known:
            problem = f"{name!r}, named by {count} cases, is not measured by this suite"
            remedy = nearest(name, known, "capabilities")
            yield Fault(file=file, field="capabilities", problem=problem, remedy=remedy)
    selected = any(capability.cases is not None for capability in loaded.suite.capabilities)
    if named.without and not selected:
        problem = f"{named.without} cases name no capability and are measured nowhere"
        yield Fault(file=file, field="capabilities", problem=problem, remedy="name the capabilities they measure")


def _uncovered(loaded: LoadedSuite, named: _Named) -> Iterator[Fault]:
    """Yield the capabilities to which no case belongs."""
    for capability in loaded.suite.capabilities:
        if capability.cases is None and capability.name not in named.capabilities:
            yield Fault(
                file=str(loaded.file),
                field=f"capability {capability.name}",
                problem="no case belongs to it",
                remedy="name it in the capabilities of some cases, or select cases",
            )


def _outputs(loaded: LoadedSuite, name: str, ids: set[str], faults: FaultList) -> tuple[Json, list[Fault]]:
    """Return how a candidate's outputs meet the golden set, None where they cannot be read, and warnings."""
    try:
        outputs = open_outputs(loaded.folder, name)
    except InputError as error:
        faults.absorb(error)
        return None, []
    counts, warnings = unmatched(outputs, ids)
    return dict(counts), warnings
