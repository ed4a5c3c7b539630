"""A pairwise rubric, two answers and a verdict on them that passes every check."""

from __future__ import annotations

import copy
from typing import Any

from evalkit.records.cases import Case, Document
from evalkit.records.outputs import Output
from evalkit.records.rubrics import Criterion, Rubric
from evalkit.validation.material import Material
from evalkit.validation.pairwise_form import PairwiseForm
from fakes.verdicts import PLANS, REFUNDS, plain

FIRST = "You have 30 days, and the money goes back to the card."
SECOND = "Within 30 days of purchase."


def preference(**changes: Any) -> Rubric:
    """Return a rubric for pairs: one criterion about the answers, one about the sources, one that is not critical."""
    criteria = (
        Criterion(id="P1", question="Which answer says more?", pass_condition="More parts.", evidence_from="candidate"),
        Criterion(id="P2", question="Which is supported?", pass_condition="A source says it.", evidence_from="context"),
        Criterion(id="P3", question="Which is clearer?", pass_condition="One reading.", critical=False),
    )
    return Rubric(**{"id": "preference", "version": "1", "mode": "pairwise", "criteria": criteria} | changes)


PAIR_FORM = PairwiseForm(preference())


def pair_material(first: str = FIRST, second: str = SECOND) -> Material:
    """Return what a verdict on the two answers may quote."""
    sources = {"billing/refunds": plain(REFUNDS), "plans/enterprise": plain(PLANS)}
    return Material(candidate=plain(first), other=plain(second), sources=sources, question=plain("How long?"))


PAIR_CASE = Case(id="c", input="How long?", context=(Document(id="billing/refunds", text=REFUNDS),))


def pair_outputs(first: str = FIRST, second: str = SECOND) -> tuple[Output, Output]:
    """Return the outputs of two candidates for `PAIR_CASE`."""
    return Output(case_id="c", text=first), Output(case_id="c", text=second)


_VERDICT: dict[str, Any] = {
    "evidence": [
        {"id": "e1", "source": "answer_A", "quote": "the money goes back to the card"},
        {"id": "e2", "source": "billing/refunds", "quote": "Approved money goes back to the card"},
    ],
    "findings": [],
    "criteria": {
        "P1": {"evidence": ["e1"], "rationale": "A names the card too, B does not.", "winner": "A"},
        "P2": {"evidence": ["e1", "e2"], "rationale": "Both are supported.", "winner": "tie"},
        "P3": {"evidence": [], "rationale": "Both are short.", "winner": "tie"},
    },
    "overall": "A",
}


def pair_verdict() -> dict[str, Any]:
    """Return a fresh copy of a sound verdict of `preference()` on `pair_material()`."""
    return copy.deepcopy(_VERDICT)
