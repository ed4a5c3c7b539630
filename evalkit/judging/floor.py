"""The floor judge: rules that explain themselves, no model. The embedded default, and the bar that a paid judge must clear.

It answers only criteria whose rubric gives it a rule (`floor: claims`), and abstains from the others. Its rule: split the
answer into sentence claims (`floor_claims`), find the source sentences each rests on (`floor_match`), grade by the rubric's
claims rules. It replies in the same verdict JSON as a model and goes through the same validation. What it cannot do:
paraphrase, arithmetic, inference, another language than the sources'. Its figures: docs/decisions/floor-judge.md.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

from evalkit.errors import UsageError
from evalkit.judging.floor_claims import AnswerClaim, ReadAnswer, read_answer
from evalkit.judging.floor_match import Match, Matcher
from evalkit.judging.floor_rules import rule_fault
from evalkit.judging.requests import JudgeRequest
from evalkit.records.judges import FLOOR_NAME
from evalkit.records.rubrics import Criterion
from evalkit.records.verdicts import Reply
from evalkit.validation.material import CANDIDATE
from evalkit.validation.pointwise import expected_overall

NAME = FLOOR_NAME

MAX_FINDINGS = 10
QUOTE_LIMIT = 300
"""Characters of the answer that are repeated in a claim or a finding."""

_SURROGATE = re.compile("[\ud800-\udfff]")
_QUOTABLE = re.compile(r"[^\W_\ud800-\udfff]{2,80}|[^\W\x00-\x7f\ud800-\udfff]|\w[^\ud800-\udfff]{0,78}?\w")
"""A piece of the answer that says something: a single letter or digit stands in every text and is no evidence."""


def floor_reply(request: JudgeRequest) -> Reply:
    """Return the floor's reply: the same verdict JSON that a model gives, for the same validation.

    Raises UsageError where the rubric gives it a rule that it does not have.
    """
    form = request.measurement.form
    for criterion in form.rubric.criteria:
        fault = rule_fault(form.rubric, criterion)
        if fault:
            raise UsageError(f"rubric {form.rubric.id}, criterion {criterion.id}: {fault}")
    table = _Table(request) if form.rubric.criteria and form.rubric.claims != "none" else None
    criteria = {c.id: table.entry(c) for c in form.rubric.criteria} if table else {}
    value = {
        **({"claims": table.claims if table else []} if form.rubric.claims != "none" else {}),
        "evidence": table.extra if table else [],
        "findings": table.findings if table else [],
        "criteria": criteria,
        **(
            {"channels": dict.fromkeys(form.rubric.channels, "the floor judge does not answer this")}
            if form.rubric.channels
            else {}
        ),
        "overall_pass": expected_overall(form.rubric, {name: entry["grade"] for name, entry in criteria.items()}),
    }
    return Reply(text=json.dumps(value, ensure_ascii=False), finish_reason="stop")


def quotable(answer: str) -> str | None:
    """Return a piece of an answer that can stand as evidence, or None where there is none."""
    found = _QUOTABLE.search(answer)
    return found.group() if found else None


class _Table:
    """The claims table of one answer, and the grades that follow from it."""

    def __init__(self, request: JudgeRequest) -> None:
        material = request.material
        self.candidate = material.candidate.stored
        self.cited = frozenset(label for label in material.cited if not _SURROGATE.search(label))
        matcher = Matcher({name: text.stored for name, text in material.sources.items()}, request.question)
        tagged = any(alteration.kind == "directive_line" for alteration in material.candidate.alterations)
        answer = read_answer(self.candidate, self.cited, list(material.sources), matcher.spoken, tagged=tagged)
        self.quotable = quotable(self.candidate)
        if self.quotable is None and any(
            c.evidence_from == "candidate" for c in request.measurement.form.rubric.criteria
        ):
            # The rubric wants the answer quoted, and "9" cannot be.
            answer = ReadAnswer((), answer.directives, complete=True)
        self.matches = [matcher.match(claim) for claim in answer.claims]
        self.claims = self._rows(answer)
        self._carry_leftovers()
        self.findings = _findings(answer.directives)
        self.extra: list[dict[str, str]] = []

    def _rows(self, answer: ReadAnswer) -> list[dict[str, Any]]:
        rows: list[dict[str, Any]] = []
        taken = 0
        for number, (claim, match) in enumerate(zip(answer.claims, self.matches, strict=True), 1):
            rows.append(_row(number, claim, match, taken))
            taken += len(match.spans)
        if not answer.complete:
            text = f"(the answer goes on after {len(rows)} claims; the floor judge does not read the rest)"
            rows.append({"id": len(rows) + 1, "text": text, "evidence": [], "cites": [], "status": "unsupported"})
            self.matches.append(Match("unsupported", (), "not read"))
        return rows

    def _carry_leftovers(self) -> None:
        """Give each citation that stands in no claim to the claims that quote its source, or to the last claim."""
        if not self.claims:
            return
        carried = {label for row in self.claims for label in row["cites"]}
        for label in sorted(self.cited - carried):
            quoting = [row for row in self.claims if any(span["source"] == label for span in row["evidence"])]
            for row in quoting or self.claims[-1:]:
                row["cites"].append(label)

    def entry(self, criterion: Criterion) -> dict[str, Any]:
        """Return a criterion's part of the verdict."""
        grade, deciding = self._grade(criterion)
        evidence: list[str] = []
        if grade == "pass" and criterion.evidence_from == "candidate" and self.quotable:
            self.extra = [{"id": "x1", "source": CANDIDATE, "quote": self.quotable}]
            evidence.append("x1")
        return {
            "claims": [row["id"] for row in deciding],
            "evidence": evidence,
            "rationale": self._rationale(criterion, grade, deciding),
            "grade": grade,
        }

    def _grade(self, criterion: Criterion) -> tuple[str, list[dict[str, Any]]]:
        if not self.claims:
            return "not_applicable", []
        if criterion.claims_rule == "citations_support":
            return self._citations()
        faulty = ("contradicted",) if criterion.claims_rule == "none_contradicted" else ("contradicted", "unsupported")
        failing = [row for row in self.claims if row["status"] in faulty]
        return ("fail", failing) if failing else ("pass", self.claims)

    def _citations(self) -> tuple[str, list[dict[str, Any]]]:
        if not self.cited:
            return "not_applicable", []
        citing = [row for row in self.claims if row["cites"]]
        supporting: set[str] = set()
        failing = []
        for row in citing:
            quoted = {span["source"] for span in row["evidence"]} & set(row["cites"])
            if row["status"] == "supported" and quoted:
                supporting |= quoted
            else:
                failing.append(row)
        failing += [row for row in citing if row not in failing and set(row["cites"]) - supporting]
        return ("fail", failing) if failing else ("pass", citing)

    def _rationale(self, criterion: Criterion, grade: str, deciding: Sequence[dict[str, Any]]) -> str:
        if grade == "not_applicable":
            return "The answer cites nothing." if self.claims else "The floor judge finds no claim in the answer."
        if grade == "pass":
            return f"By rule, no model: {len(deciding)} of {len(self.claims)} claims decide this and none fails it."
        row = deciding[0]
        why = self.matches[row["id"] - 1].why
        if not why or (criterion.claims_rule == "citations_support" and row["status"] == "supported"):
            why = f"its quote does not stand in every source it cites ({', '.join(row['cites'])[:120]})"
        return f"By rule, no model: claim {row['id']} is {row['status']}: {why}."


def _row(number: int, claim: AnswerClaim, match: Match, taken: int) -> dict[str, Any]:
    evidence = [
        {"id": f"e{taken + at}", "source": span.source, "quote": span.quote} for at, span in enumerate(match.spans, 1)
    ]
    text = _SURROGATE.sub("\ufffd", claim.text[:QUOTE_LIMIT])
    return {"id": number, "text": text, "evidence": evidence, "cites": list(claim.cites), "status": match.status}


def _findings(directives: Sequence[str]) -> list[dict[str, str]]:
    quotes = (text[:QUOTE_LIMIT] for text in directives)
    usable = [quote for quote in dict.fromkeys(quotes) if not _SURROGATE.search(quote)]
    return [{"kind": "instruction_in_content", "quote": quote} for quote in usable[:MAX_FINDINGS]]
