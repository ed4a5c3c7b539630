"""A server on the loopback that speaks the batch interface of the OpenAI wire beside the chat wire, and misbehaves on request.

A batch is worked through with the same `reply` that answers calls one by one. Results come in reverse order, failed ones in a file of
their own, as providers write them. `requests` holds calls that were asked one by one only.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from email import message_from_bytes
from typing import Any

from aiohttp import web

from fakes.chat_server import Body, ChatServer, completion

Line = dict[str, Any]


def said(text: str) -> Line:
    """Return a result without a request's name: it was answered."""
    return {"id": "r", "response": {"status_code": 200, "request_id": "q", "body": completion(text)}, "error": None}


def failed(status: int, message: str) -> Line:
    """Return a result without a request's name: the provider could not answer it."""
    body = {"error": {"message": message, "type": "error", "code": None}}
    return {"id": "r", "response": {"status_code": status, "request_id": "q", "body": body}, "error": None}


EXPIRED: Line = {"id": "r", "response": None, "error": {"code": "batch_expired", "message": "not done in time"}}


class BatchServer(ChatServer):
    """The server, in a thread of its own while the context lasts."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.files: dict[str, bytes] = {}
        self.batches: dict[str, dict[str, Any]] = {}
        self.polls: list[str] = []
        """Batches that were looked at, in order."""
        self.looks_needed = 2
        """Looks at a batch before it ends."""
        self.held = False
        """Whether batches do not end."""
        self.ends: list[str] = []
        """How the next batches end; `completed` when none is left."""
        self.result: Callable[[Body], Line | None] = lambda body: said(self._text(body))
        """What becomes of a request in a batch; None leaves it out."""
        self.output: Callable[[bytes], bytes] = lambda content: content
        """What is sent as a file of results."""
        self.file_name = "file"
        self.slow_start_s = 0.0
        """Seconds before a batch is started."""
        self.scripts: dict[str, list[int]] = {}
        """`upload`, `start`, `look` or `list` -> statuses of the next answers; 0 answers as it should, -500 does the work and fails."""

    def add_routes(self, app: web.Application) -> None:
        """Add files and batches."""
        app.router.add_post("/v1/files", self._upload)
        app.router.add_get("/v1/files/{id}/content", self._content)
        app.router.add_post("/v1/batches", self._start_batch)
        app.router.add_get("/v1/batches", self._list)
        app.router.add_get("/v1/batches/{id}", self._look)

    def _text(self, body: Body) -> str:
        reply: Any = self.reply
        return str(reply(body) if callable(reply) else reply)

    def _scripted(self, what: str) -> tuple[int, web.Response | None]:
        script = self.scripts.get(what, [])
        status = script.pop(0) if script else 0
        if not status:
            return 0, None
        headers = {"Retry-After": "0"} if abs(status) == 429 else {}
        return status, web.json_response({"error": {"message": "not now"}}, status=abs(status), headers=headers)

    async def _upload(self, request: web.Request) -> web.Response:
        _, refusal = self._scripted("upload")
        if refusal is not None:
            return refusal
        form = _form(request.headers["Content-Type"], await request.read())
        assert form["purpose"] == b"batch"
        name = f"{self.file_name}-{len(self.files)}"
        self.files[name] = form["file"]
        return web.json_response({"id": name, "object": "file", "purpose": "batch"})

    async def _start_batch(self, request: web.Request) -> web.Response:
        status, refusal = self._scripted("start")
        if refusal is not None and status > 0:
            return refusal
        await asyncio.sleep(self.slow_start_s)
        body = await request.json()
        assert (body["endpoint"], body["completion_window"]) == ("/v1/chat/completions", "24h")
        name = f"batch_{len(self.batches)}"
        self.batches[name] = {
            "id": name,
            "object": "batch",
            "status": "validating",
            "input_file_id": body["input_file_id"],
            "looks": 0,
        }
        return refusal or web.json_response(self.batches[name])

    async def _list(self, _: web.Request) -> web.Response:
        _, refusal = self._scripted("list")
        newest = list(reversed(self.batches.values()))
        return refusal or web.json_response({"object": "list", "data": newest, "has_more": False})

    async def _look(self, request: web.Request) -> web.Response:
        name = request.match_info["id"]
        self.polls.append(name)
        _, refusal = self._scripted("look")
        batch = self.batches.get(name)
        if refusal is not None or batch is None:
            return refusal or web.json_response({"error": {"message": "no such batch"}}, status=404)
        batch["looks"] += 1
        batch["status"] = "in_progress"
        if batch["looks"] >= self.looks_needed and not self.held:
            self._end(batch)
        return web.json_response({key: value for key, value in batch.items() if key != "looks"})

    def _end(self, batch: dict[str, Any]) -> None:
        if "ended" in batch:
            batch["status"] = batch["ended"]
            return
        batch["status"] = batch["ended"] = self.ends.pop(0) if self.ends else "completed"
        if batch["status"] == "failed":
            problem = {"code": "token_limit_exceeded", "message": "Enqueued token limit reached", "line": None}
            batch["errors"] = {"object": "list", "data": [problem]}
            return
        answered, lost = self._worked(self.lines_of(batch["id"]))
        for field, lines in (("output_file_id", answered), ("error_file_id", lost)):
            if lines:
                name = f"file-{len(self.files)}"
                self.files[name] = b"".join(json.dumps(line).encode() + b"\n" for line in reversed(lines))
                batch[field] = name
        batch["request_counts"] = {
            "total": len(answered) + len(lost),
            "completed": len(answered),
            "failed": len(lost),
        }

    def _worked(self, lines: list[Line]) -> tuple[list[Line], list[Line]]:
        answered: list[Line] = []
        lost: list[Line] = []
        for line in lines:
            assert (line["method"], line["url"]) == ("POST", "/v1/chat/completions")
            found = self.result(line["body"])
            if found is not None:
                response = found["response"]
                into = answered if response and response["status_code"] == 200 else lost
                into.append({"custom_id": line["custom_id"], **found})
        return answered, lost

    def lines_of(self, name: str) -> list[Line]:
        """Return the requests of a batch as they were uploaded."""
        return [json.loads(line) for line in self.files[self.batches[name]["input_file_id"]].splitlines()]

    async def _content(self, request: web.Request) -> web.Response:
        body = self.files.get(request.match_info["id"])
        if body is None:
            return web.json_response({"error": {"message": "no such file"}}, status=404)
        return web.Response(body=self.output(body), content_type="application/octet-stream")


def _form(content_type: str, body: bytes) -> dict[str, bytes]:
    """Return the fields of a form; aiohttp's own reader warns where a boundary is cut by the network."""
    message = message_from_bytes(f"Content-Type: {content_type}\r\n\r\n".encode() + body)
    return {
        str(part.get_param("name", header="content-disposition")): bytes(part.get_payload(decode=True))
        for part in message.walk()
        if not part.is_multipart()
    }
