"""Every check of a pointwise verdict that code can make. A verdict that passes is not right; a class of wrongness is gone.

Order: the reply is complete, is JSON, has the form's shape, quotes real spans, resolves its references, gives evidence where
a grade needs it, and is consistent with itself. The first kind that fails names the Rejection; its message lists every fault
of every check, because the judge is told all of them at its one retry.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from evalkit.records.rubrics import Criterion, Rubric
from evalkit.records.verdicts import Claim, CriterionVerdict, Verdict
from evalkit.validation.forms import Fault
from evalkit.validation.material import CANDIDATE, Material
from evalkit.validation.quotes import Quotes


def expected_overall(rubric: Rubric, grades: Mapping[str, str]) -> bool | None:
    """Return the AND of the critical criteria that apply, None where none does. A partial is not a pass."""
    applicable = [grades[c.id] == "pass" for c in rubric.criteria if c.critical and grades[c.id] != "not_applicable"]
    return all(applicable) if applicable else None


class PointwiseReading:
    """One reply while it is being checked."""

    def __init__(self, rubric: Rubric, material: Material, value: Mapping[str, Any]) -> None:
        self.rubric = rubric
        self.material = material
        self.value = value
        self.claims: list[dict[str, Any]] = value.get("claims", [])
        self.quotes = Quotes(material)
        self.spans = self.quotes.spans
        self.grades = {name: entry["grade"] for name, entry in value["criteria"].items()}

    def faults(self) -> Iterator[Fault]:
        """Yield every fault, in the order of the checks."""
        yield from self._spans()
        yield from self._references()
        yield from self._evidence_present()
        yield from self._consistent()

    def _spans(self) -> Iterator[Fault]:
        everything = [span for claim in self.claims for span in claim["evidence"]] + self.value["evidence"]
        yield from self.quotes.faults(everything)
        yield from self.quotes.finding_faults(self.value["findings"])

    def _references(self) -> Iterator[Fault]:
        ids = [claim["id"] for claim in self.claims]
        if len(set(ids)) != len(ids):
            yield "dangling_reference", f"claim ids are not unique: {ids[:20]}"
        known = set(ids)
        for name, entry in self.value["criteria"].items():
            for claim in entry.get("claims", []):
                if claim not in known:
                    yield "dangling_reference", f"{name} refers to claim {claim}, which is not in the table"
            for evidence in entry["evidence"]:
                if evidence not in self.spans:
                    yield "dangling_reference", f"{name} refers to evidence {evidence[:40]!r}, which was not given"
        for claim in self.claims:
            for cited in claim["cites"]:
                if cited not in self.material.cited:
                    yield (
                        "dangling_reference",
                        f"claim {claim['id']} cites {cited[:80]!r}, which the answer does not cite",
                    )

    def _evidence_present(self) -> Iterator[Fault]:
        for claim in self.claims:
            from_sources = [span for span in claim["evidence"] if span["source"] != CANDIDATE]
            if claim["status"] != "unsupported" and not from_sources:
                yield "no_evidence", f"claim {claim['id']} is {claim['status']} but quotes no source"
        for criterion in self.rubric.criteria:
            if self.grades[criterion.id] == "pass" and not self._has_evidence(criterion):
                yield "no_evidence", f"{criterion.id} passes without evidence from the {_place(criterion)}"

    def _has_evidence(self, criterion: Criterion) -> bool:
        entry = self.value["criteria"][criterion.id]
        if criterion.claims_rule == "none_contradicted":
            # That nothing contradicts has no span of its own: the claims table is the evidence.
            return bool(self.claims)
        named = set(entry["evidence"])
        covered = set(entry.get("claims", ()))
        named |= {span["id"] for claim in self.claims if claim["id"] in covered for span in claim["evidence"]}
        sources = {self.spans[name].source for name in named if name in self.spans}
        if criterion.evidence_from == "candidate":
            return CANDIDATE in sources
        if criterion.evidence_from == "context":
            return bool(sources - {CANDIDATE})
        return bool(sources)

    def _consistent(self) -> Iterator[Fault]:
        for criterion in self.rubric.criteria:
            yield from self._rule_holds(criterion)
        overall = expected_overall(self.rubric, self.grades)
        if self.value["overall_pass"] is not overall:
            said, due = json.dumps(self.value["overall_pass"]), json.dumps(overall)
            yield "inconsistent", f"overall_pass is {said}, but the critical criteria that apply give {due}"

    def _rule_holds(self, criterion: Criterion) -> Iterator[Fault]:
        if criterion.claims_rule is None:
            return
        due = self._grade_due(criterion)
        if self.grades[criterion.id] != due:
            rule = criterion.claims_rule.replace("_", " ")
            yield (
                "inconsistent",
                f"{criterion.id} is {self.grades[criterion.id]}, but by its rule ({rule}) the claims table gives {due}",
            )
        if criterion.claims_rule == "citations_support" and self.claims:
            carried = {cited for claim in self.claims for cited in claim["cites"]}
            for label in sorted(self.material.cited - carried):
                yield "inconsistent", f"the answer cites {label[:80]!r}, but no claim carries that citation"

    def _grade_due(self, criterion: Criterion) -> str:
        if not self.claims:
            return "not_applicable"
        statuses = {claim["status"] for claim in self.claims}
        if criterion.claims_rule == "all_supported":
            return "pass" if statuses == {"supported"} else "fail"
        if criterion.claims_rule == "none_contradicted":
            return "fail" if "contradicted" in statuses else "pass"
        if not self.material.cited:
            return "not_applicable"
        return "pass" if self._citations_support() else "fail"

    def _citations_support(self) -> bool:
        """Every cited claim is quoted from a document it cites, and every citation supports some claim."""
        supporting: set[str] = set()
        for claim in self.claims:
            if not claim["cites"]:
                continue
            quoted = {span["source"] for span in claim["evidence"]} & set(claim["cites"])
            if claim["status"] != "supported" or not quoted:
                return False
            supporting |= quoted
        return self.material.cited <= supporting

    def verdict(self) -> Verdict:
        """Return the reply as a record; only after `faults` yielded nothing."""
        claims = tuple(
            Claim(
                id=int(c["id"]),  # 1.0 is an integer to JSON Schema
                text=c["text"],
                evidence=tuple(self.spans[span["id"]] for span in c["evidence"]),
                cites=tuple(c["cites"]),
                status=c["status"],
            )
            for c in self.claims
        )
        criteria = {
            c.id: CriterionVerdict(
                claims=tuple(int(claim) for claim in self.value["criteria"][c.id].get("claims", ())),
                evidence=tuple(self.value["criteria"][c.id]["evidence"]),
                rationale=self.value["criteria"][c.id]["rationale"],
                grade=self.grades[c.id],
            )
            for c in self.rubric.criteria
        }
        return Verdict(
            claims=claims,
            evidence=tuple(self.spans[span["id"]] for span in self.value["evidence"]),
            findings=self.quotes.findings(self.value["findings"]),
            criteria=criteria,
            channels=dict(self.value.get("channels", {})),
            overall_pass=self.value["overall_pass"],
        )


def _place(criterion: Criterion) -> str:
    return (
        "context or the answer"
        if criterion.evidence_from == "either"
        else {
            "context": "context",
            "candidate": "answer",
        }[criterion.evidence_from]
    )
