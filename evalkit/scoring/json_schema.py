"""JSON Schema (draft 2020-12): the answer is strict JSON and fits the case's schema, or the suite's.

Formats are asserted; integers are exact and 1.0 is an integer, as the specification says; `false` refuses everything, `true` and
`{}` take any JSON. No reference is ever fetched and no pattern can hang a run (`evalkit.scoring.schema_validator`).
"""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import Field, field_validator

from evalkit.errors import Fault, InputError
from evalkit.records.base import Json, Record
from evalkit.records.cases import Case
from evalkit.records.outputs import Output
from evalkit.records.scores import CriterionSpec, Result, Score, Signature, Unscored
from evalkit.scoring.answer import without_text
from evalkit.scoring.json_answer import read_json_answer
from evalkit.scoring.schema_validator import UndecidedError, validator_for
from evalkit.scoring.settings import Resources, read_settings


class JsonSchemaSettings(Record):
    """Settings of `json_schema`."""

    json_schema: dict[str, Json] | bool | None = Field(default=None, alias="schema")
    """Schema for cases without `expected.json_schema`."""
    fenced: bool = True
    """Accept an answer that is one code fence around the JSON."""

    @field_validator("json_schema", mode="before")
    @classmethod
    def _schema_or_nothing(cls, value: Json) -> Json:
        # One sentence where pydantic would give one per branch of the union.
        if value is not None and not isinstance(value, dict | bool):
            raise ValueError("a JSON Schema is an object, true or false")
        return value


class JsonSchema:
    """1 where the answer fits its schema, else 0."""

    criteria = (CriterionSpec(id="json_schema"),)

    def __init__(self, settings: Mapping[str, Json], resources: Resources) -> None:
        self._settings = read_settings(JsonSchemaSettings, "json_schema", settings, resources)
        self.signature = Signature(
            scorer="json_schema", version="1", settings=self._settings.model_dump(mode="json", by_alias=True)
        )
        self._schema = self._settings.json_schema
        problem = ""
        if self._schema is not None:
            try:
                validator_for(self._schema)
            except ValueError as error:
                problem = str(error)
        elif "schema" in settings:
            problem = "null is no schema; leave the setting out, or write true for any JSON"
        if problem:
            raise InputError([Fault(file=resources.file, field="scorer json_schema, schema", problem=problem)])

    def score(self, case: Case, output: Output) -> tuple[Result, ...]:
        """Return one Score; `no_expectation` without a schema, `scorer_error` where the case's schema cannot be used."""
        own = case.expected.json_schema
        schema = self._schema if own is None else own
        if schema is None:
            return (Unscored("no_expectation", "neither expected.json_schema nor a schema setting"),)
        missing = without_text(output)
        if missing is not None:
            return (missing,)
        try:
            validator = validator_for(schema)
        except ValueError as error:
            return (Unscored("scorer_error", f"expected.json_schema: {error}"),)
        try:
            faults = validator.faults(read_json_answer(output.text or "", fenced=self._settings.fenced))
        except UndecidedError as error:
            return (Unscored("scorer_error", str(error)),)
        except ValueError as error:
            faults = [str(error)]
        if not faults:
            return (Score(1.0, passed=True),)
        return (Score(0.0, passed=False, reason="; ".join(faults), metadata={"faults": list(faults)}),)
