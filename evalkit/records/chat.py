"""A call to a model server, as judging builds it and providers send it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from evalkit.records.base import Json


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatCall:
    """One chat completion. Everything in it but `key` goes over the wire; nothing else does."""

    key: str
    """Names the call in the cache, in recordings and in errors."""
    label: str
    """What a person calls it, e.g. the case id; for messages only."""
    model: str
    messages: tuple[Mapping[str, str], ...]
    params: Mapping[str, Json]
    """temperature, max_tokens, seed and the provider's own, exactly as sent."""
    schema: Mapping[str, Json] | None
    """JSON Schema sent as the response format; None sends none."""
