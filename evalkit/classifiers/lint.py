"""Lint of questions before they are sent: what is known to make answers vague or wrong.

A question that names the field it judges was measured at 0.96 and 0.02 on an insult and a good message, a vague one over the
same state at 0.57 and 0.02. Counting, arithmetic and dates are documented as weak: code does them. These are doubts for the
author, never a refusal.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from evalkit.classifiers.seam import AnyState, state_value
from evalkit.records.base import Json
from evalkit.records.questions import ChoiceQuestion, NoulQuestion, Question

Kind = Literal["names_no_field", "two_questions", "negation", "counting", "arithmetic", "dates", "no_description"]

_FIELD_LIKE = re.compile(r"[\w.-]+")
_TWO = re.compile(
    r"\?.*\?|\b(?:and|or) (?:also )?(?:is|are|does|do|did|has|have|can|should|was|were|will|would)\b",
    re.IGNORECASE | re.DOTALL,
)
_NEGATION = re.compile(
    r"\b(?:not|never|without|none|nor|neither|cannot|fails? to|lacks?)\b|n['’]t\b|\bno\b(?! matter)", re.IGNORECASE
)
_COUNTING = re.compile(
    r"\bhow (?:many|often)\b|\bnumber of\b|\bcount(?:s|ed|ing)?\b|\b(?:at least|at most|more than|fewer than|less than|exactly) (?:\d+|one|two|three|"
    r"four|five|six|seven|eight|nine|ten)\b",
    re.IGNORECASE,
)
_ARITHMETIC = re.compile(
    r"\b(?:sum|total|average|mean value|percent(?:age)?|difference between|twice|double|greater than|larger than|add up)\b"
    r"|\d\s*[-+*/%<>=]\s*\d|\d\s*%",
    re.IGNORECASE,
)
_DATES = re.compile(
    r"\b(?:today|yesterday|tomorrow|deadline|overdue|expired?|how long ago|(?:days?|weeks?|months?|years?) (?:ago|old|since|until|before|after)"
    r"|(?:within|last|past|next) (?:\d+ )?(?:days?|weeks?|months?|years?)|before \d{4}|after \d{4}|\d{4}-\d\d-\d\d)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Doubt:
    """One thing about a question that is likely to cost confidence."""

    question: str
    """Id of the question."""
    kind: Kind
    problem: str
    remedy: str

    def __str__(self) -> str:
        return f"{self.question}: {self.problem} ({self.remedy})"


def lint(questions: Mapping[str, Question], state: AnyState | None = None) -> list[Doubt]:
    """Return the doubts about questions, in their order; with an example of the state also whether each names a field of it."""
    value = None if state is None else state_value(state)
    return [doubt for name, question in questions.items() for doubt in _doubts(name, question, value)]


def fields_named(question: Question, state: Json) -> tuple[str, ...]:
    """Return the top-level fields of a state that a question's words name, in the state's order; never its role."""
    if not isinstance(state, Mapping):
        return ()
    text = _all_words(question)
    quoted = set(re.findall(r"[`'\"“”‘’]([^`'\"“”‘’\s]+)[`'\"“”‘’]", text))
    bare = {word.strip(".-") for word in _FIELD_LIKE.findall(text)}
    names = quoted | bare | {name.partition(".")[0].partition("[")[0] for name in quoted | bare}
    return tuple(field for field in state if field in names and field != "role")


def _doubts(name: str, question: Question, state: Json | None) -> Iterator[Doubt]:
    asks = question.instructions or _all_words(question)
    if isinstance(state, Mapping) and len(state) > 1 and not fields_named(question, state):
        fields = ", ".join(f"`{field}`" for field in list(state)[:8] if field != "role")
        yield Doubt(
            question=name,
            kind="names_no_field",
            problem="it names no field of the state",
            remedy=f"name one of {fields}",
        )
    if _TWO.search(asks):
        yield Doubt(question=name, kind="two_questions", problem="it asks two things", remedy="make them two questions")
    if _NEGATION.search(asks):
        yield Doubt(
            question=name,
            kind="negation",
            problem="it is put negatively",
            remedy="ask for the thing itself and read the other side",
        )
    for kind, pattern, problem in _WEAK:
        if pattern.search(asks):
            yield Doubt(question=name, kind=kind, problem=problem, remedy="compute it in code and ask about the rest")
    bare = _bare_options(question)
    if bare:
        yield Doubt(question=name, kind="no_description", problem=bare, remedy="say in a sentence when each one holds")


_WEAK: tuple[tuple[Kind, re.Pattern[str], str], ...] = (
    ("counting", _COUNTING, "it asks to count"),
    ("arithmetic", _ARITHMETIC, "it asks to calculate"),
    ("dates", _DATES, "it asks about dates or durations"),
)


def _bare_options(question: Question) -> str | None:
    """Return which options say nothing but their name, or None."""
    if isinstance(question, ChoiceQuestion):
        bare = [option for option, meaning in question.criteria.items() if meaning is None]
        return f"options without a description: {', '.join(bare[:8])}" if bare else None
    if isinstance(question, NoulQuestion):
        return None
    bare = [level for level in question.criteria if len(level.split()) < 2]
    return f"levels of one word: {', '.join(bare)}" if bare else None


def _all_words(question: Question) -> str:
    parts = [question.instructions or ""]
    if isinstance(question, ChoiceQuestion):
        parts += [f"{option} {meaning or ''}" for option, meaning in question.criteria.items()]
    elif isinstance(question, NoulQuestion):
        parts += [question.criteria.yes or "", question.criteria.no or ""] if question.criteria else []
    else:
        parts += list(question.criteria)
    return "\n".join(parts)
