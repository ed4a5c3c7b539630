"""A server on the loopback that speaks the OpenAI chat wire and misbehaves on request.

In a test:      with ChatServer(reply="...") as server: ... server.url ... server.requests
As a process:   python -m fakes.chat_server --reply FILE --latency 0.2     (prints its URL; GET /stats tells what it saw)

What a request gets is a behaviour: an async function from the request's body to a response. `reply` may be a text, a behaviour, or
a function from the body to either; `script` holds behaviours for the first requests, in order of arrival.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import socket
import threading
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from aiohttp import web

Body = dict[str, Any]
Behaviour = Callable[[web.Request, Body], Awaitable[web.StreamResponse]]
Reply = str | Behaviour | Callable[[Body], "str | Behaviour"]

MODEL = "stub-2025-01-01"


@dataclass(frozen=True)
class Received:
    """A request as it arrived."""

    path: str
    headers: dict[str, str]
    body: Body
    at: float
    """Monotonic seconds."""

    @property
    def text(self) -> str:
        """The last message's content."""
        return str(self.body["messages"][-1]["content"])


def completion(
    text: object,
    *,
    finish_reason: str = "stop",
    refusal: str | None = None,
    model: str = MODEL,
    usage: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Return the JSON of a chat completion; `usage={}` leaves usage out."""
    message: dict[str, Any] = {"role": "assistant", "content": text}
    if refusal is not None:
        message["refusal"] = refusal
    data: dict[str, Any] = {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1700000000,
        "model": model,
        "choices": [{"index": 0, "finish_reason": finish_reason, "message": message}],
    }
    counts = {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120} if usage is None else dict(usage)
    if counts:
        data["usage"] = counts
    return data


def say(text: object, *, latency: float = 0.0, **fields: Any) -> Behaviour:
    """Answer with a completion; `fields` as for `completion`."""
    return send_json(completion(text, **fields), latency=latency)


def send_json(
    data: object, *, status: int = 200, headers: Mapping[str, str] | None = None, latency: float = 0.0
) -> Behaviour:
    """Answer with any JSON."""
    return send(json.dumps(data).encode(), status=status, headers=headers, latency=latency)


def send(
    body: bytes,
    *,
    status: int = 200,
    headers: Mapping[str, str] | None = None,
    content_type: str = "application/json",
    latency: float = 0.0,
) -> Behaviour:
    """Answer with any bytes."""

    async def behave(request: web.Request, _: Body) -> web.StreamResponse:
        await asyncio.sleep(latency)
        return web.Response(body=body, status=status, headers=headers, content_type=content_type)

    return behave


def fail(status: int, message: str = "no", *, code: str | None = None, **headers: str) -> Behaviour:
    """Answer with an error of the OpenAI wire; `retry_after="1"` becomes the header Retry-After."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return send_json({"error": {"message": message, "type": "error", "code": code}}, status=status, headers=named)


def html() -> Behaviour:
    """Answer with a web page and status 200, as proxies do."""
    return send(b"<html><body>Welcome to the gateway</body></html>", content_type="text/html")


def broken_json() -> Behaviour:
    """Answer with status 200 and JSON that stops in the middle."""
    return send(json.dumps(completion("x")).encode()[:40])


def silence(seconds: float = 3600.0) -> Behaviour:
    """Accept the request and answer nothing for a long time."""

    async def behave(request: web.Request, _: Body) -> web.StreamResponse:
        await asyncio.sleep(seconds)
        return web.Response(status=504)

    return behave


def drip(pause: float = 1.0) -> Behaviour:
    """Answer a byte at a time."""

    async def behave(request: web.Request, _: Body) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": "application/json"})
        await response.prepare(request)
        for byte in json.dumps(completion("slow")).encode():
            await response.write(bytes([byte]))
            await asyncio.sleep(pause)
        return response

    return behave


def closed_mid_body() -> Behaviour:
    """Announce a body, send a part of it and close the connection."""

    async def behave(request: web.Request, _: Body) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": "application/json", "Content-Length": "1000"})
        await response.prepare(request)
        await response.write(b'{"choices": [')
        if request.transport is not None:
            request.transport.close()
        return response

    return behave


def echo(body: Body) -> str:
    """Reply with the last message's content."""
    return str(body["messages"][-1]["content"])


def echo_headers() -> Behaviour:
    """Reply with the request's own headers, keys included, as a badly made gateway might."""

    async def behave(request: web.Request, _: Body) -> web.StreamResponse:
        return web.json_response(completion(json.dumps(dict(request.headers))))

    return behave


def closed_port() -> int:
    """Return a port of the loopback on which nobody listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class ChatServer:
    """The server, in a thread of its own while the context lasts."""

    def __init__(self, reply: Reply = "ok", *, latency: float = 0.0, script: Sequence[Behaviour] = ()) -> None:
        self.reply = reply
        self.latency = latency
        self.script = list(script)
        self.held_after: int | None = None
        """How many of the requests since the last reset are answered; the others wait until their client leaves. None is all."""
        self.together = 0
        """The first requests wait until so many are in flight, so that a machine's speed does not decide how many ever are."""
        self.requests: list[Received] = []
        self.in_flight = 0
        self.most_in_flight = 0
        self.url = ""
        """Base URL, /v1 included."""
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._serve, name="chat-server", daemon=True)
        self._ready = threading.Event()
        self._met = asyncio.Event()

    def __enter__(self) -> Self:
        self._thread.start()
        assert self._ready.wait(timeout=60), "the server does not start"
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(timeout=60)
        assert not self._thread.is_alive(), "the server does not end"

    @property
    def texts(self) -> list[str]:
        """The last message of each request, in order of arrival."""
        return [received.text for received in self.requests]

    def reset(self) -> None:
        """Forget what was received."""
        self.requests.clear()
        self.most_in_flight = 0

    def _serve(self) -> None:
        asyncio.set_event_loop(self._loop)
        runner = self._loop.run_until_complete(self._start())
        self._ready.set()
        try:
            self._loop.run_forever()
        finally:
            self._loop.run_until_complete(runner.cleanup())
            self._loop.run_until_complete(self._loop.shutdown_asyncgens())
            self._loop.close()

    async def _start(self) -> web.AppRunner:
        app = web.Application(client_max_size=64 * 1024 * 1024)
        app.router.add_get("/stats", self._stats)
        self.add_routes(app)
        app.router.add_post("/{path:.*}", self._handle)
        runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.05, handler_cancellation=True)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0, backlog=1024)
        await site.start()
        host, port = runner.addresses[0][:2]
        self.url = f"http://{host}:{port}/v1"
        return runner

    def add_routes(self, app: web.Application) -> None:
        """Add what a server beyond the chat wire answers."""

    async def _stats(self, _: web.Request) -> web.Response:
        return web.json_response({"requests": len(self.requests), "most_in_flight": self.most_in_flight})

    async def _handle(self, request: web.Request) -> web.StreamResponse:
        raw = await request.read()
        body = json.loads(raw) if raw else {}
        self.requests.append(Received(request.path, dict(request.headers), body, time.monotonic()))
        self.in_flight += 1
        self.most_in_flight = max(self.most_in_flight, self.in_flight)
        try:
            if self.held_after is not None and len(self.requests) > self.held_after:
                return await silence()(request, body)
            await self._meet()
            if self.script:
                return await self.script.pop(0)(request, body)
            if self.latency:
                await asyncio.sleep(self.latency)
            return await self._default(request, body)
        finally:
            self.in_flight -= 1

    async def _meet(self) -> None:
        if self.in_flight >= self.together:
            self._met.set()
        # Where too few ever come, all go on, and the test sees how many there were.
        with suppress(TimeoutError):
            await asyncio.wait_for(self._met.wait(), timeout=30)

    async def _default(self, request: web.Request, body: Body) -> web.StreamResponse:
        if not request.path.endswith("/chat/completions") or "//" in request.path:
            return web.json_response({"error": {"message": f"no such path: {request.path}"}}, status=404)
        reply: Any = self.reply
        if callable(reply) and not asyncio.iscoroutinefunction(reply):
            reply = reply(body)
        if isinstance(reply, str):
            return web.json_response(completion(reply))
        response: web.StreamResponse = await reply(request, body)
        return response


def main() -> None:
    """Serve until killed."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--reply", type=Path, help="file whose text is every reply")
    parser.add_argument("--latency", type=float, default=0.0, help="seconds before each reply")
    options = parser.parse_args()
    with ChatServer(options.reply.read_text("utf-8") if options.reply else "ok", latency=options.latency) as server:
        print(server.url, flush=True)
        threading.Event().wait()


if __name__ == "__main__":
    main()
