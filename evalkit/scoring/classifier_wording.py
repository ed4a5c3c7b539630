"""A classifier scorer's question as people are asked it: the sentence, what the answers mean, and which labels may be given.

A noul and a score are labelled `pass` or `fail`, by the pass rule in words. Of a choice people name the option, without being told which
options pass: their labels then say more, and outlive another pass rule. No probability and no band stands in any of it.
"""

from __future__ import annotations

from typing import NamedTuple

from evalkit.records.base import Json
from evalkit.records.identity import content_hash
from evalkit.records.questions import (
    ChoiceQuestion,
    NoulQuestion,
    Outcomes,
    Question,
    ScoreQuestion,
    canonical_question,
)

Passing = bool | tuple[str, ...]
"""Of a noul: which answer passes. Of a choice: the options that pass."""


class PeopleAsked(NamedTuple):
    """What a labeller reads and may answer."""

    question: str
    pass_condition: str
    """When the case passes; of a choice the options with their meanings."""
    labels: dict[str, bool]
    """Label -> whether the case then passes, in the order in which the labels are offered."""
    sha256: str
    """Hash of what is asked: labels that carry another answer another question."""


def people_asked(question: Question, passes: Passing, at_least: float | None, at_most: float | None) -> PeopleAsked:
    """Return what people are asked where a classifier is asked `question`; the rest is the scorer's pass rule."""
    asked = canonical_question(question)
    if isinstance(question, ChoiceQuestion):
        options = passes if isinstance(passes, tuple) else ()
        meanings = [_meaning(option, meaning) for option, meaning in question.criteria.items()]
        return PeopleAsked(
            question.instructions or "Which of these holds?",
            "\n".join(meanings),
            {option: option in options for option in question.criteria},
            _hash(asked, None),
        )
    labels = {"pass": True, "fail": False}
    if isinstance(question, NoulQuestion):
        sentence = question.instructions or "Which of the two holds?"
        condition = _side(question.criteria, passing="yes" if passes is True else "no")
        return PeopleAsked(sentence, condition, labels, _hash(asked, passes is True))
    sentence, condition = question.instructions or "Which level holds?", _levels(question, at_least, at_most)
    return PeopleAsked(sentence, condition, labels, _hash(asked, [at_least, at_most]))


def _hash(asked: Json, rule: Json) -> str:
    return content_hash("asked-of-people/1", [asked, rule])


def _meaning(name: str, meaning: str | None) -> str:
    """Return a name with what it means, on one line."""
    return " ".join((f"{name}: {meaning}" if meaning else name).split())


def _side(outcomes: Outcomes | None, *, passing: str) -> str:
    """Return which answer passes, and what both mean as far as that is said."""
    meanings = {"yes": outcomes.yes, "no": outcomes.no} if outcomes else {"yes": None, "no": None}
    own = _meaning(passing, meanings.pop(passing))
    others = [_meaning(name, meaning) for name, meaning in meanings.items() if meaning]
    return "\n".join((f"the answer is {own}", *others))


def _levels(question: ScoreQuestion, at_least: float | None, at_most: float | None) -> str:
    limits = [
        f"{word} {limit:g}" for word, limit in (("at least", at_least), ("at most", at_most)) if limit is not None
    ]
    levels = [_meaning(str(level), meaning) for level, meaning in enumerate(question.criteria)]
    return "\n".join((f"the level is {' and '.join(limits)}", *levels))
