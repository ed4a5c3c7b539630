"""The form a judge fills in: one description per rubric gives the reply's JSON Schema, its sentence in the prompt and its reader.

The schema is generated from the rubric with ids and grades written out, nothing extra allowed and everything required. The
same schema is shown in the prompt, sent as the response format and used to check the reply, so the three cannot disagree.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from evalkit.records.base import Json
from evalkit.records.identity import content_hash
from evalkit.records.rubrics import Criterion, Rubric

VALIDATOR_VERSION = "1"
"""Changes whenever a reply could be accepted or refused differently; part of judge_config_hash, not of the cache key."""

CLAIM_STATUSES = ("supported", "unsupported", "contradicted")


def grades_of(criterion: Criterion) -> tuple[str, ...]:
    """Return the grades that a criterion admits, in the order in which they are shown."""
    middle = ("partial",) if criterion.partial else ()
    return ("pass", *middle, "fail", "not_applicable")


def _object(properties: Mapping[str, Json]) -> dict[str, Json]:
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(properties),
        "additionalProperties": False,
    }


def _array(items: Json) -> dict[str, Json]:
    return {"type": "array", "items": items}


TEXT: Json = {"type": "string"}
SPAN = _object({"id": TEXT, "source": TEXT, "quote": TEXT})
CLAIM = _object(
    {
        "id": {"type": "integer"},
        "text": TEXT,
        "evidence": _array(SPAN),
        "cites": _array(TEXT),
        "status": {"type": "string", "enum": list(CLAIM_STATUSES)},
    }
)
FINDING = _object({"kind": {"type": "string", "enum": ["instruction_in_content"]}, "quote": TEXT})


def _criterion_schema(rubric: Rubric, criterion: Criterion) -> dict[str, Json]:
    claims = {"claims": _array({"type": "integer"})} if rubric.claims != "none" else {}
    grade = {"type": "string", "enum": list(grades_of(criterion))}
    return _object({**claims, "evidence": _array(TEXT), "rationale": TEXT, "grade": grade})


def reply_schema(rubric: Rubric) -> dict[str, Json]:
    """Return the JSON Schema of a pointwise reply: claims, evidence, findings, criteria, channels, overall_pass, in that order."""
    claims = {"claims": _array(CLAIM)} if rubric.claims != "none" else {}
    channels = {"channels": _object(dict.fromkeys(rubric.channels, TEXT))} if rubric.channels else {}
    criteria = _object({c.id: _criterion_schema(rubric, c) for c in rubric.criteria})
    return _object(
        {
            **claims,
            "evidence": _array(SPAN),
            "findings": _array(FINDING),
            "criteria": criteria,
            **channels,
            "overall_pass": {"type": ["boolean", "null"]},
        }
    )


@dataclass(frozen=True, eq=False)
class ReplyForm:
    """A rubric with everything that is derived from it once and used for every case."""

    rubric: Rubric

    @cached_property
    def schema(self) -> dict[str, Json]:
        """The reply's JSON Schema."""
        return reply_schema(self.rubric)

    @cached_property
    def schema_text(self) -> str:
        """The schema as it stands in the prompt."""
        return json.dumps(self.schema, ensure_ascii=True, separators=(",", ":"))

    @cached_property
    def schema_hash(self) -> str:
        """Tagged content hash of the schema."""
        return content_hash("reply-schema/1", self.schema)

    @cached_property
    def _validator(self) -> Any:
        # The Rust validator takes microseconds a verdict where the Python one takes half a millisecond (docs/decisions/).
        import jsonschema_rs

        return jsonschema_rs.validator_for(self.schema)

    def fits(self, value: Json) -> bool:
        """Tell whether a value has the form's shape."""
        return bool(self._validator.is_valid(value))

    def shape_errors(self, value: Json, limit: int = 5) -> list[str]:
        """Return what is wrong with a value's shape, with the place of each, the first `limit` of them."""
        errors = []
        for error in self._validator.iter_errors(value):
            place = "/".join(str(part) for part in error.instance_path) or "(root)"
            errors.append(f"{place}: {error.message[:200]}")
            if len(errors) == limit:
                break
        return errors
