"""The System One wire over httpx: one POST an evaluation, retries within one span of time, any base URL.

The address, the model and the key come from the configuration, and where it names none from the service's own variables
(TYPESAFE_BASE_URL, TYPESAFE_DEFAULT_MODEL, TYPESAFE_API_KEY). A key goes only where it belongs: with a `base_url` of the
configuration's own only the key that it names. Redirects are not followed, cookies and netrc are not used.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from urllib.parse import urlsplit

import httpx
from tenacity import AsyncRetrying, RetryCallState, retry_if_exception, stop_before_delay, wait_exponential, wait_random

from evalkit.errors import ProviderError
from evalkit.providers.endpoints import proxy_for
from evalkit.providers.http_errors import brief
from evalkit.providers.keys import key_in, scrub, without_key
from evalkit.providers.rate_limits import Bucket
from evalkit.providers.systemone_address import FILE, endpoint, model_of
from evalkit.providers.systemone_errors import systemone_error
from evalkit.records.base import Json
from evalkit.records.classifiers import ClassifierConfig
from evalkit.text.strict_json import unique_keys

KEY_VARIABLE = "TYPESAFE_API_KEY"

MAX_BODY = 8 * 1024 * 1024
"""Bytes of a response, decompressed, after which it is given up."""


class SystemOneClient:
    """Posts evaluations to one server. May be used from one event loop after another; close it at the end of each."""

    def __init__(self, config: ClassifierConfig) -> None:
        self.model = model_of(config)
        self.url = endpoint(config)
        self._key = _key(config)
        self._config = config
        self._pool: _Pool | None = None

    async def post(self, body: Mapping[str, Json]) -> Json:
        """Return the JSON of a response with status 200. Raises ProviderError once the call has failed for good."""
        pool = self._open_pool()
        data = json.dumps(body, allow_nan=False).encode("ascii")
        retries = self._config.retries
        loop = asyncio.get_running_loop()
        ends = loop.time() + retries.total_s
        backoff = wait_exponential(multiplier=retries.first_s, max=retries.cap_s) + wait_random(0, retries.first_s)
        retrying = AsyncRetrying(
            stop=stop_before_delay(retries.total_s),
            wait=lambda state: max(_asked_wait(state), backoff(state)),
            retry=retry_if_exception(lambda error: isinstance(error, ProviderError) and not error.permanent),
            reraise=True,
        )
        try:
            found: Json = await retrying(self._send, pool, data, ends)
        except ProviderError as error:
            sent = int(retrying.statistics["attempt_number"])
            words = f"{error}; {sent} request{'s' if sent != 1 else ''} sent"
            raise ProviderError(
                error.kind, words, permanent=True, retry_after=error.retry_after, refused=error.refused
            ) from None
        return found

    async def aclose(self) -> None:
        """Close the connections; a later call opens new ones."""
        if self._pool is not None:
            pool, self._pool = self._pool, None
            await pool.http.aclose()

    def _open_pool(self) -> _Pool:
        loop = asyncio.get_running_loop()
        if self._pool is None or self._pool.loop is not loop:
            self._pool = _Pool(loop, self.url, self._key, self._config)
        return self._pool

    async def _send(self, pool: _Pool, data: bytes, ends: float) -> Json:
        await pool.pace.take(1)
        async with pool.slots:
            limit = min(self._config.timeout_s, ends - pool.loop.time())
            try:
                async with asyncio.timeout(max(limit, 0.001)):
                    status, headers, body = await _exchange(pool.http, self.url, data)
            except TimeoutError:
                raise ProviderError("timeout", f"no complete answer within {limit:.1f} s") from None
            except (httpx.HTTPError, httpx.InvalidURL, OSError, ValueError) as error:
                raise self._failed(error) from None
        if status != 200:
            raise systemone_error(status, body.decode("utf-8", "replace"), headers, self._key)
        return self._read(body)

    def _read(self, body: bytes) -> Json:
        text = without_key(body.decode("utf-8", "replace"), self._key)
        try:
            return json.loads(text or "", object_pairs_hook=unique_keys)
        except (ValueError, RecursionError) as error:
            start = brief(scrub((text or "")[:2000], self._key))[:120]
            words = f"the server answered with HTTP 200 and no JSON that can be read ({brief(str(error))}): {start!r}"
            raise ProviderError("bad_response", words, permanent=True) from None

    def _failed(self, error: Exception) -> ProviderError:
        words = brief(scrub(str(error) or type(error).__name__, self._key))
        return ProviderError("connection", f"no answer from {urlsplit(self.url).netloc}: {words}")


class _Pool:
    """What belongs to one event loop: the connections, the slots and the pace."""

    def __init__(self, loop: asyncio.AbstractEventLoop, url: str, key: str | None, config: ClassifierConfig) -> None:
        self.loop = loop
        self.slots = asyncio.Semaphore(config.max_in_flight)
        self.pace = Bucket(config.rpm, max(1.0, config.rpm / 60))
        headers = {"Content-Type": "application/json", "Accept": "application/json"}
        if key is not None:
            headers["Authorization"] = f"Bearer {key}"
        self.http = httpx.AsyncClient(
            headers=headers,
            timeout=None,  # noqa: S113  (the time-out stands around the whole exchange)
            follow_redirects=False,
            trust_env=False,
            proxy=proxy_for(url),
        )


def _key(config: ClassifierConfig) -> str | None:
    """Return the key that the server gets, or None where none is sent: a key never goes to a server it was not named with."""
    if config.api_key_env is None and config.base_url is not None:
        return None
    return key_in(config.api_key_env or KEY_VARIABLE, "the System One server", FILE)


async def _exchange(http: httpx.AsyncClient, url: str, data: bytes) -> tuple[int, dict[str, str], bytes]:
    body = bytearray()
    async with http.stream("POST", url, content=data) as response:
        async for chunk in response.aiter_bytes():
            body += chunk
            if len(body) > MAX_BODY:
                raise ProviderError(
                    "bad_response", f"the server's answer is longer than {MAX_BODY // 1024**2} MB", permanent=True
                )
    http.cookies.clear()
    return response.status_code, dict(response.headers), bytes(body)


def _asked_wait(state: RetryCallState) -> float:
    error = state.outcome.exception() if state.outcome is not None else None
    return (error.retry_after or 0.0) if isinstance(error, ProviderError) else 0.0
