"""The deterministic scorers that a suite asks for, built; the faults of all their settings at once."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from evalkit.errors import Fault, InputError
from evalkit.loading.faults import FaultList
from evalkit.loading.loaded_suite import LoadedSuite
from evalkit.loading.yaml_files import Document, read_document
from evalkit.records.locations import Location
from evalkit.records.scores import Scorer
from evalkit.records.suites import ScorerUse
from evalkit.scoring.catalogue import build_scorer
from evalkit.scoring.settings import Resources

CLASSIFIER = "classifier"
"""Name of the scorer that asks a classifier."""
POLICY = "policy"
"""Capability name of the rows of policy conditions."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BuiltScorer:
    """One scorer and where the suite uses it."""

    capability: str
    name: str
    """What its rows are called."""
    scorer: Scorer
    policy: bool


def build_scorers(loaded: LoadedSuite) -> list[BuiltScorer]:
    """Return the scorers of a suite in its order, policy conditions last. Raises InputError with every fault of every setting."""
    resources = Resources(
        folder=loaded.folder,
        file=str(loaded.file),
        lexicons=loaded.lexicons,
        classifiers=loaded.classifiers,
        allow_custom=loaded.suite.allow_custom_scorers,
    )
    uses: list[tuple[str, ScorerUse, Location]] = [
        (capability.name, use, ("capabilities", place, "scorers", number))
        for place, capability in enumerate(loaded.suite.capabilities)
        for number, use in enumerate(capability.scorers)
    ]
    uses += [(POLICY, use, (POLICY, number)) for number, use in enumerate(loaded.suite.policy)]
    built: list[BuiltScorer] = []
    faults = FaultList()
    for capability, use, location in uses:
        policy = location[0] == POLICY
        try:
            scorer = build_scorer(use, resources)
        except InputError as error:
            faults.absorb(_within(capability, location, loaded.file, error))
            continue
        if policy and scorer.signature.scorer == CLASSIFIER:
            problem = "a classifier's answer blocks no release: a policy condition is decided in code"
            faults.add(Fault(file=str(loaded.file), field="policy", problem=problem, remedy="use it in a capability"))
            continue
        if policy and not _has_pass_rule(scorer):
            problem = f"the policy condition {use.scorer} has no pass rule, so nothing could break it"
            faults.add(
                Fault(file=str(loaded.file), field="policy", problem=problem, remedy="give it a threshold, e.g. `min`")
            )
        name = use.name or scorer.signature.scorer
        built.append(BuiltScorer(capability=capability, name=name, scorer=scorer, policy=policy))
    faults.raise_if_any()
    return built


def _has_pass_rule(scorer: Scorer) -> bool:
    """Tell whether some criterion can fail: a rate can, a mean only with a threshold."""
    return any(spec.estimate == "rate" for spec in scorer.criteria) or scorer.signature.settings.get("min") is not None


def _within(capability: str, location: Location, file: Path, error: InputError) -> InputError:
    """Return the faults of a scorer's settings with the capability that uses it and, where suite.yaml is at fault, their lines."""
    document = read_document(file)
    named = [
        replace(
            fault,
            field=f"{capability}, {fault.field}" if fault.field else capability,
            line=_line(document, location, fault) if fault.line is None and fault.file == str(file) else fault.line,
        )
        for fault in error.faults
    ]
    return InputError(named, error.total)


def _line(document: Document, location: Location, fault: Fault) -> int:
    """Return the line of the setting that a fault names, else of its scorer."""
    setting = (fault.field or "").partition(", ")[2].split(".")
    inline, apart = (document.line_of((*location, *under, *setting)) for under in ((), ("settings",)))
    return max(inline, apart)
