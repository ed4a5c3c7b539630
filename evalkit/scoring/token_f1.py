"""Token F1: the overlap of an answer's tokens with the best accepted answer's, in SQuAD's normal form.

F1 = 2PR / (P + R) with P = common / tokens of the answer, R = common / tokens of the accepted answer, where common counts a token
as often as both have it (Rajpurkar et al. 2016). Range [0, 1]; with several accepted answers the highest counts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Annotated

from pydantic import Field

from evalkit.records.base import Json, Record
from evalkit.records.cases import Case
from evalkit.records.outputs import Output
from evalkit.records.scores import CriterionSpec, Result, Score, Signature
from evalkit.scoring.accepted import Answered, answered
from evalkit.scoring.excerpt import clipped
from evalkit.scoring.settings import Resources, read_settings
from evalkit.text.normalise import UnicodeForm, comparable_words
from evalkit.text.numbers import figures
from evalkit.text.tokens import TOKENIZER, tokens

FEW_TOKENS = 6
"""Up to here counting each token in the longer list is cheaper than counting the longer list."""


class TokenF1Settings(Record):
    """Settings of `token_f1`."""

    min: Annotated[float, Field(ge=0, le=1)] | None = None
    """Lowest F1 that passes; without it F1 is a bare measurement. 0 is a threshold that everything but silence passes."""
    numeric: bool = False
    """Compare tokens that are numbers by value: 1,200.00 and 1200 are one token."""
    unicode: UnicodeForm = "NFKC"
    """Unicode form of both texts. NFKC also joins compatibility characters (full-width letters, superscripts, unit signs)."""
    strip_citations: bool = False
    """Leave citation markers out of the answer."""


class TokenF1:
    """Mean token F1 against the best accepted answer."""

    criteria = (CriterionSpec(id="token_f1", estimate="mean", within=(0.0, 1.0)),)

    def __init__(self, settings: Mapping[str, Json], resources: Resources) -> None:
        self._settings = read_settings(TokenF1Settings, "token_f1", settings, resources)
        echoed = {**self._settings.model_dump(mode="json"), "tokenizer": TOKENIZER}
        self.signature = Signature(scorer="token_f1", version="1", settings=echoed)
        self._form: UnicodeForm = self._settings.unicode

    def score(self, case: Case, output: Output) -> tuple[Result, ...]:
        """Return one Score; Unscored where the case accepts no answer."""
        found = answered(case, output, strip_citations=self._settings.strip_citations)
        if not isinstance(found, Answered):
            return (found,)
        text, accepted = found
        value, best = max((self._f1(text, answer), answer) for answer in accepted)
        least = self._settings.min
        if least is None:
            return (Score(value, passed=None),)
        if value >= least:
            return (Score(value, passed=True),)
        reason = f"F1 {value:.3f} is under {least:g}; nearest accepted answer: {clipped(best)!r}"
        return (Score(value, passed=False, reason=reason, metadata={"accepted": list(accepted)}),)

    def _f1(self, text: str, answer: str) -> float:
        mine, theirs = comparable_words(text, answer, self._form)
        return f1(self._tokens(mine), self._tokens(theirs))

    def _tokens(self, words: Sequence[str]) -> Sequence[str]:
        if self._settings.numeric:
            words = [_by_value(word) for word in words]
        return tokens(words)


def f1(answer: Sequence[str], accepted: Sequence[str]) -> float:
    """Return the F1 of two lists of tokens; 0 where they share none or either is empty."""
    if answer == accepted:
        return 1.0 if answer else 0.0
    shorter, longer = (answer, accepted) if len(answer) < len(accepted) else (accepted, answer)
    if len(shorter) <= FEW_TOKENS:
        common = sum(min(shorter.count(token), longer.count(token)) for token in set(shorter))
    else:
        left, common = Counter(longer), 0
        for token in shorter:
            if left.get(token):
                left[token] -= 1
                common += 1
    return 2 * common / (len(answer) + len(accepted)) if common else 0.0


def _by_value(word: str) -> str:
    if not any(character.isdigit() for character in word):
        return word
    found = figures(word)
    whole = len(found) == 1 and found[0].start == 0 and found[0].end == len(word)
    if not whole:
        return word
    plain = f"{found[0].values[0]:f}"
    return plain.rstrip("0").rstrip(".") if "." in plain else plain
