"""What a run is asked for, and what comes of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from evalkit.errors import UsageError
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


class Selector:
    """Which cases of one walk over a golden set take part; remembers which names were met, so that a misspelt one is noticed."""

    def __init__(self, request: RunRequest) -> None:
        self._limit = request.limit
        self._cases = frozenset(request.cases)
        self._tags = frozenset(request.tags)
        self._unmet = {*(("--case", name) for name in request.cases), *(("--tag", name) for name in request.tags)}
        self.taken = 0

    def takes(self, case: Case) -> bool:
        """Tell whether a case takes part, and count it."""
        if self._cases or self._tags:
            self._unmet.discard(("--case", case.id))
            self._unmet.difference_update(("--tag", tag) for tag in case.tags)
            if self._cases and case.id not in self._cases:
                return False
            if self._tags and self._tags.isdisjoint(case.tags):
                return False
        if self._limit is not None and self.taken >= self._limit:
            return False
        self.taken += 1
        return True

    def check(self, golden: int) -> None:
        """Raise UsageError, after the walk, for a name that no case has and for a selection of nothing."""
        if self._unmet:
            names = ", ".join(f"{option} {name}" for option, name in sorted(self._unmet))
            raise UsageError(f"no case of {golden} answers to {names}; nothing was run")
        if self.taken == 0:
            raise UsageError(f"the selection leaves none of {golden} cases; nothing was run")


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
