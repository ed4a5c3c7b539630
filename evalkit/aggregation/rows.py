"""Per-case results become rows (thin): n, excluded by reason, estimate, interval; scored + excluded = total, in every row."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Literal

from evalkit.records.base import Json
from evalkit.records.reports import Row
from evalkit.records.scores import Estimate, Result, Score
from evalkit.stats.intervals import wilson


@dataclass(frozen=True, slots=True, kw_only=True)
class RowKey:
    """What a row is about, and what makes its number."""

    capability: str
    scorer: str
    criterion: str
    mode: Literal["code", "pointwise", "pairwise", "reference", "triage"]
    kind: Literal["deterministic", "judge", "policy"]
    estimate: Estimate
    signature: dict[str, Json]
    judge_config_hash: str | None = None


@dataclass(slots=True)
class RowFold:
    """A row while results come in; it keeps sums, not cases."""

    key: RowKey
    n: int = 0
    passed: int = 0
    total_value: float = 0.0
    excluded: Counter[str] = field(default_factory=Counter)

    def add(self, result: Result, cluster: str | None = None) -> None:
        """Take one case's result."""
        if isinstance(result, Score):
            self.n += 1
            self.passed += bool(result.passed)
            self.total_value += result.value
        else:
            self.excluded[result.reason] += 1

    def row(self) -> Row:
        """Return the finished row."""
        n = self.n
        value = None if not n else self.passed / n if self.key.estimate == "rate" else self.total_value / n
        return Row(
            capability=self.key.capability,
            scorer=self.key.scorer,
            criterion=self.key.criterion,
            mode=self.key.mode,
            kind=self.key.kind,
            estimate=self.key.estimate,
            n=n,
            excluded=dict(sorted(self.excluded.items())),
            total=n + sum(self.excluded.values()),
            passed=self.passed,
            value=value,
            interval=wilson(self.passed, n) if n else None,
            insufficient=n < 30,
            signature=self.key.signature,
            judge_config_hash=self.key.judge_config_hash,
            trust="provisional" if self.key.kind == "judge" else None,
        )
