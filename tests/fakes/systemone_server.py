"""A server on the loopback that speaks the System One wire and misbehaves on request.

    with SystemOneServer({"is_urgent": {"type": "noul", "noul": 0.95}}) as server: ... server.base ... server.requests

Answers are given by question id, or by a function from the request's body to all answers. `script` holds behaviours for the first
requests, as for the chat server, whose behaviours (fail, silence, drip, send, ...) serve here as well.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from aiohttp import web

from fakes.chat_server import Behaviour, Body, ChatServer, send, send_json

MODEL = "jev-1.13.0"
PATH = "/v1/systemone"

Answers = Mapping[str, Any] | Callable[[Body], Mapping[str, Any]]


def decision(answers: Mapping[str, Any], *, model: Any = MODEL, usage: Any = None) -> dict[str, Any]:
    """Return the JSON of a decision; `usage=0` leaves usage out."""
    data: dict[str, Any] = {"model": model, "answers": dict(answers)}
    if usage != 0:
        data["usage"] = {"input_tokens": 304, "output_tokens": 18} if usage is None else usage
    return data


def decide(answers: Mapping[str, Any], **fields: Any) -> Behaviour:
    """Answer with a decision; NaN and infinities are sent as Python writes them."""
    return send(json.dumps(decision(answers, **fields)).encode())


def detail(status: int, said: Any, **headers: str) -> Behaviour:
    """Answer with an error whose `detail` is text, object or list; `retry_after="1"` becomes the header Retry-After."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return send_json({"detail": said}, status=status, headers=named)


class SystemOneServer(ChatServer):
    """The server, in a thread of its own while the context lasts."""

    def __init__(
        self, answers: Answers | None = None, *, script: Sequence[Behaviour] = (), key: str | None = None
    ) -> None:
        super().__init__(script=script)
        self.answers: Answers = answers or {}
        self.key = key
        """The key that a request must carry; None takes any."""

    @property
    def base(self) -> str:
        """Base URL without a path."""
        return self.url.removesuffix("/v1")

    async def _default(self, request: web.Request, body: Body) -> web.StreamResponse:
        if request.path != PATH:
            return web.json_response({"detail": f"no such path: {request.path}"}, status=404)
        if self.key is not None and request.headers.get("Authorization") != f"Bearer {self.key}":
            return web.json_response({"detail": f"bad key {request.headers.get('Authorization')}"}, status=401)
        answers = self.answers(body) if callable(self.answers) else self.answers
        return web.json_response(decision({name: answers[name] for name in body["questions"] if name in answers}))
