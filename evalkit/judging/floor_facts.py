"""The floor judge for references: each fact is looked for in the answer by the matching of words that looks for claims in sources.

A fact is covered where every statement of it stands in the answer, contradicted where one is contradicted, else missing; what
the answer states against the reference answer is found by the same matching the other way round. What it cannot do: paraphrase,
arithmetic, another language than the reference's, so a fact in other words is "missing" to it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Any

from evalkit.errors import UsageError
from evalkit.judging.floor import QUOTE_LIMIT
from evalkit.judging.floor_claims import AnswerClaim, read_answer
from evalkit.judging.floor_match import Matcher, Span
from evalkit.judging.floor_rules import rule_fault
from evalkit.judging.floor_terms import read_terms
from evalkit.judging.requests import JudgeRequest
from evalkit.records.rubrics import Criterion
from evalkit.records.verdicts import Reply
from evalkit.validation.material import CANDIDATE, REFERENCE
from evalkit.validation.pointwise import expected_overall
from evalkit.validation.reference import grade_due

_SURROGATE = re.compile("[\ud800-\udfff]")
_STATUSES = {"supported": "covered", "contradicted": "contradicted", "unsupported": "missing"}


def floor_reply(request: JudgeRequest) -> Reply:
    """Return the floor's reply: the same verdict JSON that a model gives, for the same validation.

    Raises UsageError where the rubric gives it a rule that it does not have.
    """
    rubric = request.measurement.form.rubric
    for criterion in rubric.criteria:
        fault = rule_fault(rubric, criterion)
        if fault:
            raise UsageError(f"rubric {rubric.id}, criterion {criterion.id}: {fault}")
    table = _Table(request)
    channels = dict.fromkeys(rubric.channels, "the floor judge does not answer this")
    grades = {criterion.id: table.grade(criterion) for criterion in rubric.criteria}
    value = {
        "facts": table.facts,
        "contradictions": table.further,
        "evidence": [],
        "findings": [],
        "criteria": {criterion.id: table.entry(criterion) for criterion in rubric.criteria},
        **({"channels": channels} if channels else {}),
        "overall_pass": expected_overall(rubric, grades),
    }
    return Reply(text=json.dumps(value, ensure_ascii=False), finish_reason="stop")


class _Table:
    """The facts table of one answer, by rule."""

    def __init__(self, request: JudgeRequest) -> None:
        material = request.material
        self.answer = material.candidate.stored
        self.taken = 0
        self.why: dict[int, str] = {}
        matcher = Matcher({CANDIDATE: self.answer}, request.question)
        self.facts = [self._fact(number, text.stored, matcher) for number, text in enumerate(material.facts, 1)]
        reference = material.sources.get(REFERENCE)
        self.further = self._against(reference.stored, request.question) if reference else []

    def _fact(self, number: int, text: str, matcher: Matcher) -> dict[str, Any]:
        matches = [matcher.match(claim) for claim in _statements(text, matcher)]
        found = {match.status for match in matches}
        status = next(s for s in ("contradicted", "unsupported", "supported") if s in found)
        deciding = [match for match in matches if match.status == status]
        self.why[number] = deciding[0].why
        spans = dict.fromkeys(span for match in deciding for span in match.spans) if status != "unsupported" else {}
        return {"id": number, "evidence": self._quoted(spans), "status": _STATUSES[status]}

    def _quoted(self, spans: Iterable[Span]) -> list[dict[str, str]]:
        rows = []
        for span in spans:
            self.taken += 1
            rows.append({"id": f"e{self.taken}", "source": CANDIDATE, "quote": span.quote})
        return rows

    def _against(self, reference: str, question: str) -> list[dict[str, Any]]:
        """Return the statements of the answer that the reference answer contradicts and that contradict no fact."""
        matcher = Matcher({REFERENCE: reference}, question)
        counted = {
            span["quote"] for fact in self.facts if fact["status"] == "contradicted" for span in fact["evidence"]
        }
        rows: list[dict[str, Any]] = []
        for claim in _statements(self.answer, matcher):
            quote = claim.text.strip()
            known = any(quote in one or one in quote for one in counted)
            if (
                known
                or _SURROGATE.search(quote)
                or quote not in self.answer
                or matcher.match(claim).status != "contradicted"
            ):
                continue
            counted.add(quote)
            text = quote[:QUOTE_LIMIT]
            rows.append({"text": text, "evidence": self._quoted([Span(CANDIDATE, quote)]), "fact": None})
        return rows

    def grade(self, criterion: Criterion) -> str:
        """Return the grade that the table gives a criterion; the floor is asked only about those with a rule."""
        return str(grade_due(criterion, [fact["status"] for fact in self.facts], len(self.further)))

    def entry(self, criterion: Criterion) -> dict[str, Any]:
        """Return a criterion's part of the verdict."""
        faulty = {"contradicted"} if criterion.claims_rule == "none_contradicted" else {"contradicted", "missing"}
        failing = [fact["id"] for fact in self.facts if fact["status"] in faulty]
        grade = self.grade(criterion)
        against = [span["id"] for row in self.further for span in row["evidence"]] if grade == "fail" else []
        return {
            "facts": failing or [fact["id"] for fact in self.facts],
            "evidence": against,
            "rationale": f"By rule, no model: {self._why(failing, grade)}.",
            "grade": grade,
        }

    def _why(self, failing: list[int], grade: str) -> str:
        if grade == "pass":
            return f"none of {len(self.facts)} facts fails this"
        if not failing:
            return f"the reference answer contradicts {len(self.further)} statements of the answer"
        why = self.why[failing[0]]
        return f"fact {failing[0]} is {self.facts[failing[0] - 1]['status']}{': ' + why if why else ''}"


def _statements(text: str, matcher: Matcher) -> tuple[AnswerClaim, ...]:
    """Return the statements of a text; one that makes none by the rules for answers is one statement as it stands."""
    read = read_answer(text, frozenset(), [], matcher.spoken, tagged=False)
    return read.claims or (AnswerClaim(text, read_terms(text), (), None),)
