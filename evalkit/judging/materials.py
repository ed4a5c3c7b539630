"""What a judge is shown of a case: each text as stored and as shown, and what stands in it that a reply must not pass off as its own."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace

from evalkit.judging.modes import Mode
from evalkit.judging.shown import show
from evalkit.records.base import Json
from evalkit.records.cases import Case
from evalkit.records.identity import canonical_json
from evalkit.records.outputs import Output
from evalkit.records.verdicts import ReferenceFact
from evalkit.text.citations import parse_citations
from evalkit.validation.forms import ReplyForm
from evalkit.validation.material import Material
from evalkit.validation.reader import objects_in

EVIDENCE = "evidence"
"""Source id under which a case's structured evidence is shown, as indented JSON."""


def material_for(
    mode: Mode,
    form: ReplyForm,
    case: Case,
    output: Output,
    other: Output | None = None,
    *,
    facts: Sequence[ReferenceFact] = (),
) -> Material:
    """Return what is shown of a case and its output, or of two outputs in their order.

    `facts` are those of the case's reference where it was split; they stand for the reference as one fact.
    """
    sources = {document.id: show(document.text) for document in case.context}
    if case.evidence is not None:
        sources[EVIDENCE] = show(json.dumps(case.evidence, ensure_ascii=False, indent=1))
    cited = parse_citations(output.text or "", output.citations, [document.id for document in case.context])
    material = Material(
        candidate=show(output.text or ""),
        question=show(question_text(case)),
        sources=sources,
        cited=frozenset(cited.resolved + cited.unresolved),
        other=show(other.text or "") if other else None,
    )
    if mode.enrich:
        material = mode.enrich(case, material)
    if facts:
        shown = tuple(show(fact.text) for fact in facts)
        material = replace(material, facts=shown, passages=tuple(fact.quote for fact in facts))
    return replace(material, echoes=_planted(material, form.landmark))


def split_material(form: ReplyForm, reference: str) -> Material:
    """Return what is shown of a reference that is to be split: itself."""
    material = Material(candidate=show(reference), sources={})
    return replace(material, echoes=_planted(material, form.landmark))


def question_text(case: Case) -> str:
    """Return what was asked as text: the text itself, a transcript of chat messages, or indented JSON."""
    if isinstance(case.input, str):
        return case.input
    if isinstance(case.input, tuple):
        return "\n\n".join(f"{message.role}: {message.content}" for message in case.input)
    return json.dumps(case.input, ensure_ascii=False, indent=1)


def _planted(material: Material, landmark: str) -> frozenset[bytes]:
    """Return the objects that stand in the graded texts and could be taken for a verdict: those with the form's landmark."""
    found: set[bytes] = set()
    for _, text in material.named():
        if f'"{landmark}"' not in text.stored:
            continue
        for variant in {text.stored, text.shown}:
            try:
                found |= {canonical_json(value) for value in objects_in(variant) if landmark in value}
            except ValueError:
                continue
    return frozenset(found)


def alterations_of(material: Material) -> tuple[dict[str, Json], ...]:
    """Return what is shown differently from what is stored, text by text, as verdicts and failures record it."""
    return tuple(
        {"source": name, "kind": a.kind, "offset": a.offset, "original": a.original, "shown": a.shown}
        for name, text in material.named()
        for a in text.alterations
    )
