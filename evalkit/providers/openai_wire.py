"""The OpenAI chat wire at any base URL, over aiohttp: measured to be the cheapest client per call (docs/decisions/openai-wire-client.md).

One POST a call.
"""

from __future__ import annotations

import io
import json

from evalkit.errors import ProviderError
from evalkit.providers.chat_wire import body_of, refuse_reserved, reply_of
from evalkit.providers.endpoints import chat_url
from evalkit.providers.keys import reply_without_key, scrub
from evalkit.providers.openai_session import JSON_BODY, OpenAISession
from evalkit.records.base import Json
from evalkit.records.chat import ChatCall
from evalkit.records.judges import JudgeConfig
from evalkit.records.verdicts import Reply

STREAMED_FROM = 1024 * 1024
"""Bytes of a request from which it is sent in pieces, so that one large prompt does not hold up all other calls."""


class OpenAIWireClient:
    """Chat completions over one pooled session."""

    def __init__(self, config: JudgeConfig) -> None:
        refuse_reserved(config.params.extra)
        self._url = chat_url(config)
        self._session = OpenAISession(config, self._url)

    async def complete(self, call: ChatCall) -> Reply:
        """Send the call once. Raises ProviderError."""
        data = json.dumps(body_of(call)).encode("ascii")
        sent = data if len(data) < STREAMED_FROM else io.BytesIO(data)
        body = await self._session.body_of("POST", self._url, data=sent, headers=JSON_BODY)
        return reply_in(self._session.json_of(body), self._session.key)

    async def aclose(self) -> None:
        """Close the session."""
        await self._session.aclose()


def reply_in(data: Json, key: str | None) -> Reply:
    """Return the reply in a chat completion, without the key that was sent for it. Raises ProviderError, without it too."""
    try:
        reply = reply_of(data)
    except ProviderError as error:
        raise ProviderError(error.kind, scrub(str(error), key), permanent=error.permanent) from None
    return reply_without_key(reply, key)
