"""The batch interface of the OpenAI wire at a base URL: upload a file, start a batch, look at it, fetch what it left.

Every exchange is sent again as judge.yaml's `backoff` says. Starting a batch is the one that may not simply be repeated: where it is not
known whether an earlier request arrived, the provider's list is searched for a batch of the same file first.
"""

from __future__ import annotations

import asyncio
import io
import json
from collections.abc import Awaitable, Callable
from typing import TypeVar
from urllib.parse import quote

import aiohttp

from evalkit.errors import ProviderError
from evalkit.providers.batch_wire import CHAT_PATH, WINDOW, BatchState, identifier, state_of, states_of
from evalkit.providers.chat_wire import refuse_reserved
from evalkit.providers.endpoints import OPENAI_BASE_URL, base_url_of
from evalkit.providers.meter import Meter
from evalkit.providers.openai_session import JSON_BODY, OpenAISession
from evalkit.providers.retrying import Retrying
from evalkit.records.judges import JudgeConfig

T = TypeVar("T")

TRANSFER_S = 1800.0
"""Longest time that a file may take, in seconds."""
LONGEST_FILE = 1024 * 1024 * 1024
"""Bytes of a result file after which it is given up."""
LISTED = 100
"""Batches that are looked through, the newest first."""


class BatchClient:
    """One server's batches. Belongs to one event loop."""

    def __init__(self, config: JudgeConfig, meter: Meter) -> None:
        """Raises UsageError for a missing key, or an address that cannot be used."""
        refuse_reserved(config.params.extra)
        self.address = base_url_of(config) or OPENAI_BASE_URL
        self._session = OpenAISession(config, self.address)
        self._retrying = Retrying(config.backoff, meter)
        self._timeout_s = config.timeout_s

    @property
    def key(self) -> str | None:
        """The key that the server gets; for taking it out of what comes back."""
        return self._session.key

    async def upload(self, lines: bytes) -> str:
        """Return the id of the file that holds these lines. Raises ProviderError."""

        async def once() -> str:
            form = aiohttp.FormData()
            form.add_field("purpose", "batch")
            # A stream: aiohttp sends it in pieces, so that 200 MB do not hold up everything else.
            form.add_field("file", io.BytesIO(lines), filename="requests.jsonl", content_type="application/jsonl")
            data = self._session.json_of(await self._session.body_of("POST", f"{self.address}/files", data=form))
            found = identifier(data.get("id")) if isinstance(data, dict) else None
            if found is None:
                raise ProviderError("bad_response", "the server's JSON has no `id`, so no file was uploaded")
            return found

        return await self._sent(once, "a batch's file", TRANSFER_S)

    async def start(self, file_id: str) -> BatchState:
        """Return the one batch of an uploaded file, started unless an earlier request of this call did it. Raises ProviderError."""
        unsure = False

        async def once() -> BatchState:
            nonlocal unsure
            known = await self._listed(file_id) if unsure else None
            if known is not None:
                return known
            unsure = True
            body = {"input_file_id": file_id, "endpoint": CHAT_PATH, "completion_window": WINDOW}
            data = await self._session.body_of(
                "POST", f"{self.address}/batches", data=json.dumps(body).encode("ascii"), headers=JSON_BODY
            )
            return state_of(self._session.json_of(data), self.key)

        return await self._sent(once, "a batch's start", self._timeout_s)

    async def find(self, file_id: str) -> BatchState | None:
        """Return the batch of an uploaded file, or None where it was never started. Raises ProviderError."""
        return await self._sent(lambda: self._listed(file_id), "the list of batches", self._timeout_s)

    async def state(self, batch_id: str) -> BatchState:
        """Return how far a batch is. Raises ProviderError."""

        async def once() -> BatchState:
            data = await self._session.body_of("GET", f"{self.address}/batches/{quote(batch_id, safe='')}")
            return state_of(self._session.json_of(data), self.key)

        return await self._sent(once, f"batch {batch_id}", self._timeout_s)

    async def content(self, file_id: str) -> bytes:
        """Return a result file. Raises ProviderError."""

        async def once() -> bytes:
            url = f"{self.address}/files/{quote(file_id, safe='')}/content"
            return await self._session.body_of("GET", url, longest=LONGEST_FILE)

        return await self._sent(once, f"file {file_id}", TRANSFER_S)

    async def aclose(self) -> None:
        """Close the session."""
        await self._session.aclose()

    async def _listed(self, file_id: str) -> BatchState | None:
        data = await self._session.body_of("GET", f"{self.address}/batches?limit={LISTED}")
        found = states_of(self._session.json_of(data), self.key)
        return next((one for one in found if one.input_file == file_id), None)

    async def _sent(self, once: Callable[[], Awaitable[T]], label: str, timeout_s: float) -> T:
        async def within_time() -> T:
            await self._retrying.turn()
            try:
                async with asyncio.timeout(timeout_s):
                    return await once()
            except TimeoutError:
                raise ProviderError("timeout", f"no complete answer within {timeout_s:g} s") from None

        found, _ = await self._retrying.send(within_time, label)
        return found
