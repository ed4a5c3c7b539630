"""Exact match against accepted answers (thin: widened by the text scorers)."""

from __future__ import annotations

from collections.abc import Mapping

from evalkit.records.base import Json
from evalkit.records.cases import Case
from evalkit.records.outputs import Output
from evalkit.records.scores import NO_OUTPUT, CriterionSpec, Result, Score, Signature, Unscored


class ExactMatch:
    """The answer equals one of `expected.answers` after stripping and case folding."""

    criteria = (CriterionSpec(id="exact_match"),)

    def __init__(self, settings: Mapping[str, Json]) -> None:
        self.signature = Signature(scorer="exact_match", version="1", settings=dict(settings))

    def score(self, case: Case, output: Output) -> tuple[Result, ...]:
        """Return one Score, or Unscored where nothing is expected."""
        accepted = case.expected.answers
        if not accepted:
            return (Unscored("no_expectation"),)
        text = (output.text or "").strip()
        if not text:
            return (NO_OUTPUT,)
        hit = text.casefold() in {answer.strip().casefold() for answer in accepted}
        reason = "" if hit else "no accepted answer matches"
        return (Score(float(hit), hit, reason, {"expected": list(accepted)} if not hit else {}),)
