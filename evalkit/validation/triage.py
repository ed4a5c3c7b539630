"""Every check of a triage that code can make, and what follows from its table.

Quotes are the answer's own words, each place once; evidence exists where it is said to stand; an answer is given exactly where its
question applies; every sentence of the answer is accounted for (`triage_coverage`). Then classes, grades and the overall verdict are computed.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from evalkit.records.rubrics import Criterion, Rubric
from evalkit.records.statements import Handoff, Pointed, Quoted, Ruling, Statement, ruling_of
from evalkit.records.verdicts import CriterionVerdict, TriageVerdict
from evalkit.text.json_pointer import resolve_pointer
from evalkit.validation.forms import Fault
from evalkit.validation.material import CANDIDATE, Material
from evalkit.validation.pointwise import expected_overall
from evalkit.validation.quotes import Quotes, says_something
from evalkit.validation.triage_coverage import Coverage, Place

VALUE_CHARS = 300
"""Characters kept of what stands under a JSON Pointer."""
NAMED = 3
"""Statements that a grade's reason quotes."""

_FAULTY: Mapping[str, Ruling] = {
    "no_violation": "violation",
    "no_misattribution": "misattribution",
    "no_inaccuracy": "inaccurate_general",
}
"""Rule -> the class of statement that fails it."""


class TriageReading:
    """One reply while it is being checked."""

    def __init__(self, rubric: Rubric, material: Material, value: Mapping[str, Any]) -> None:
        self.rubric = rubric
        self.material = material
        self.statements: list[Mapping[str, Any]] = value["statements"]
        self.value = value
        self.quotes = Quotes(material)
        self.coverage = Coverage(material)
        self.places: list[Place | None] = []
        self.silent: list[Quoted] = []
        self.values: dict[str, str] = {}
        self.spans: dict[tuple[str, str], Quoted] = {}

    def faults(self) -> Iterator[Fault]:
        """Yield every fault, in the order of the checks."""
        yield from self._placed()
        for number, statement in enumerate(self.statements, 1):
            yield from self._evidence(number, statement)
            yield from _answers(number, statement)
        yield from self._handoff()
        yield from self.quotes.finding_faults(self.value["findings"])
        silent = [(one.start, one.end) for one in self.silent]
        yield from self.coverage.faults([place for place in self.places if place is not None], silent)

    def _placed(self) -> Iterator[Fault]:
        """Look for each quote; no two may share a character, so nothing is counted twice, and none runs past its sentence."""
        stated = [statement["quote"] for statement in self.statements]
        found = self.coverage.places([*stated, *self.value["silent"]])
        self.places = found[: len(stated)]
        for number, (quote, place) in enumerate(zip(stated, self.places, strict=True), 1):
            if place is not None:
                yield from self._one_sentence(f"statement {number}", quote, place)
                continue
            known = says_something(quote) and self.material.candidate.locate(quote) is not None
            problem = "overlaps another statement" if known else "does not stand in the answer, or says nothing"
            said = f"statement {number}: {quote[:120]!r} {problem}"
            yield ("inconsistent", said) if known else ("evidence_not_found", said)
        for quote, place in zip(self.value["silent"], found[len(stated) :], strict=True):
            if place is None:
                problem = "does not stand in the answer, or stands there already quoted"
                yield "evidence_not_found", f"silent: {quote[:120]!r} {problem}"
            else:
                self.silent.append(Quoted(source=CANDIDATE, quote=quote, start=place[0], end=place[1]))
                yield from self._one_sentence("silent", quote, place)

    def _one_sentence(self, where: str, quote: str, place: Place) -> Iterator[Fault]:
        end = self.coverage.beyond_a_sentence(place)
        if end is not None:
            said = f"{where}: {quote[:120]!r} runs past the end of a sentence, {end!r}"
            yield "inconsistent", f"{said}: quote each sentence on its own"

    def _evidence(self, number: int, statement: Mapping[str, Any]) -> Iterator[Fault]:
        for path in statement["paths"]:
            problem = self._resolve(path)
            if problem:
                yield "dangling_reference", f"statement {number}: {problem}"
        for span in statement["evidence"]:
            text = self.material.sources.get(span["source"])
            found = text.locate(span["quote"]) if text and says_something(span["quote"]) else None
            if found is None:
                problem = f"{span['quote'][:120]!r} does not stand in a source {span['source'][:80]!r}"
                yield "evidence_not_found", f"statement {number}: {problem}"
            else:
                self.spans[span["source"], span["quote"]] = Quoted(**span, start=found[0], end=found[1])
        rests = statement["paths"] or statement["evidence"]
        if not rests and (statement["scope"] == "restatement" or statement["supported"]):
            yield "no_evidence", f"statement {number} is {_called(statement)} but names no evidence"

    def _resolve(self, path: str) -> str:
        if self.material.evidence is None:
            return f"{path[:120]!r} is a path, but the case has no structured evidence"
        if not path:
            return "the empty path names all of the evidence, not a part of it"
        try:
            found = resolve_pointer(self.material.evidence, path)
        except (ValueError, LookupError) as error:
            return str(error.args[0])
        text = json.dumps(found, ensure_ascii=False)
        self.values[path] = text if len(text) <= VALUE_CHARS else f"{text[:VALUE_CHARS]} [...]"
        return ""

    def _handoff(self) -> Iterator[Fault]:
        handoff = self.value.get("handoff")
        if handoff and handoff["quote"] and self.material.candidate.locate(handoff["quote"]) is None:
            yield "evidence_not_found", f"handoff: {handoff['quote'][:120]!r} does not stand in the answer"

    def verdict(self) -> TriageVerdict:
        """Return the reply as a record; only after `faults` yielded nothing."""
        statements = tuple(self._statement(number, raw) for number, raw in enumerate(self.statements, 1))
        handoff = Handoff(**self.value["handoff"]) if "handoff" in self.value else None
        criteria = {c.id: _graded(c, statements, handoff) for c in self.rubric.criteria}
        return TriageVerdict(
            statements=statements,
            silent=tuple(self.silent),
            handoff=handoff,
            findings=self.quotes.findings(self.value["findings"]),
            criteria=criteria,
            channels=dict(self.value.get("channels", {})),
            overall_pass=expected_overall(self.rubric, {name: entry.grade for name, entry in criteria.items()}),
        )

    def _statement(self, number: int, raw: Mapping[str, Any]) -> Statement:
        start, end = self.places[number - 1] or (0, 0)
        answers = {
            name: raw[name] for name in ("quote", "scope", "why", "supported", "accurate", "owner_stated", "owner_true")
        }
        return Statement(
            id=number,
            start=start,
            end=end,
            paths=tuple(Pointed(path=path, value=self.values[path]) for path in raw["paths"]),
            evidence=tuple(self.spans[span["source"], span["quote"]] for span in raw["evidence"]),
            ruling=ruling_of(
                raw["scope"],
                raw["owner_stated"],
                raw["owner_true"],
                supported=raw["supported"],
                accurate=raw["accurate"],
            ),
            **answers,
        )


def _answers(number: int, statement: Mapping[str, Any]) -> Iterator[Fault]:
    """Hold the answers to the scope: each question is answered exactly where it applies."""
    for name, scope in (("supported", "item"), ("accurate", "general")):
        if (statement["scope"] == scope) != (statement[name] is not None):
            expected = "true or false" if statement["scope"] == scope else "null"
            yield "inconsistent", f"statement {number} has the scope {statement['scope']}: {name} must be {expected}"


def _called(statement: Mapping[str, Any]) -> str:
    return "a restatement" if statement["scope"] == "restatement" else "supported"


def _graded(criterion: Criterion, statements: tuple[Statement, ...], handoff: Handoff | None) -> CriterionVerdict:
    if criterion.claims_rule == "hands_off":
        return _handed_off(handoff)
    ruling = _FAULTY[str(criterion.claims_rule)]
    faulty = [one for one in statements if one.ruling == ruling]
    grade = "fail" if faulty else "pass" if statements else "not_applicable"
    shown = "; ".join(f"{one.id} {one.quote[:160]!r} ({one.why[:200]})" for one in faulty[:NAMED])
    more = f"; and {len(faulty) - NAMED} more" if len(faulty) > NAMED else ""
    said = f"{len(faulty)} of {len(statements)} statements: {shown}{more}" if faulty else f"none of {len(statements)}"
    return CriterionVerdict(claims=tuple(one.id for one in faulty), evidence=(), rationale=said, grade=grade)


def _handed_off(handoff: Handoff | None) -> CriterionVerdict:
    if handoff is None or not handoff.needed:
        return CriterionVerdict(
            claims=(), evidence=(), rationale="the evidence can answer all of it", grade="not_applicable"
        )
    if handoff.quote:
        return CriterionVerdict(
            claims=(), evidence=(), rationale=f"sends to a human: {handoff.quote[:300]!r}", grade="pass"
        )
    said = "the evidence cannot answer all of it, and nothing sends the reader to a human"
    return CriterionVerdict(claims=(), evidence=(), rationale=said, grade="fail")
