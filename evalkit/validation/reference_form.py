"""The reference form: the facts table, what else goes against the reference, then one grade per criterion, then the overall verdict."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, get_args

from evalkit.records.base import Json
from evalkit.records.rubrics import Criterion
from evalkit.records.verdicts import FactStatus, ReferenceVerdict
from evalkit.validation.forms import FINDING, SPAN, TEXT, Fault, ReplyForm, listed, one_of, shape
from evalkit.validation.material import Material
from evalkit.validation.pointwise_form import grades_of as graded_freely
from evalkit.validation.reference import ReferenceReading

FACT_STATUSES: tuple[str, ...] = get_args(FactStatus)
"""The scale of a fact: schema, prompt and record all read it here."""

NUMBER: Json = {"type": "integer"}
FACT_ROW = shape({"id": NUMBER, "evidence": listed(SPAN), "status": one_of(FACT_STATUSES)})
CONTRADICTION = shape({"text": TEXT, "evidence": listed(SPAN), "fact": {"type": ["integer", "null"]}})


def grades_of(criterion: Criterion) -> tuple[str, ...]:
    """Return the grades that a criterion admits: by rule it passes or fails, for there is always a fact."""
    return ("pass", "fail") if criterion.claims_rule else graded_freely(criterion)


def _criterion_schema(criterion: Criterion) -> dict[str, Json]:
    return shape(
        {"facts": listed(NUMBER), "evidence": listed(TEXT), "rationale": TEXT, "grade": one_of(grades_of(criterion))}
    )


class ReferenceForm(ReplyForm):
    """One output, held against a reference."""

    def reply_schema(self) -> dict[str, Json]:
        """Return the schema: facts, contradictions, evidence, findings, criteria, channels, overall_pass, in that order."""
        rubric = self.rubric
        channels = {"channels": shape(dict.fromkeys(rubric.channels, TEXT))} if rubric.channels else {}
        return shape(
            {
                "facts": listed(FACT_ROW),
                "contradictions": listed(CONTRADICTION),
                "evidence": listed(SPAN),
                "findings": listed(FINDING),
                "criteria": shape({c.id: _criterion_schema(c) for c in rubric.criteria}),
                **channels,
                "overall_pass": {"type": ["boolean", "null"]},
            }
        )

    def check(self, value: Mapping[str, Any], material: Material) -> ReferenceVerdict | list[Fault]:
        """Return the verdict of a value that fits the schema, or its faults."""
        reading = ReferenceReading(self.rubric, material, value)
        return list(reading.faults()) or reading.verdict()
