"""Results of criteria on one candidate -> score and what is missed, computed in code. Pure.

A required criterion cannot be made up for by other strengths: it is decided beside the score, never through it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from evalkit.aggregation.exclusions import hides_outcome
from evalkit.records.acceptance import AcceptanceCriterion
from evalkit.records.acceptance_log import CriterionResult
from evalkit.records.scores import Result, Unscored


@dataclass(frozen=True, slots=True, kw_only=True)
class Assessment:
    """What the criteria that apply come to."""

    results: tuple[CriterionResult, ...]
    score: float | None
    """sum(weight x passed) / sum(weight) over the criteria that apply; None where one is undecided or nothing has weight."""
    undecided: str = ""
    """Why there is no score, as a stable word; empty where there is one."""
    detail: str = ""

    @property
    def required_missed(self) -> tuple[str, ...]:
        """Names of required criteria that are missed."""
        return tuple(r.name for r in self.results if r.required and r.result == "missed")

    @property
    def missed(self) -> tuple[str, ...]:
        """Names of all criteria that are missed."""
        return tuple(r.name for r in self.results if r.result == "missed")

    def meets(self, threshold: float) -> bool | None:
        """Tell whether the candidate meets the terms; None without a score."""
        return None if self.score is None else not self.required_missed and self.score >= threshold


def result_of(criterion: AcceptanceCriterion, result: Result) -> CriterionResult:
    """Return one criterion's result in the log's words."""
    if isinstance(result, Unscored):
        hidden = hides_outcome(result.reason)
        said = f"{result.reason}: {result.detail}" if result.detail else result.reason
        word, reason = ("undecided", said) if hidden else ("not_applicable", said)
    elif result.passed is None:
        word, reason = "undecided", "no_pass_rule: the scorer gave a number without saying whether it passes"
    else:
        word, reason = ("passed" if result.passed else "missed"), result.reason
    return CriterionResult.model_validate({
        "name": criterion.name,
        "required": criterion.required,
        "weight": criterion.weight,
        "strategy": "judge" if criterion.strategy.rubric else "code",
        "result": word,
        "reason": reason,
    })  # fmt: skip


def assess(results: Sequence[CriterionResult]) -> Assessment:
    """Return what results come to. A criterion that does not apply has no share; one that is undecided leaves no score."""
    open_ones = [r for r in results if r.result == "undecided"]
    if open_ones:
        first = open_ones[0]
        reason = first.reason.partition(": ")[0] or "undecided"
        return Assessment(results=tuple(results), score=None, undecided=reason, detail=f"{first.name}: {first.reason}")
    decided = [r for r in results if r.result != "not_applicable"]
    total = sum(r.weight for r in decided)
    if not total:
        return Assessment(
            results=tuple(results),
            score=None,
            undecided="nothing_applicable",
            detail="no criterion with a weight applies to this candidate",
        )
    passed = sum(r.weight for r in decided if r.result == "passed")
    return Assessment(results=tuple(results), score=passed / total)
