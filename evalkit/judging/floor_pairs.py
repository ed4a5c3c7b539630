"""The floor judge for pairs: the longer answer wins. A judge that agrees with it too often measures length."""

from __future__ import annotations

import json
from collections.abc import Iterator

from evalkit.judging.floor import quotable
from evalkit.judging.requests import JudgeRequest
from evalkit.records.verdicts import Reply, Winner
from evalkit.validation.material import ANSWER_A, ANSWER_B, Material


def longer(first: str, second: str) -> Winner:
    """Return which of two answers has more words, `tie` where they have as many."""
    one, other = len(first.split()), len(second.split())
    return "tie" if one == other else "A" if one > other else "B"


def floor_reply(request: JudgeRequest) -> Reply:
    """Return the floor's reply: the same verdict JSON that a model gives, for the same validation.

    A criterion that wants evidence from the sources gets a piece of one, which the rule does not read; without a source it is a tie.
    """
    material = request.material
    first, second = material.candidate.stored, material.other.stored if material.other else ""
    winner = longer(first, second)
    evidence = [] if winner == "tie" else list(_evidence(winner, first if winner == "A" else second, material))
    if not any(span["id"] == "e1" for span in evidence):
        winner, evidence = "tie", []
    rationale = f"By rule, no model: A has {len(first.split())} words, B has {len(second.split())}."
    criteria = {}
    for criterion in request.measurement.form.rubric.criteria:
        named = [span["id"] for span in evidence]
        rests = "e2" in named or criterion.evidence_from != "context"
        criteria[criterion.id] = {"evidence": named, "rationale": rationale, "winner": winner if rests else "tie"}
    overall = winner if any(entry["winner"] == winner for entry in criteria.values()) else "tie"
    value = {"evidence": evidence, "findings": [], "criteria": criteria, "overall": overall}
    return Reply(text=json.dumps(value, ensure_ascii=False), finish_reason="stop")


def _evidence(winner: Winner, answer: str, material: Material) -> Iterator[dict[str, str]]:
    quote = quotable(answer)
    if quote is not None:
        yield {"id": "e1", "source": ANSWER_A if winner == "A" else ANSWER_B, "quote": quote}
    pieces = ((name, quotable(text.stored)) for name, text in material.sources.items())
    found = next(((name, piece) for name, piece in pieces if piece is not None), None)
    if found is not None:
        yield {"id": "e2", "source": found[0], "quote": found[1]}
