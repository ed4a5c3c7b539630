"""What waits for somebody outside: a Request with an id, and what goes on when it is answered.

An id is a hash of what is asked, so the same question has the same id in every process. What makes an occasion unique (a call's id)
belongs into the data: two requests with one id cannot wait at once, or one approval would let two calls through.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Generic, TypeVar

from evalkit.errors import UsageError
from evalkit.records.base import Json
from evalkit.records.decisions import Request
from evalkit.records.identity import content_hash

Waiting = TypeVar("Waiting")


def make_request(kind: str, prompt: str, data: Mapping[str, Json]) -> Request:
    """Return a request whose id is the hash of its kind, prompt and data."""
    content = {"kind": kind, "prompt": prompt, "data": dict(data)}
    return Request(id=content_hash("classifier-suspension", content), kind=kind, prompt=prompt, data=dict(data))


class Suspensions(Generic[Waiting]):
    """Requests that wait, by id. Kept in memory; a host that must survive a restart stores what it puts in."""

    def __init__(self) -> None:
        self._waiting: dict[str, tuple[Request, Waiting]] = {}

    @property
    def requests(self) -> tuple[Request, ...]:
        """The requests that wait, oldest first."""
        return tuple(request for request, _ in self._waiting.values())

    def put(self, request: Request, waiting: Waiting) -> None:
        """Let something wait for a request. Raises UsageError where a request with this id waits already."""
        if request.id in self._waiting:
            raise UsageError(
                f"a request with the id {request.id} waits already: put what sets them apart into its data"
            )
        self._waiting[request.id] = (request, waiting)

    def take(self, request_id: str) -> Waiting:
        """Return what waited for a request, once. Raises UsageError for an id that does not wait, or no longer."""
        if request_id not in self._waiting:
            raise UsageError(f"no request with the id {request_id!r} waits: it was answered already, or never asked")
        return self._waiting.pop(request_id)[1]
