"""What scorers that compare an answer with accepted answers have in common: which these are, and the text that is compared."""

from __future__ import annotations

from typing import NamedTuple

from evalkit.records.cases import Case, Expected
from evalkit.records.outputs import Output
from evalkit.records.scores import Result, Unscored
from evalkit.scoring.answer import without_text
from evalkit.text.citation_markers import without_markers

NO_ANSWER = Unscored("no_expectation", "the case has neither expected.answers nor expected.answer")


class Answered(NamedTuple):
    """An answer and what it may be."""

    text: str
    accepted: tuple[str, ...]
    """At least one."""


def accepted_answers(expected: Expected) -> tuple[str, ...]:
    """Return a case's accepted answers: `answers`, else `answer`, else none."""
    if expected.answers:
        return expected.answers
    return () if expected.answer is None else (expected.answer,)


def answered(case: Case, output: Output, *, strip_citations: bool) -> Answered | Result:
    """Return an answer with what the case accepts, or the result where either is missing; citation markers are left out if asked."""
    accepted = accepted_answers(case.expected)
    if not accepted:
        return NO_ANSWER
    missing = without_text(output)
    if missing is not None:
        return missing
    text = output.text or ""
    if strip_citations:
        text = without_markers(text, tuple([document.id for document in case.context]))
    return Answered(text, accepted)
