"""Required fields: the answer is strict JSON and has each named field, with a value other than null."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from typing import Annotated

from pydantic import AfterValidator, Field

from evalkit.records.base import Json, Record
from evalkit.records.cases import Case
from evalkit.records.outputs import Output
from evalkit.records.scores import CriterionSpec, Result, Score, Signature
from evalkit.scoring.answer import without_text
from evalkit.scoring.json_answer import read_json_answer
from evalkit.scoring.settings import Resources, read_settings
from evalkit.text.json_pointer import resolve_pointer


def _pointer(text: str) -> str:
    with contextlib.suppress(LookupError):
        resolve_pointer(None, text)
    return text


class RequiredFieldsSettings(Record):
    """Settings of `required_fields`."""

    fields: Annotated[tuple[Annotated[str, Field(min_length=1), AfterValidator(_pointer)], ...], Field(min_length=1)]
    """JSON Pointers, e.g. `/order/id`."""
    fenced: bool = True
    """Accept an answer that is one code fence around the JSON."""


class RequiredFields:
    """1 where every field is there and not null, else 0."""

    criteria = (CriterionSpec(id="required_fields"),)

    def __init__(self, settings: Mapping[str, Json], resources: Resources) -> None:
        self._settings = read_settings(RequiredFieldsSettings, "required_fields", settings, resources)
        self.signature = Signature(
            scorer="required_fields", version="1", settings=self._settings.model_dump(mode="json")
        )

    def score(self, case: Case, output: Output) -> tuple[Result, ...]:
        """Return one Score."""
        del case
        missing = without_text(output)
        if missing is not None:
            return (missing,)
        try:
            value = read_json_answer(output.text or "", fenced=self._settings.fenced)
        except ValueError as error:
            return (Score(0.0, passed=False, reason=str(error)),)
        faults = [fault for pointer in self._settings.fields if (fault := _fault(value, pointer))]
        if faults:
            return (Score(0.0, passed=False, reason="; ".join(faults)),)
        return (Score(1.0, passed=True),)


def _fault(value: Json, pointer: str) -> str:
    try:
        return "" if resolve_pointer(value, pointer) is not None else f"{pointer} is null"
    except LookupError:
        return f"{pointer} is missing"
