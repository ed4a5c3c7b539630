"""The deterministic scorers that a suite asks for, built; the faults of all their settings at once."""

from __future__ import annotations

from dataclasses import dataclass

from evalkit.errors import InputError
from evalkit.loading.faults import FaultList
from evalkit.loading.suites import LoadedSuite
from evalkit.records.scores import Scorer
from evalkit.records.suites import ScorerUse
from evalkit.scoring.catalogue import build_scorer
from evalkit.scoring.settings import Resources

POLICY = "policy"
"""Capability name of the rows of policy conditions."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BuiltScorer:
    """One scorer and where the suite uses it."""

    capability: str
    scorer: Scorer
    policy: bool


def build_scorers(loaded: LoadedSuite) -> list[BuiltScorer]:
    """Return the scorers of a suite in its order, policy conditions last. Raises InputError with every fault of every setting."""
    resources = Resources(
        folder=loaded.folder,
        file=str(loaded.file),
        lexicons=loaded.lexicons,
        allow_custom=loaded.suite.allow_custom_scorers,
    )
    uses: list[tuple[str, ScorerUse, bool]] = [
        (capability.name, use, False) for capability in loaded.suite.capabilities for use in capability.scorers
    ]
    uses += [(POLICY, use, True) for use in loaded.suite.policy]
    built: list[BuiltScorer] = []
    faults = FaultList()
    for capability, use, policy in uses:
        try:
            built.append(BuiltScorer(capability=capability, scorer=build_scorer(use, resources), policy=policy))
        except InputError as error:
            faults.absorb(error)
    faults.raise_if_any()
    return built
