"""One output as a generator writes it: a JSON object, read as strictly as a line of outputs.jsonl."""

from __future__ import annotations

from typing import Any

from pydantic import ValidationError

from evalkit.loading.faults import record_faults
from evalkit.loading.strict_json import NotStrictError, carried, restored, strict_value
from evalkit.records.base import Json
from evalkit.records.outputs import Output
from evalkit.text.shown import shown_value


class UnreadableOutputError(ValueError):
    """What a generator wrote is no output of the request it was asked about; the message says why."""


def output_of(text: str, case_id: str, attempt: int, feedback: str | None) -> Output:
    """Return the output in a generator's words. `case_id` and `attempt` may be left out there and may not be others.

    Raises UnreadableOutputError.
    """
    try:
        value = strict_value(text)
    except NotStrictError as error:
        raise UnreadableOutputError(str(error) if text.strip() else "nothing was written") from None
    if not isinstance(value, dict):
        raise UnreadableOutputError(f"expected one JSON object, got {shown_value(value)}")
    return output_from(value, case_id, attempt, feedback)


def output_from(value: dict[str, Json], case_id: str, attempt: int, feedback: str | None) -> Output:
    """Return the output that an object's fields make. Raises UnreadableOutputError."""
    fixed: dict[str, Any] = {"case_id": case_id, "attempt": attempt}
    for name, right in fixed.items():
        if name in value and value[name] != right:
            raise UnreadableOutputError(f"{name} is {shown_value(value[name])}, but {shown_value(right)} was asked for")
    given = {**value, **fixed, "feedback": feedback}
    try:
        return restored(Output.model_validate_json(carried(given)))
    except ValidationError as error:
        faults = record_faults(error, Output, "", lambda _: None)
        raise UnreadableOutputError("; ".join(f"{fault.field}: {fault.problem}" for fault in faults[:5])) from None
    except (ValueError, TypeError, RecursionError) as error:
        raise UnreadableOutputError(f"is no JSON: {error}") from None
