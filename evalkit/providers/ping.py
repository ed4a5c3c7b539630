"""One call to a judge, to see who answers: `evalkit judge ping`."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from evalkit.providers.clients import make_client
from evalkit.providers.meter import Meter
from evalkit.records.base import Json
from evalkit.records.chat import ChatCall
from evalkit.records.identity import content_hash
from evalkit.records.judges import JudgeConfig
from evalkit.records.verdicts import Reply

SCHEMA: dict[str, Json] = {
    "type": "object",
    "properties": {"ok": {"type": "boolean"}},
    "required": ["ok"],
    "additionalProperties": False,
}
PROMPT = "Answer with the JSON object that says whether you can read this: the word is apple."


@dataclass(frozen=True, slots=True, kw_only=True)
class Ping:
    """What one call showed."""

    model: str | None
    """The snapshot that answered, as the server named it."""
    latency_ms: float
    input_tokens: int | None
    output_tokens: int | None
    cost_usd: float | None
    """None where prices or usage are unknown."""
    response_format: Literal["followed", "not followed", "not sent"]
    """Whether the reply had the form of the schema that was sent; a server may accept a response format and ignore it."""
    finish_reason: str | None
    text: str | None


async def ping(config: JudgeConfig, folder: Path) -> Ping:
    """Make one call with a tiny prompt, without retries. Raises ProviderError, UsageError."""
    from evalkit.providers.channel import Channel

    sent = config.params.as_sent()
    schema = SCHEMA if config.structured_output else None
    call = ChatCall(
        key=content_hash("ping/1", [config.model, sent, schema]),
        label="ping",
        model=config.model or "",
        messages=({"role": "user", "content": PROMPT},),
        params=sent,
        schema=schema,
    )
    once = config.model_copy(update={"backoff": config.backoff.model_copy(update={"tries": 1})})
    meter = Meter(config.prices)
    client = make_client(once, folder)
    try:
        reply, _ = await Channel(client, once, meter).ask(call)
    finally:
        await client.aclose()
    return Ping(
        model=reply.model,
        latency_ms=meter.latencies_ms[0],
        input_tokens=reply.input_tokens,
        output_tokens=reply.output_tokens,
        cost_usd=None if meter.unknown_usage else meter.spent(),
        response_format="not sent" if schema is None else _followed(reply),
        finish_reason=reply.finish_reason,
        text=reply.text,
    )


def _followed(reply: Reply) -> Literal["followed", "not followed"]:
    try:
        value = json.loads(reply.text or "")
    except (ValueError, RecursionError):
        return "not followed"
    fits = isinstance(value, dict) and set(value) == {"ok"} and isinstance(value["ok"], bool)
    return "followed" if fits else "not followed"
