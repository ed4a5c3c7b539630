"""Whether the judge of a specification is independent of what makes the candidates; recorded in every run and in every line."""

from __future__ import annotations

from evalkit.acceptance.criteria import Criteria
from evalkit.pipeline.describe import independence_between
from evalkit.records.base import Json
from evalkit.records.outputs import Candidate


def independence_of(criteria: Criteria, candidate: Candidate) -> dict[str, Json]:
    """Return whether judge and generator are independent, with the reason; where no judge is asked, code decides."""
    judge = criteria.judged[0].measurement.judge if criteria.judged else None
    if judge is None:
        return {
            "family_differs": "true",
            "independent": True,
            "reason": "no judge is asked: code decides every criterion",
        }
    return independence_between(judge, candidate)
