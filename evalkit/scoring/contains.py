"""Contains: texts that must, may or must not stand in the answer, as substrings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Self

from pydantic import Field, model_validator

from evalkit.records.base import Json, Record
from evalkit.records.cases import Case
from evalkit.records.outputs import Output
from evalkit.records.scores import CriterionSpec, Result, Score, Signature
from evalkit.scoring.answer import without_text
from evalkit.scoring.settings import Resources, read_settings
from evalkit.text.normalise import fold, plain

Texts = tuple[Annotated[str, Field(min_length=1)], ...]


class ContainsSettings(Record):
    """Settings of `contains`; at least one of the three lists."""

    all: Texts = ()
    """Each of these must stand in the answer."""
    any: Texts = ()
    """At least one of these must."""
    none: Texts = ()
    """None of these may."""
    ignore_case: bool = True
    """Compare case-folded."""
    normalise: bool = True
    """Compare in NFKC, with straight quotes, plain hyphens and single spaces, without invisible characters."""

    @model_validator(mode="after")
    def _asks_something(self) -> Self:
        if not (self.all or self.any or self.none):
            raise ValueError("name at least one text under all, any or none")
        blank = [text for text in (*self.all, *self.any, *self.none) if not self.form(text).strip()]
        if blank:
            raise ValueError(f"{blank[0]!r} has nothing to look for")
        return self

    def form(self, text: str) -> str:
        """Return a text in the form that is compared."""
        if self.normalise:
            return " ".join((fold(text) if self.ignore_case else plain(text)).split())
        return text.casefold() if self.ignore_case else text


class Contains:
    """1 where the answer has all of `all`, one of `any` and none of `none`, else 0."""

    criteria = (CriterionSpec(id="contains"),)

    def __init__(self, settings: Mapping[str, Json], resources: Resources) -> None:
        self._settings = read_settings(ContainsSettings, "contains", settings, resources)
        self.signature = Signature(scorer="contains", version="1", settings=self._settings.model_dump(mode="json"))
        self._forms = {
            text: self._settings.form(text) for text in (*self._settings.all, *self._settings.any, *self._settings.none)
        }

    def score(self, case: Case, output: Output) -> tuple[Result, ...]:
        """Return one Score."""
        del case
        missing = without_text(output)
        if missing is not None:
            return (missing,)
        answer = self._settings.form(output.text or "")
        absent = [text for text in self._settings.all if self._forms[text] not in answer]
        present = [text for text in self._settings.none if self._forms[text] in answer]
        either = self._settings.any
        no_choice = bool(either) and not any(self._forms[text] in answer for text in either)
        faults = [
            *(f"does not contain {text!r}" for text in absent),
            *([f"contains none of {', '.join(map(repr, either))}"] if no_choice else []),
            *(f"contains {text!r}" for text in present),
        ]
        if not faults:
            return (Score(1.0, passed=True),)
        found: dict[str, Json] = {"absent": absent, "present": present, "none_of": list(either) if no_choice else []}
        return (Score(0.0, passed=False, reason="; ".join(faults), metadata=found),)
