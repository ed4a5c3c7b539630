"""Where a probability is sure: the two cuts of a gate."""

from typing import Annotated

from pydantic import Field, model_validator

from evalkit.records.base import Record

Cut = Annotated[float, Field(ge=0, le=1)]


class Bands(Record):
    """Strictly outside the cuts is sure; a value on a cut is uncertain."""

    low: Cut = 0.30
    """A noul below it is a sure no."""
    high: Cut = 0.70
    """A noul above it is a sure yes; a choice or a score is sure with a confidence above it."""

    @model_validator(mode="after")
    def _in_order(self) -> "Bands":
        if self.low > self.high:
            raise ValueError("`low` lies above `high`")
        return self
