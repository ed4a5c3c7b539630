"""Exact match: the answer equals an accepted answer in SQuAD's normal form, or as a number.

Source of the rules: Rajpurkar et al. 2016 and its evaluate-v1.1.py; `evalkit.text.normalise` says where and why they are widened.
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Literal

from evalkit.records.base import Json, Record
from evalkit.records.cases import Case
from evalkit.records.outputs import Output
from evalkit.records.scores import CriterionSpec, Result, Score, Signature
from evalkit.scoring.accepted import Answered, answered
from evalkit.scoring.excerpt import clipped
from evalkit.scoring.settings import Resources, read_settings
from evalkit.text.normalise import UnicodeForm, comparable_words
from evalkit.text.numbers import figures, numbers, with_slashes

_HIT = Score(1.0, passed=True)


class ExactMatchSettings(Record):
    """Settings of `exact_match`."""

    numeric: bool = False
    """Compare numbers by value where the accepted answer is a number: $1,200.00 equals 1200. Exact, units aside."""
    pick: Literal["last", "first"] = "last"
    """Which number of a longer answer counts, in numeric mode."""
    unicode: UnicodeForm = "NFKC"
    """Unicode form of both texts. NFKC also joins compatibility characters (full-width letters, superscripts, unit signs)."""
    strip_citations: bool = False
    """Leave citation markers out of the answer."""


class ExactMatch:
    """1 where the answer equals one of the accepted answers, else 0."""

    criteria = (CriterionSpec(id="exact_match"),)

    def __init__(self, settings: Mapping[str, Json], resources: Resources) -> None:
        self._settings = read_settings(ExactMatchSettings, "exact_match", settings, resources)
        self.signature = Signature(scorer="exact_match", version="1", settings=self._settings.model_dump(mode="json"))
        self._form: UnicodeForm = self._settings.unicode

    def score(self, case: Case, output: Output) -> tuple[Result, ...]:
        """Return one Score; Unscored where the case accepts no answer."""
        found = answered(case, output, strip_citations=self._settings.strip_citations)
        if not isinstance(found, Answered):
            return (found,)
        text, accepted = found
        if any(self._equal(text, answer) for answer in accepted):
            return (_HIT,)
        reason = f"{clipped(text)!r} equals no accepted answer"
        return (Score(0.0, passed=False, reason=reason, metadata={"accepted": list(accepted)}),)

    def _equal(self, text: str, answer: str) -> bool:
        if self._settings.numeric:
            wanted = _only_number(answer)
            if wanted is not None:
                return self._picked(text) == wanted
        mine, theirs = comparable_words(text, answer, self._form)
        return mine == theirs

    def _picked(self, text: str) -> Decimal | None:
        """Return the number that an answer gives: in figures if it has any, else in words."""
        found = with_slashes(text, figures(text) or numbers(text))
        if not found:
            return None
        return found[-1 if self._settings.pick == "last" else 0].values[0]


def _only_number(answer: str) -> Decimal | None:
    """Return the value of an accepted answer that is one number, with or without a unit; None otherwise."""
    found = with_slashes(answer, numbers(answer))
    if len(found) != 1:
        return None
    rest = answer[: found[0].start] + answer[found[0].end :]
    return None if any(character.isalnum() for character in rest) else found[0].values[0]
