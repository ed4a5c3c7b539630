"""The form a judge fills in: one description per rubric gives the reply's JSON Schema, its sentence in the prompt and its reader.

The schema is generated from the rubric with ids and grades written out, nothing extra allowed and everything required. The
same schema is shown in the prompt, sent as the response format and used to check the reply, so the three cannot disagree.
Each mode has a form of its own (`pointwise_form`, ...); what they share stands here: the shapes of quotes and findings, the
validator, and the way from a reply to a verdict or a Rejection.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

from evalkit.records.base import Json
from evalkit.records.identity import content_hash
from evalkit.records.rubrics import Rubric
from evalkit.records.verdicts import AnyVerdict, Rejection, RejectionKind, Reply
from evalkit.validation.material import Material
from evalkit.validation.reader import Graded, read_object

VALIDATOR_VERSION = "2"
"""Changes whenever a reply could be accepted or refused differently; part of judge_config_hash, not of the cache key."""

MESSAGES = 12
"""Faults told to the judge at its retry."""

Fault = tuple[RejectionKind, str]


def shape(properties: Mapping[str, Json]) -> dict[str, Json]:
    """Return the schema of an object with exactly these properties, all required, in this order."""
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(properties),
        "additionalProperties": False,
    }


def listed(items: Json) -> dict[str, Json]:
    """Return the schema of an array."""
    return {"type": "array", "items": items}


def one_of(values: Iterable[str]) -> dict[str, Json]:
    """Return the schema of a word from a list: the scale that prompt, schema and reader share."""
    return {"type": "string", "enum": list(values)}


TEXT: Json = {"type": "string"}
SPAN = shape({"id": TEXT, "source": TEXT, "quote": TEXT})
FINDING = shape({"kind": one_of(["instruction_in_content"]), "quote": TEXT})


@dataclass(frozen=True, eq=False)
class ReplyForm(ABC):
    """A rubric with everything that is derived from it once and used for every case."""

    rubric: Rubric
    landmark: ClassVar[str] = "criteria"
    """A key that every reply of the mode has: objects of graded texts that have it could be taken for a verdict."""

    @abstractmethod
    def reply_schema(self) -> dict[str, Json]:
        """Return the JSON Schema of a reply."""

    @abstractmethod
    def check(self, value: Mapping[str, Any], material: Material) -> AnyVerdict | list[Fault]:
        """Return the verdict of a value that fits the schema, or its faults in the order of the checks, at least one."""

    def read(self, reply: Reply, material: Material) -> AnyVerdict | Rejection:
        """Return the verdict of a reply, or the reason why it does not count. Never raises for anything a judge can say.

        The first fault names the Rejection's kind; its message lists the faults of every check, because the judge is told all
        of them at its one retry.
        """
        value = read_object(reply, self.fits, self.shape_errors, Graded(material.echoes, material.texts()))
        if isinstance(value, Rejection):
            return value
        checked = self.check(value, material)
        if not isinstance(checked, list):
            return checked
        return Rejection(kind=checked[0][0], message="; ".join(message for _, message in checked[:MESSAGES]))

    @cached_property
    def schema(self) -> dict[str, Json]:
        """The reply's JSON Schema."""
        return self.reply_schema()

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
