"""What an answer is held against in mode reference: the golden set's facts and reference answer, and no source beside them.

Sources are left out on purpose: whether a statement has a source is the question of a claims rubric, and a judge that sees
both standards mixes them. A reference answer without facts is split into facts by the judge first; until it is, and where there
is nothing to split, it is one fact as a whole.
"""

from __future__ import annotations

import re
from dataclasses import replace

from evalkit.judging.shown import show
from evalkit.records.cases import Case
from evalkit.records.scores import Unscored
from evalkit.text.normalise import is_blank
from evalkit.validation.material import REFERENCE, Material
from evalkit.validation.quotes import says_something

_WORD = re.compile(r"\w+")
LONGEST_WORD = 20
"""Characters of a reference that is one word: a number, a name, a letter of a multiple choice."""


def facts_of(case: Case) -> tuple[str, ...]:
    """Return the facts of a case's reference, empty where it has none.

    The golden set's own facts, else the reference answer as one fact, else the accepted short answers as one: any of them.
    """
    expected = case.expected
    facts = tuple(fact for fact in expected.facts or () if not is_blank(fact))
    if facts:
        return facts
    if expected.answer is not None and not is_blank(expected.answer):
        return (expected.answer,)
    accepted = [answer for answer in expected.answers or () if not is_blank(answer)]
    if not accepted:
        return ()
    return (accepted[0] if len(accepted) == 1 else f"Any one of these: {' | '.join(accepted)}",)


def to_split(case: Case) -> str | None:
    """Return the reference answer that has to be split into facts, or None.

    The golden set's own facts always win. A single word is one fact, and so are several accepted answers: any of them will do.
    """
    expected = case.expected
    if any(not is_blank(fact) for fact in expected.facts or ()):
        return None
    accepted = [answer for answer in expected.answers or () if not is_blank(answer)]
    if expected.answer is not None and not is_blank(expected.answer):
        reference = expected.answer
    elif len(accepted) == 1:
        (reference,) = accepted
    else:
        return None
    one_word = len(_WORD.findall(reference)) < 2 and len(reference.strip()) <= LONGEST_WORD
    return None if one_word or not says_something(reference) else reference


def unasked(case: Case) -> Unscored | None:
    """Return `no_expectation` for a case without anything to hold an answer against."""
    if facts_of(case):
        return None
    return Unscored("no_expectation", "the case has neither expected.facts nor expected.answer")


def enrich(case: Case, material: Material) -> Material:
    """Return the material with the facts, and with the reference answer as its only source."""
    answer = case.expected.answer
    reference = {} if answer is None or is_blank(answer) else {REFERENCE: show(answer)}
    return replace(material, sources=reference, cited=frozenset(), facts=tuple(map(show, facts_of(case))))
