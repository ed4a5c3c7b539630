"""A reference rubric, an answer with its facts, and a verdict on it that passes every check."""

from __future__ import annotations

import copy
from typing import Any

from evalkit.records.rubrics import Criterion, Rubric
from evalkit.records.verdicts import Judgement, ReferenceVerdict
from evalkit.validation.material import Material
from evalkit.validation.reference_form import ReferenceForm
from fakes.verdicts import plain, reply

FACTS = ("Refunds are made within 30 days.", "The money goes back to the card.", "Only an owner can ask.")
REFERENCE_ANSWER = "Within 30 days, to the card. Only an owner can ask, in writing."
REFERRED = "You have 30 days. The money is sent by cheque. Ask by phone."
"""An answer that covers the first fact, contradicts the second, leaves the third out, and contradicts the reference answer."""


def coverage_rubric(**changes: Any) -> Rubric:
    """Return a rubric with both rules, and a criterion without one that is not critical."""
    criteria = (
        Criterion(id="R1", question="Covered?", pass_condition="All.", claims_rule="all_covered", floor="facts"),
        Criterion(id="R2", question="Clean?", pass_condition="None.", claims_rule="none_contradicted", floor="facts"),
        Criterion(id="R3", question="Said at once?", pass_condition="P", critical=False, evidence_from="candidate"),
    )
    return Rubric(**{"id": "reference", "version": "1", "mode": "reference", "criteria": criteria} | changes)


REFERENCE_FORM = ReferenceForm(coverage_rubric())


def reference_material(answer: str = REFERRED, facts: tuple[str, ...] = FACTS, **changes: Any) -> Material:
    """Return what a verdict on the answer may quote."""
    given = {
        "candidate": plain(answer),
        "sources": {"reference": plain(REFERENCE_ANSWER)},
        "question": plain("How do refunds work?"),
        "facts": tuple(map(plain, facts)),
    }
    return Material(**given | changes)


_VERDICT: dict[str, Any] = {
    "facts": [
        {
            "id": 1,
            "evidence": [{"id": "e1", "source": "candidate", "quote": "You have 30 days"}],
            "status": "covered",
        },
        {
            "id": 2,
            "evidence": [{"id": "e2", "source": "candidate", "quote": "The money is sent by cheque"}],
            "status": "contradicted",
        },
        {"id": 3, "evidence": [], "status": "missing"},
    ],
    "contradictions": [
        {
            "text": "One asks by phone.",
            "evidence": [{"id": "e3", "source": "candidate", "quote": "Ask by phone"}],
            "fact": None,
        }
    ],
    "evidence": [{"id": "x1", "source": "reference", "quote": "in writing"}],
    "findings": [],
    "criteria": {
        "R1": {"facts": [2, 3], "evidence": [], "rationale": "Two are not stated.", "grade": "fail"},
        "R2": {"facts": [2], "evidence": ["e3", "x1"], "rationale": "Cheque, phone.", "grade": "fail"},
        "R3": {"facts": [1], "evidence": ["e1"], "rationale": "It comes first.", "grade": "pass"},
    },
    "overall_pass": False,
}


def reference_verdict() -> dict[str, Any]:
    """Return a fresh copy of a sound verdict of `coverage_rubric()` on `reference_material()`."""
    return copy.deepcopy(_VERDICT)


def reference_judgement(case_id: str = "c1", sample: int = 0) -> Judgement:
    """Return the end of a request with the sound verdict."""
    verdict = REFERENCE_FORM.read(reply(reference_verdict()), reference_material())
    assert isinstance(verdict, ReferenceVerdict)
    return Judgement(
        case_id=case_id,
        capability="coverage",
        rubric="reference",
        mode="reference",
        sample=sample,
        request_key="k",
        output_sha256="o",
        judge_config_hash="j",
        verdict=verdict,
    )
