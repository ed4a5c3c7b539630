"""The split form: a reference as atomic facts, each with the passage that states it, and the sentences that state nothing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from evalkit.records.base import Json
from evalkit.records.verdicts import ReferenceSplit
from evalkit.validation.forms import FINDING, TEXT, Fault, ReplyForm, listed, shape
from evalkit.validation.material import Material
from evalkit.validation.split import SplitReading

FACT = shape({"id": {"type": "integer"}, "quote": TEXT, "text": TEXT})


class SplitForm(ReplyForm):
    """One reference, split; the material's candidate is the reference."""

    landmark = "facts"

    def reply_schema(self) -> dict[str, Json]:
        """Return the schema: facts (the quote before the words that it is put in), silent, findings, in that order."""
        return shape({"facts": listed(FACT), "silent": listed(TEXT), "findings": listed(FINDING)})

    def check(self, value: Mapping[str, Any], material: Material) -> ReferenceSplit | list[Fault]:
        """Return the split that a value that fits the schema gives, or its faults."""
        reading = SplitReading(material, value)
        return list(reading.faults()) or reading.split()
