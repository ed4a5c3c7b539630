"""The written-out table of deterministic scorers: name -> what builds it from its settings."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from evalkit.errors import UsageError
from evalkit.records.base import Json
from evalkit.records.scores import Scorer
from evalkit.records.suites import ScorerUse
from evalkit.scoring.exact_match import ExactMatch

CATALOGUE: dict[str, Callable[[Mapping[str, Json]], Scorer]] = {
    "exact_match": ExactMatch,
}


def build_scorer(use: ScorerUse) -> Scorer:
    """Return the scorer that a suite asks for. Raises UsageError for an unknown name or bad settings."""
    make = CATALOGUE.get(use.scorer)
    if make is None:
        raise UsageError(f"unknown scorer {use.scorer!r}; known: {', '.join(sorted(CATALOGUE))}")
    return make(use.settings)
