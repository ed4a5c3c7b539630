"""The triage form: every sentence of the answer is either a statement with typed answers or states nothing.

The judge answers typed questions about each statement; classes, counts and grades follow from them in code, so a table that was
filled in honestly cannot be summed up dishonestly, and a cleared statement can move no count but its own.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, get_args

from evalkit.records.base import Json
from evalkit.records.rubrics import Rubric
from evalkit.records.statements import NOBODY, Scope
from evalkit.records.verdicts import TriageVerdict
from evalkit.validation.forms import FINDING, TEXT, Fault, ReplyForm, listed, one_of, shape
from evalkit.validation.material import Material
from evalkit.validation.triage import TriageReading

SCOPES: tuple[str, ...] = get_args(Scope)
"""The scale: schema, prompt and checks all read it here."""
QUOTED = shape({"source": TEXT, "quote": TEXT})
MAYBE: Json = {"type": ["boolean", "null"]}


def owners_of(rubric: Rubric) -> tuple[str, ...]:
    """Return whom a statement can credit: the rubric's owners, then nobody."""
    return (*rubric.owners, NOBODY)


def asks_handoff(rubric: Rubric) -> bool:
    """Tell whether a rubric asks for the hand-off to a human."""
    return any(criterion.claims_rule == "hands_off" for criterion in rubric.criteria)


class TriageForm(ReplyForm):
    """One answer, statement by statement, against its evidence."""

    landmark = "statements"

    def reply_schema(self) -> dict[str, Json]:
        """Return the schema: statements (quote, scope, evidence, reason, then the answers), silent, handoff, findings, channels."""
        owners = one_of(owners_of(self.rubric))
        statement = shape(
            {
                "quote": TEXT,
                "scope": one_of(SCOPES),
                "paths": listed(TEXT),
                "evidence": listed(QUOTED),
                "why": TEXT,
                "supported": MAYBE,
                "accurate": MAYBE,
                "owner_stated": owners,
                "owner_true": owners,
            }
        )
        handoff = {"handoff": shape({"needed": {"type": "boolean"}, "quote": TEXT})}
        channels = {"channels": shape(dict.fromkeys(self.rubric.channels, TEXT))}
        return shape(
            {
                "statements": listed(statement),
                "silent": listed(TEXT),
                **(handoff if asks_handoff(self.rubric) else {}),
                "findings": listed(FINDING),
                **(channels if self.rubric.channels else {}),
            }
        )

    def check(self, value: Mapping[str, Any], material: Material) -> TriageVerdict | list[Fault]:
        """Return the verdict of a value that fits the schema, or its faults."""
        reading = TriageReading(self.rubric, material, value)
        return list(reading.faults()) or reading.verdict()
