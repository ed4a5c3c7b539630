"""Limits on what code can measure: the length of an answer, its latency, its cost. What is unknown is unknown, never 0."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from evalkit.records.base import Json, Record
from evalkit.records.cases import Case
from evalkit.records.outputs import Output
from evalkit.records.scores import CriterionSpec, Result, Score, Signature, Unscored
from evalkit.scoring.answer import without_text
from evalkit.scoring.settings import Resources, read_settings
from evalkit.text.tokens import TOKENIZER, tokens

Size = Annotated[int, Field(ge=0)]


class LengthLimitSettings(Record):
    """Settings of `length_limit`; at least one bound."""

    min: Size | None = None
    """Shortest length that passes."""
    max: Size | None = None
    """Longest length that passes."""
    unit: Literal["words", "chars", "tokens"] = "words"
    """words: parts between white space; chars: code points; tokens: words, and characters of scripts without spaces."""

    @model_validator(mode="after")
    def _bounds_agree(self) -> Self:
        if self.min is None and self.max is None:
            raise ValueError("give min, max or both")
        if self.min is not None and self.max is not None and self.min > self.max:
            raise ValueError(f"min {self.min} is over max {self.max}")
        return self


class LengthLimit:
    """1 where the answer is as long as it may be, else 0."""

    criteria = (CriterionSpec(id="length_limit"),)

    def __init__(self, settings: Mapping[str, Json], resources: Resources) -> None:
        self._settings = read_settings(LengthLimitSettings, "length_limit", settings, resources)
        echoed = {**self._settings.model_dump(mode="json")}
        if self._settings.unit == "tokens":
            echoed["tokenizer"] = TOKENIZER
        self.signature = Signature(scorer="length_limit", version="1", settings=echoed)

    def score(self, case: Case, output: Output) -> tuple[Result, ...]:
        """Return one Score."""
        del case
        missing = without_text(output, calls_suffice=True)
        if missing is not None:
            return (missing,)
        length = self._length(output.text or "")
        least, most, unit = self._settings.min, self._settings.max, self._settings.unit
        if least is not None and length < least:
            return (_limit(within=False, reason=f"{length} {unit}, at least {least}", measured=length),)
        if most is not None and length > most:
            return (_limit(within=False, reason=f"{length} {unit}, at most {most}", measured=length),)
        return (_limit(within=True, reason="", measured=length),)

    def _length(self, text: str) -> int:
        if self._settings.unit == "chars":
            return len(text)
        words = text.split()
        return len(words) if self._settings.unit == "words" else len(tokens(words))


class LatencyLimitSettings(Record):
    """Settings of `latency_limit`."""

    max_ms: Annotated[float, Field(ge=0)]
    """Longest latency that passes, in milliseconds; 0 fails any positive one."""


class LatencyLimit:
    """1 where the output came in time, else 0."""

    criteria = (CriterionSpec(id="latency_limit"),)

    def __init__(self, settings: Mapping[str, Json], resources: Resources) -> None:
        self._settings = read_settings(LatencyLimitSettings, "latency_limit", settings, resources)
        self.signature = Signature(scorer="latency_limit", version="1", settings=self._settings.model_dump(mode="json"))

    def score(self, case: Case, output: Output) -> tuple[Result, ...]:
        """Return one Score; `unknown_latency` where the output does not say."""
        del case
        took = output.latency_ms
        if took is None:
            return (Unscored("unknown_latency"),)
        most = self._settings.max_ms
        return (_limit(within=took <= most, reason=f"{took:g} ms, at most {most:g} ms", measured=took),)


class CostLimitSettings(Record):
    """Settings of `cost_limit`."""

    max_usd: Annotated[float, Field(ge=0)]
    """Highest cost that passes, in US dollars; 0 fails any positive one."""


class CostLimit:
    """1 where the output cost no more than it may, else 0."""

    criteria = (CriterionSpec(id="cost_limit"),)

    def __init__(self, settings: Mapping[str, Json], resources: Resources) -> None:
        self._settings = read_settings(CostLimitSettings, "cost_limit", settings, resources)
        self.signature = Signature(scorer="cost_limit", version="1", settings=self._settings.model_dump(mode="json"))

    def score(self, case: Case, output: Output) -> tuple[Result, ...]:
        """Return one Score; `unknown_cost` where the output does not say."""
        del case
        cost = output.cost_usd
        if cost is None:
            return (Unscored("unknown_cost"),)
        most = self._settings.max_usd
        return (_limit(within=cost <= most, reason=f"{cost:g} USD, at most {most:g} USD", measured=cost),)


def _limit(*, within: bool, reason: str, measured: float) -> Score:
    return Score(float(within), passed=within, reason="" if within else reason, metadata={"measured": measured})
