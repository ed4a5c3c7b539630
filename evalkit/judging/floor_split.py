"""The floor judge's split of a reference: each sentence is a fact. It knows neither clauses nor sentences that state nothing."""

from __future__ import annotations

import json

from evalkit.judging.requests import JudgeRequest
from evalkit.records.verdicts import Reply
from evalkit.text.sentences import sentences
from evalkit.validation.quotes import says_something
from evalkit.validation.split import MOST_FACTS


def floor_reply(request: JudgeRequest) -> Reply:
    """Return the floor's split: the same JSON that a model gives, for the same validation.

    A reference of more than `MOST_FACTS` sentences is one fact as a whole, as is one whose sentences say nothing by themselves.
    """
    reference = request.material.candidate.stored
    said: dict[str, str] = {}
    for text in filter(says_something, sentences(reference)):
        said.setdefault(" ".join(text.casefold().split()), text)
    found = list(said.values()) if 1 <= len(said) <= MOST_FACTS else [reference]
    facts = [{"id": number, "quote": text, "text": text} for number, text in enumerate(found, 1)]
    value = {"facts": facts, "silent": [], "findings": []}
    return Reply(text=json.dumps(value, ensure_ascii=False), finish_reason="stop")
