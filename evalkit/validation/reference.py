"""Every check of a reference verdict that code can make.

The table holds each fact once, in order, and no other; what is covered or contradicted is quoted from the answer; no passage
is counted twice as a contradiction; the criteria with a rule follow from the table in both directions.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from evalkit.records.rubrics import Criterion, Rubric
from evalkit.records.verdicts import Contradiction, CriterionVerdict, FactVerdict, ReferenceVerdict, Span
from evalkit.validation.forms import Fault
from evalkit.validation.material import CANDIDATE, Material
from evalkit.validation.pointwise import expected_overall
from evalkit.validation.quotes import Quotes


class ReferenceReading:
    """One reply while it is being checked."""

    def __init__(self, rubric: Rubric, material: Material, value: Mapping[str, Any]) -> None:
        self.rubric = rubric
        self.material = material
        self.value = value
        self.facts: list[dict[str, Any]] = value["facts"]
        self.contradictions: list[dict[str, Any]] = value["contradictions"]
        self.quotes = Quotes(material)
        self.grades = {name: entry["grade"] for name, entry in value["criteria"].items()}

    def faults(self) -> Iterator[Fault]:
        """Yield every fault, in the order of the checks."""
        rows = [*self.facts, *self.contradictions]
        yield from self.quotes.faults([span for row in rows for span in row["evidence"]] + self.value["evidence"])
        yield from self.quotes.finding_faults(self.value["findings"])
        yield from self._table()
        yield from self._references()
        yield from self._evidence_present()
        yield from self._counted_once()
        yield from self._consistent()

    def _table(self) -> Iterator[Fault]:
        listed, due = [fact["id"] for fact in self.facts], list(range(1, len(self.material.facts) + 1))
        if listed != due:
            yield (
                "dangling_reference",
                f"the facts table lists {listed[:40]}, but the facts are 1 to {len(due)}: each once, in order",
            )
        statuses = {fact["id"]: fact["status"] for fact in self.facts}
        for row in self.contradictions:
            if row["fact"] is None:
                continue
            if row["fact"] not in statuses:
                yield "dangling_reference", f"a contradiction names fact {row['fact']}, which is not in the table"
            elif statuses[row["fact"]] == "missing":
                yield "inconsistent", f"fact {row['fact']} is missing, but a contradiction of it is listed"

    def _references(self) -> Iterator[Fault]:
        known = {fact["id"] for fact in self.facts}
        for name, entry in self.value["criteria"].items():
            for fact in entry["facts"]:
                if fact not in known:
                    yield "dangling_reference", f"{name} refers to fact {fact}, which is not in the table"
            for evidence in entry["evidence"]:
                if evidence not in self.quotes.spans:
                    yield "dangling_reference", f"{name} refers to evidence {evidence[:40]!r}, which was not given"

    def _evidence_present(self) -> Iterator[Fault]:
        for fact in self.facts:
            if fact["status"] != "missing" and not _from_answer(fact):
                yield "no_evidence", f"fact {fact['id']} is {fact['status']} but nothing is quoted from the answer"
        for number, row in enumerate(self.contradictions, 1):
            if not _from_answer(row):
                yield "no_evidence", f"contradiction {number} quotes nothing from the answer"
        for criterion in self.rubric.criteria:
            if not criterion.claims_rule and self.grades[criterion.id] == "pass" and not self._rests(criterion):
                yield "no_evidence", f"{criterion.id} passes without evidence from the answer"

    def _rests(self, criterion: Criterion) -> bool:
        """Tell whether a criterion without a rule rests on a quote; one with a rule rests on the table."""
        entry = self.value["criteria"][criterion.id]
        of_facts = {span["id"] for fact in self.facts if fact["id"] in entry["facts"] for span in fact["evidence"]}
        sources = {self.quotes.spans[n].source for n in {*entry["evidence"], *of_facts} if n in self.quotes.spans}
        return CANDIDATE in sources if criterion.evidence_from == "candidate" else bool(sources)

    def _counted_once(self) -> Iterator[Fault]:
        """A passage that contradicts a fact in the table is no further contradiction, and none is listed twice."""
        counted = {place for fact in self.facts if fact["status"] == "contradicted" for place in self._places(fact)}
        for number, row in enumerate(self.contradictions, 1):
            places = self._places(row)
            if places and places <= counted:
                yield "inconsistent", f"contradiction {number} quotes only what is already counted as a contradiction"
            counted |= places

    def _places(self, row: Mapping[str, Any]) -> set[tuple[int, int]]:
        spans = [self.quotes.spans[span["id"]] for span in row["evidence"] if span["id"] in self.quotes.spans]
        return {(span.start, span.end) for span in spans if span.source == CANDIDATE}

    def _consistent(self) -> Iterator[Fault]:
        for criterion in self.rubric.criteria:
            due = self._grade_due(criterion)
            if due is not None and self.grades[criterion.id] != due:
                rule = str(criterion.claims_rule).replace("_", " ")
                yield (
                    "inconsistent",
                    f"{criterion.id} is {self.grades[criterion.id]}, but by its rule ({rule}) the facts table gives {due}",
                )
        overall = expected_overall(self.rubric, self.grades)
        if self.value["overall_pass"] is not overall:
            said, due = json.dumps(self.value["overall_pass"]), json.dumps(overall)
            yield "inconsistent", f"overall_pass is {said}, but the critical criteria that apply give {due}"

    def _grade_due(self, criterion: Criterion) -> str | None:
        return grade_due(criterion, [fact["status"] for fact in self.facts], len(self.contradictions))

    def verdict(self) -> ReferenceVerdict:
        """Return the reply as a record; only after `faults` yielded nothing."""
        entries = self.value["criteria"]
        passages = self.material.passages or (None,) * len(self.facts)
        return ReferenceVerdict(
            facts=tuple(
                FactVerdict(id=n, text=text.stored, evidence=self._spans(row), status=row["status"], passage=passage)
                for n, (row, text, passage) in enumerate(zip(self.facts, self.material.facts, passages, strict=True), 1)
            ),
            contradictions=tuple(
                Contradiction(
                    text=row["text"],
                    evidence=self._spans(row),
                    fact=None if row["fact"] is None else int(row["fact"]),  # 1.0 is an integer to JSON Schema
                )
                for row in self.contradictions
            ),
            evidence=self._spans(self.value),
            findings=self.quotes.findings(self.value["findings"]),
            criteria={
                c.id: CriterionVerdict(
                    claims=tuple(int(number) for number in entries[c.id]["facts"]),
                    evidence=tuple(entries[c.id]["evidence"]),
                    rationale=entries[c.id]["rationale"],
                    grade=self.grades[c.id],
                )
                for c in self.rubric.criteria
            },
            channels=dict(self.value.get("channels", {})),
            overall_pass=self.value["overall_pass"],
        )

    def _spans(self, row: Mapping[str, Any]) -> tuple[Span, ...]:
        return tuple(self.quotes.spans[span["id"]] for span in row["evidence"])


def grade_due(criterion: Criterion, statuses: Sequence[str], further: int) -> str | None:
    """Return the grade that a facts table gives a criterion by its rule, None where it has none.

    `statuses` are those of the facts, `further` is the number of contradictions beside the table.
    """
    if criterion.claims_rule == "all_covered":
        return "pass" if set(statuses) == {"covered"} else "fail"
    if criterion.claims_rule == "none_contradicted":
        return "fail" if further or "contradicted" in statuses else "pass"
    return None


def _from_answer(row: Mapping[str, Any]) -> bool:
    return any(span["source"] == CANDIDATE for span in row["evidence"])
