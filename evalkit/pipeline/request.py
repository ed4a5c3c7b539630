"""What a run is asked for, and what comes of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from evalkit.records.base import Json
from evalkit.records.cases import Case
from evalkit.records.manifests import Manifest
from evalkit.records.reports import Report


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRequest:
    """One `evalkit run`, or the plan of one."""

    suite: Path
    """The suite's folder or its suite.yaml."""
    outputs: tuple[str, ...] = ()
    """Names under the suite's outputs/ or paths; empty for the default."""
    judge: Path | None = None
    """A judge.yaml instead of the suite's."""
    out: Path = Path("runs")
    """Where run folders stand."""
    run_id: str | None = None
    """The run's name; made from suite, candidate and clock by default."""
    cache: Path | None = None
    """The reply cache's folder; None for EVALKIT_CACHE_DIR or the default."""
    record: Path | None = None
    """File to which the replies of this run are recorded, for `client: replay`."""
    cases: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    limit: int | None = None
    """Selections; any of them makes the run partial."""
    max_cost: float | None = None
    """US dollars, instead of judge.yaml's."""
    samples: int | None = None
    """Samples per case, instead of judge.yaml's."""

    @property
    def selection(self) -> dict[str, Json]:
        """What narrows the run; empty for a whole one."""
        chosen = {"case": list(self.cases), "tag": list(self.tags), "limit": self.limit}
        return {name: value for name, value in chosen.items() if value not in ([], None)}

    def selects(self, case: Case, taken: int) -> bool:
        """Tell whether a case takes part, `taken` cases having been taken before it."""
        if self.limit is not None and taken >= self.limit:
            return False
        if self.cases and case.id not in self.cases:
            return False
        return not self.tags or not set(self.tags).isdisjoint(case.tags)


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOutcome:
    """A finished run."""

    folder: Path
    """Where it was written."""
    report: Report
    manifest: Manifest
    first_failures: tuple[Mapping[str, Json], ...]
    """The first line of failures.jsonl of each capability, scorer and criterion."""
    exit_status: int
    """0 done, 1 a policy condition failed, 3 invalid for gating, 130 interrupted."""
