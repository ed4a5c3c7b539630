"""HTTP exchanges with a server of the OpenAI wire over one pooled aiohttp session (docs/decisions/openai-wire-client.md).

Redirects are not followed (they would carry prompts elsewhere), cookies and netrc are not used, proxies of the environment are. A
response's size is bounded; time is bounded by the caller. No error holds the key.
"""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import urlsplit

import aiohttp

from evalkit.errors import ProviderError
from evalkit.providers.endpoints import proxy_for
from evalkit.providers.http_errors import brief, message_in, status_error
from evalkit.providers.keys import key_for, scrub
from evalkit.records.base import Json
from evalkit.records.judges import JudgeConfig

MAX_BODY = 32 * 1024 * 1024
"""Bytes of a response, decompressed, after which it is given up."""

JSON_BODY = {"Content-Type": "application/json"}


class OpenAISession:
    """One server and the key that it gets. Belongs to one event loop."""

    def __init__(self, config: JudgeConfig, url: str) -> None:
        """Find key and proxy for a URL of the server. Raises UsageError for a missing key."""
        self.key = key_for(config)
        self._host = urlsplit(url).netloc
        self._proxy = proxy_for(url)
        self._max_in_flight = config.max_in_flight
        self._session: aiohttp.ClientSession | None = None

    async def body_of(self, method: str, url: str, *, longest: int | None = None, **sent: Any) -> bytes:
        """Exchange once and return the body of a response with status 200. Raises ProviderError for every other end.

        `longest` bounds the body in bytes, by default to `MAX_BODY`. `sent` is what aiohttp takes: `data`, `headers`. A TimeoutError of the caller's own clock passes through.
        """
        try:
            async with self._pool().request(method, url, proxy=self._proxy, allow_redirects=False, **sent) as response:
                body = await _bounded(response, longest or MAX_BODY)
                status, headers = response.status, dict(response.headers)
        except aiohttp.ClientConnectorCertificateError as error:
            raise self._failed(error, permanent=True) from None
        except (aiohttp.ClientError, OSError, ValueError) as error:
            if isinstance(error, TimeoutError):
                raise
            raise self._failed(error) from None
        if status != 200:
            raise status_error(status, message_in(body.decode("utf-8", "replace")), headers, self.key)
        return body

    def json_of(self, body: bytes) -> Json:
        """Return the JSON of a body. Raises ProviderError(bad_response), with the body's first words."""
        try:
            return json.loads(body)
        except (ValueError, RecursionError):
            start = brief(scrub(body[:2000].decode("utf-8", "replace"), self.key))
            raise ProviderError(
                "bad_response", f"the server answered with HTTP 200 and no JSON: {start[:120]!r}"
            ) from None

    async def aclose(self) -> None:
        """Close the session."""
        if self._session is not None:
            await self._session.close()

    def _pool(self) -> aiohttp.ClientSession:
        if self._session is None:
            self._session = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(limit=self._max_in_flight),
                timeout=aiohttp.ClientTimeout(total=None, sock_connect=None),
                cookie_jar=aiohttp.DummyCookieJar(),
                headers={} if self.key is None else {"Authorization": f"Bearer {self.key}"},
            )
        return self._session

    def _failed(self, error: Exception, *, permanent: bool = False) -> ProviderError:
        words = brief(scrub(str(error) or type(error).__name__, self.key))
        return ProviderError("connection", f"no answer from {self._host}: {words}", permanent=permanent)


async def _bounded(response: aiohttp.ClientResponse, longest: int) -> bytes:
    body = bytearray()
    async for chunk in response.content.iter_any():
        body += chunk
        if len(body) > longest:
            raise ProviderError("bad_response", f"the server's answer is longer than {longest // 1024**2} MB")
    return bytes(body)
