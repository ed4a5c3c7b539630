"""A small rubric, a small case and a verdict on it that passes every check: the material from which tests build faulty ones."""

from __future__ import annotations

import copy
import json
from typing import Any

from evalkit.records.rubrics import Criterion, Rubric
from evalkit.records.texts import ShownText
from evalkit.records.verdicts import Reply
from evalkit.validation.material import Material
from evalkit.validation.pointwise_form import PointwiseForm

REFUNDS = (
    "Starter and Team are refunded in full if you ask within 30 days of purchase. Approved money goes back to the card."
)
PLANS = "Enterprise includes SAML SSO. Team does not include SAML SSO."
ANSWER = "You have 30 days [billing/refunds]. SSO is part of Enterprise [plans/enterprise]."


def plain(text: str) -> ShownText:
    """Return a text that is shown as it is stored."""
    return ShownText(text, text)


def faithfulness() -> Rubric:
    """Return a rubric with the three claim criteria, all critical."""
    rules = {"F1": "all_supported", "F2": "none_contradicted", "F3": "citations_support"}
    criteria = tuple(
        Criterion(
            id=name,
            question="Is every claim supported?",
            pass_condition="Every claim of the answer is quoted.",
            claims_rule=rule,  # type: ignore[arg-type]
            evidence_from="context",
            floor="claims",
        )
        for name, rule in rules.items()
    )
    return Rubric(id="faithfulness", version="1", claims="plain", criteria=criteria)


def helpfulness(**changes: Any) -> Rubric:
    """Return a rubric without claims: one criterion with evidence from the answer, one not critical with a middle grade."""
    criteria = (
        Criterion(
            id="H1", question="Q?", pass_condition="A passage of the answer responds.", evidence_from="candidate"
        ),
        Criterion(id="H2", question="Q?", pass_condition="P", critical=False, partial="one part of two is answered"),
    )
    return Rubric(**{"id": "helpfulness", "version": "1", "criteria": criteria} | changes)


def material(
    answer: str = ANSWER, cited: tuple[str, ...] = ("billing/refunds", "plans/enterprise"), **changes: Any
) -> Material:
    """Return what the verdict may quote."""
    sources = {"billing/refunds": plain(REFUNDS), "plans/enterprise": plain(PLANS)}
    return Material(**{"candidate": plain(answer), "sources": sources, "cited": frozenset(cited)} | changes)


_VERDICT: dict[str, Any] = {
    "claims": [
        {
            "id": 1,
            "text": "Refunds are possible for 30 days.",
            "evidence": [{"id": "e1", "source": "billing/refunds", "quote": "within 30 days of purchase"}],
            "cites": ["billing/refunds"],
            "status": "supported",
        },
        {
            "id": 2,
            "text": "SSO is part of Enterprise.",
            "evidence": [{"id": "e2", "source": "plans/enterprise", "quote": "Enterprise includes SAML SSO"}],
            "cites": ["plans/enterprise"],
            "status": "supported",
        },
    ],
    "evidence": [{"id": "x1", "source": "candidate", "quote": "You have 30 days"}],
    "findings": [],
    "criteria": {
        "F1": {"claims": [1, 2], "evidence": ["e1"], "rationale": "Both are quoted.", "grade": "pass"},
        "F2": {"claims": [1, 2], "evidence": [], "rationale": "Nothing says otherwise.", "grade": "pass"},
        "F3": {"claims": [1, 2], "evidence": ["e1", "e2"], "rationale": "Each cited source says so.", "grade": "pass"},
    },
    "overall_pass": True,
}


def verdict() -> dict[str, Any]:
    """Return a fresh copy of a sound verdict of `faithfulness()` on `material()`."""
    return copy.deepcopy(_VERDICT)


def reply(value: Any, **changes: Any) -> Reply:
    """Return a complete reply: a value as JSON, or a text as it is."""
    text = value if isinstance(value, str) or value is None else json.dumps(value)
    return Reply(**{"text": text, "finish_reason": "stop"} | changes)


FORM = PointwiseForm(faithfulness())
"""The form of `faithfulness()`, built once."""
