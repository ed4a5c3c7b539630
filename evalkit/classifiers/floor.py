"""The floor classifier: shared words, no model. What a paid classifier must beat, and what runs where none is configured.

A question that names two fields of the state (`query`, `chunk`) asks how many content words of the shorter one stand in the other.
Any other is answered by the words that the state shares with each described option or level, squared so that one clear
hit outweighs scattered ones; a noul with one described side, or none, by how many of those words stand in the state. Without a shared
word the answer is uniform, which every gate takes for uncertain. It knows no
meaning, no negation and no paraphrase, and its probabilities are no frequencies: `calibrated: false`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping

from evalkit.classifiers.lint import fields_named
from evalkit.classifiers.seam import AnyState, asked, state_value
from evalkit.records.base import Json
from evalkit.records.decisions import Answer, Decision, NoulAnswer, choice_answer, score_answer
from evalkit.records.questions import ChoiceQuestion, NoulQuestion, Question

RULES = "floor-classifier/1"
"""Version of the rules; part of the identity."""

LOWEST, HIGHEST = 0.1, 0.9
"""What no and full overlap of two fields give."""

SMOOTHING = 0.25
"""Added to each option's squared hits, so that one shared word among several options is not taken for certain."""

_WORD = re.compile(r"[^\W_]+")
_FUNCTION_WORDS = frozenset({
    "a", "an", "and", "any", "are", "as", "at", "be", "been", "but", "by", "can", "could", "did", "do", "does", "for",
    "from", "had", "has", "have", "how", "i", "if", "in", "into", "is", "it", "its", "may", "me", "my", "no", "not",
    "of", "on", "or", "our", "should", "so", "some", "such", "than", "that", "the", "their", "them", "then", "there",
    "these", "they", "this", "to", "was", "we", "were", "what", "when", "where", "which", "who", "will", "with",
    "would", "you", "your",
})  # fmt: skip
_ENDINGS = ("ations", "ation", "ings", "ing", "ies", "ed", "es", "e", "s", "y")
_SHORTEST_STEM = 3


class FloorClassifier:
    """Answers by shared words. Never fails on a sound request."""

    @property
    def identity(self) -> Mapping[str, Json]:
        """The style and the version of the rules."""
        return {"style": "floor", "rules": RULES}

    async def evaluate(self, state: AnyState, questions: Mapping[str, Question]) -> Decision:
        """Return the answers. Raises UsageError for what is no state."""
        value = state_value(state)
        answers = {name: _answer(value, question) for name, question in asked(questions).items()}
        return Decision(answers=answers, model="floor", calibrated=False)


def content_stems(text: str) -> frozenset[str]:
    """Return the words of a text that carry content, without their commonest endings."""
    return frozenset(_stem(word) for word in set(_WORD.findall(text.casefold())) - _FUNCTION_WORDS)


def _answer(state: Json, question: Question) -> Answer:
    named = fields_named(question, state)
    if isinstance(question, NoulQuestion):
        return NoulAnswer(p=_noul(state, question, named), source="floor")
    material = content_stems(_text(state, named))
    if isinstance(question, ChoiceQuestion):
        shares = _shares([f"{option} {meaning or ''}" for option, meaning in question.criteria.items()], material)
        return choice_answer(dict(zip(question.options, shares, strict=True)), source="floor")
    return score_answer(_shares(list(question.criteria), material), source="floor")


def _noul(state: Json, question: NoulQuestion, named: tuple[str, ...]) -> float:
    if len(named) >= 2:
        texts = [content_stems(_text(state, (field,))) for field in named[:2]]
        shorter, longer = sorted(texts, key=len)
        return LOWEST + (HIGHEST - LOWEST) * len(shorter & longer) / len(shorter) if shorter else 0.5
    material = content_stems(_text(state, named))
    outcomes = question.criteria
    if outcomes and outcomes.yes and outcomes.no:
        return _shares([outcomes.yes, outcomes.no], material)[0]
    described = (outcomes and (outcomes.yes or outcomes.no)) or question.instructions or ""
    words = content_stems(described) - content_stems(" ".join(named))
    towards = -1 if outcomes and outcomes.no else 1
    covered = len(words & material) / len(words) if words else 0.0
    return 0.5 + towards * (HIGHEST - LOWEST) / 2 * covered


def _shares(described: list[str], material: frozenset[str]) -> list[float]:
    """Return a distribution over descriptions: their shared words squared, smoothed; uniform where there are none."""
    hits = [len(content_stems(text) & material) ** 2 + SMOOTHING for text in described]
    return [hit / sum(hits) for hit in hits]


def _text(state: Json, fields: tuple[str, ...]) -> str:
    """Return the text of the named fields, or of the whole state where none is named."""
    shown = [state[field] for field in fields] if isinstance(state, Mapping) and fields else [state]
    return " ".join(part if isinstance(part, str) else json.dumps(part, ensure_ascii=False) for part in shown)


def _stem(word: str) -> str:
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _SHORTEST_STEM:
            return word.removesuffix(ending)
    return word
