"""The base of every record that crosses a stage or reaches disk: frozen, strict, unknown fields refused."""

from typing import Any

from pydantic import BaseModel, ConfigDict

Json = Any
"""A JSON value: null, bool, number, text, list, or object with text keys."""


class Record(BaseModel):
    """Frozen, strict, no unknown fields, no NaN. Validators are built on first use, so importing a record is cheap."""

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        strict=True,
        allow_inf_nan=False,
        defer_build=True,
        protected_namespaces=(),
    )
