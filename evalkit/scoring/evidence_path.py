"""Evidence paths: each item of an output (a follow-up question, a finding) must name evidence that the case really has.

A path is a JSON Pointer (RFC 6901) into the case's evidence. Whether the item's words fit what stands there is a judge's
question; that something stands there is decided here.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from evalkit.records.base import Json, Record
from evalkit.records.cases import Case
from evalkit.records.outputs import Item, Output
from evalkit.records.scores import CriterionSpec, Result, Score, Signature, Unscored
from evalkit.scoring.excerpt import clipped
from evalkit.scoring.settings import Resources, read_settings
from evalkit.text.json_pointer import resolve_pointer


class EvidencePathSettings(Record):
    """Settings of `evidence_path`."""

    without_items: Literal["not_applicable", "fail"] = "not_applicable"
    """What an output with no items gets."""
    whole_document: bool = False
    """Whether the empty pointer, which names all of the evidence, is accepted."""


class EvidencePath:
    """Every item names a JSON Pointer that exists in `case.evidence`."""

    criteria = (CriterionSpec(id="evidence_path"),)

    def __init__(self, settings: Mapping[str, Json], resources: Resources) -> None:
        self._settings = read_settings(EvidencePathSettings, "evidence_path", settings, resources)
        self.signature = Signature(scorer="evidence_path", version="1", settings=self._settings.model_dump(mode="json"))

    def score(self, case: Case, output: Output) -> tuple[Result, ...]:
        """Return one Score; `no_expectation` where the case has no evidence and no item claims any."""
        if case.evidence is None and not any(item.evidence_path for item in output.items or ()):
            return (Unscored("no_expectation", "the case has no evidence"),)
        if not output.items:
            if self._settings.without_items == "fail":
                return (Score(0.0, passed=False, reason="the output has no items"),)
            return (Unscored("not_applicable", "the output has no items"),)
        faults = [
            {"item": number, "text": clipped(item.text), "evidence_path": item.evidence_path, "problem": problem}
            for number, item in enumerate(output.items, 1)
            if (problem := self._problem(case.evidence, item))
        ]
        if not faults:
            return (Score(1.0, passed=True),)
        shown = "; ".join(f"item {fault['item']}: {fault['problem']}" for fault in faults[:3])
        reason = f"{len(faults)} of {len(output.items)} items: {shown}"
        return (Score(0.0, passed=False, reason=reason, metadata={"faults": faults}),)

    def _problem(self, evidence: Mapping[str, Json] | None, item: Item) -> str:
        if evidence is None:
            return f"no such evidence: {clipped(item.evidence_path)!r}, the case has none" if item.evidence_path else ""
        if item.evidence_path is None:
            return "names no evidence"
        if not item.evidence_path and not self._settings.whole_document:
            return "names all of the evidence, not a part of it"
        try:
            resolve_pointer(evidence, item.evidence_path)
        except (ValueError, LookupError) as error:
            return str(error.args[0])
        return ""
