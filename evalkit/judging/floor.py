"""The floor judge: rules that explain themselves, no model (thin: overlap of words; widened with numbers, names, negation)."""

from __future__ import annotations

import json
import re
from typing import Any

from evalkit.judging.requests import JudgeRequest
from evalkit.records.verdicts import Reply
from evalkit.text.sentences import sentences

NAME = "floor, not a model"
_WORD = re.compile(r"\w+")


def floor_reply(request: JudgeRequest) -> Reply:
    """Return the floor's reply: the same verdict JSON that a model gives, for the same validation."""
    claims = [
        _claim(number, text, request) for number, text in enumerate(sentences(request.material.candidate.stored), 1)
    ]
    supported = all(claim["status"] == "supported" for claim in claims)
    entry = {
        "claims": [claim["id"] for claim in claims],
        "evidence": [],
        "rationale": "word overlap",
        "grade": ("pass" if supported else "fail") if claims else "not_applicable",
    }
    criteria = {c.id: entry for c in request.measurement.form.rubric.criteria}
    overall = supported if claims else None
    value = {"claims": claims, "evidence": [], "findings": [], "criteria": criteria, "overall_pass": overall}
    return Reply(text=json.dumps(value), finish_reason="stop")


def _claim(number: int, text: str, request: JudgeRequest) -> dict[str, Any]:
    words = set(_WORD.findall(text.casefold()))
    best: tuple[float, str, str] = (0.0, "", "")
    for source, shown in request.material.sources.items():
        for span in sentences(shown.stored):
            share = len(words & set(_WORD.findall(span.casefold()))) / max(1, len(words))
            best = max(best, (share, source, span))
    share, source, span = best
    evidence = [{"id": f"e{number}", "source": source, "quote": span}] if share >= 0.6 else []
    status = "supported" if evidence else "unsupported"
    return {"id": number, "text": text, "evidence": evidence, "cites": [], "status": status}
