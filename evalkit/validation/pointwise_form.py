"""The pointwise form: claims with their evidence, then one grade per criterion, then the overall verdict."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from evalkit.records.base import Json
from evalkit.records.rubrics import Criterion, Rubric
from evalkit.records.verdicts import Verdict
from evalkit.validation.forms import FINDING, SPAN, TEXT, Fault, ReplyForm, listed, one_of, shape
from evalkit.validation.material import Material
from evalkit.validation.pointwise import PointwiseReading

CLAIM_STATUSES = ("supported", "unsupported", "contradicted")
CLAIM = shape(
    {
        "id": {"type": "integer"},
        "text": TEXT,
        "evidence": listed(SPAN),
        "cites": listed(TEXT),
        "status": one_of(CLAIM_STATUSES),
    }
)


def grades_of(criterion: Criterion) -> tuple[str, ...]:
    """Return the grades that a criterion admits, in the order in which they are shown."""
    middle = ("partial",) if criterion.partial else ()
    return ("pass", *middle, "fail", "not_applicable")


def _criterion_schema(rubric: Rubric, criterion: Criterion) -> dict[str, Json]:
    claims = {"claims": listed({"type": "integer"})} if rubric.claims != "none" else {}
    return shape({**claims, "evidence": listed(TEXT), "rationale": TEXT, "grade": one_of(grades_of(criterion))})


class PointwiseForm(ReplyForm):
    """One output, graded against a fixed standard."""

    def reply_schema(self) -> dict[str, Json]:
        """Return the schema: claims, evidence, findings, criteria, channels, overall_pass, in that order."""
        rubric = self.rubric
        claims = {"claims": listed(CLAIM)} if rubric.claims != "none" else {}
        channels = {"channels": shape(dict.fromkeys(rubric.channels, TEXT))} if rubric.channels else {}
        return shape(
            {
                **claims,
                "evidence": listed(SPAN),
                "findings": listed(FINDING),
                "criteria": shape({c.id: _criterion_schema(rubric, c) for c in rubric.criteria}),
                **channels,
                "overall_pass": {"type": ["boolean", "null"]},
            }
        )

    def check(self, value: Mapping[str, Any], material: Material) -> Verdict | list[Fault]:
        """Return the verdict of a value that fits the schema, or its faults."""
        reading = PointwiseReading(self.rubric, material, value)
        return list(reading.faults()) or reading.verdict()
