"""The OpenAI chat wire at any base URL, over aiohttp: measured to be the cheapest client per call (docs/decisions/openai-wire-client.md).

One POST a call. Redirects are not followed (they would carry prompts elsewhere), cookies and netrc are not used, proxies of
the environment are. The reply's size is bounded; time is bounded by the channel.
"""

from __future__ import annotations

import io
import json
from urllib.parse import urlsplit

import aiohttp

from evalkit.errors import ProviderError
from evalkit.providers.chat_wire import body_of, refuse_reserved, reply_of
from evalkit.providers.endpoints import chat_url, proxy_for
from evalkit.providers.http_errors import brief, message_in, status_error
from evalkit.providers.keys import key_for, reply_without_key, scrub
from evalkit.records.base import Json
from evalkit.records.chat import ChatCall
from evalkit.records.judges import JudgeConfig
from evalkit.records.verdicts import Reply

MAX_BODY = 32 * 1024 * 1024
"""Bytes of a response, decompressed, after which it is given up."""

STREAMED_FROM = 1024 * 1024
"""Bytes of a request from which it is sent in pieces, so that one large prompt does not hold up all other calls."""


class OpenAIWireClient:
    """Chat completions over one pooled aiohttp session."""

    def __init__(self, config: JudgeConfig) -> None:
        refuse_reserved(config.params.extra)
        self._url = chat_url(config)
        self._key = key_for(config)
        self._proxy = proxy_for(self._url)
        self._max_in_flight = config.max_in_flight
        self._session: aiohttp.ClientSession | None = None

    async def complete(self, call: ChatCall) -> Reply:
        """Send the call once. Raises ProviderError."""
        data = json.dumps(body_of(call)).encode("ascii")
        try:
            body_sent = data if len(data) < STREAMED_FROM else io.BytesIO(data)
            async with self._pool().post(
                self._url, data=body_sent, proxy=self._proxy, allow_redirects=False
            ) as response:
                body = await _bounded_body(response)
                status, headers = response.status, dict(response.headers)
        except aiohttp.ClientConnectorCertificateError as error:
            raise self._failed(error, permanent=True) from None
        except (aiohttp.ClientError, OSError, ValueError) as error:
            if isinstance(error, TimeoutError):
                raise
            raise self._failed(error) from None
        if status != 200:
            raise status_error(status, message_in(body.decode("utf-8", "replace")), headers, self._key)
        return self._read(body)

    async def aclose(self) -> None:
        """Close the session."""
        if self._session is not None:
            await self._session.close()

    def _pool(self) -> aiohttp.ClientSession:
        if self._session is None:
            headers = {"Content-Type": "application/json"}
            if self._key is not None:
                headers["Authorization"] = f"Bearer {self._key}"
            self._session = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(limit=self._max_in_flight),
                timeout=aiohttp.ClientTimeout(total=None, sock_connect=None),
                cookie_jar=aiohttp.DummyCookieJar(),
                headers=headers,
            )
        return self._session

    def _read(self, body: bytes) -> Reply:
        try:
            data: Json = json.loads(body)
        except (ValueError, RecursionError):
            start = brief(scrub(body[:2000].decode("utf-8", "replace"), self._key))
            raise ProviderError(
                "bad_response", f"the server answered with HTTP 200 and no JSON: {start[:120]!r}"
            ) from None
        try:
            reply = reply_of(data)
        except ProviderError as error:
            raise ProviderError(error.kind, scrub(str(error), self._key), permanent=error.permanent) from None
        return reply_without_key(reply, self._key)

    def _failed(self, error: Exception, *, permanent: bool = False) -> ProviderError:
        host = urlsplit(self._url).netloc
        words = brief(scrub(str(error) or type(error).__name__, self._key))
        return ProviderError("connection", f"no answer from {host}: {words}", permanent=permanent)


async def _bounded_body(response: aiohttp.ClientResponse) -> bytes:
    body = bytearray()
    async for chunk in response.content.iter_any():
        body += chunk
        if len(body) > MAX_BODY:
            raise ProviderError("bad_response", f"the server's answer is longer than {MAX_BODY // 1024**2} MB")
    return bytes(body)
