"""Policy conditions: decided in code, one breach in any case blocks. What could not be decided is counted, never taken for kept."""

from __future__ import annotations

from collections.abc import Iterable

from evalkit.aggregation.exclusions import hides_outcome
from evalkit.records.reports import PolicyBreach
from evalkit.records.scores import Result, Scorer, Unscored

CASES_SHOWN = 20
"""Case ids listed per condition; all of them stand in failures.jsonl."""


class PolicyFold:
    """One policy condition while results come in. A scorer with several criteria is one condition: breaking any breaks it."""

    __slots__ = ("_breaches", "_cases", "_condition", "_unknown")

    def __init__(self, scorer: Scorer, name: str | None = None) -> None:
        """Start a fold; `name` is what the suite calls the condition, the scorer's own name by default."""
        self._condition = condition_of(scorer, name)
        self._breaches = 0
        self._unknown = 0
        self._cases: list[str] = []

    def add(self, case_id: str, results: Iterable[Result]) -> None:
        """Take one case's results. Any fail is a breach; otherwise one that could not be decided makes the case unknown."""
        unknown = False
        for result in results:
            if isinstance(result, Unscored):
                unknown = unknown or hides_outcome(result.reason)
            elif result.passed is None:
                unknown = True
            elif not result.passed:
                self._breach(case_id)
                return
        self._unknown += unknown

    def _breach(self, case_id: str) -> None:
        self._breaches += 1
        if len(self._cases) < CASES_SHOWN:
            self._cases.append(case_id)

    def breach(self) -> PolicyBreach:
        """Return the condition with what broke it; a condition that holds has no breaches."""
        return PolicyBreach(
            condition=self._condition, breaches=self._breaches, unknown=self._unknown, cases=tuple(self._cases)
        )


def condition_of(scorer: Scorer, name: str | None = None) -> str:
    """Return a condition's name: the suite's or the scorer's, followed by its criteria where they say more."""
    name = name or scorer.signature.scorer
    criteria = [spec.id for spec in scorer.criteria if spec.id != name]
    return f"{name}: {', '.join(criteria)}" if criteria else name
