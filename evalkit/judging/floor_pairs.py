"""The floor judge for pairs: the longer answer wins. A judge that agrees with it too often measures length."""

from __future__ import annotations

import json

from evalkit.judging.floor import quotable
from evalkit.judging.requests import JudgeRequest
from evalkit.records.verdicts import Reply, Winner
from evalkit.validation.material import ANSWER_A, ANSWER_B


def longer(first: str, second: str) -> Winner:
    """Return which of two answers has more words, `tie` where they have as many."""
    one, other = len(first.split()), len(second.split())
    return "tie" if one == other else "A" if one > other else "B"


def floor_reply(request: JudgeRequest) -> Reply:
    """Return the floor's reply: the same verdict JSON that a model gives, for the same validation."""
    material = request.material
    first, second = material.candidate.stored, material.other.stored if material.other else ""
    winner = longer(first, second)
    quote = quotable(first if winner == "A" else second)
    if quote is None:
        winner = "tie"
    evidence = (
        [] if winner == "tie" else [{"id": "e1", "source": {"A": ANSWER_A, "B": ANSWER_B}[winner], "quote": quote}]
    )
    rationale = f"By rule, no model: A has {len(first.split())} words, B has {len(second.split())}."
    entry = {"evidence": [span["id"] for span in evidence], "rationale": rationale, "winner": winner}
    criteria = {criterion.id: entry for criterion in request.measurement.form.rubric.criteria}
    value = {"evidence": evidence, "findings": [], "criteria": criteria, "overall": winner}
    return Reply(text=json.dumps(value, ensure_ascii=False), finish_reason="stop")
