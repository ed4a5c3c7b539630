"""The batch interface of the OpenAI wire, without a network: calls to lines of a file, states and result files to records.

Everything a server sends is untrusted. A result belongs to the call whose key it names, never to a place in the file: providers write
results in any order, leave some out, and put failed ones into a second file.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from evalkit.errors import ProviderError
from evalkit.providers.chat_wire import body_of, reply_of, whole_count
from evalkit.providers.http_errors import brief
from evalkit.providers.keys import reply_without_key, scrub
from evalkit.records.base import Json
from evalkit.records.chat import ChatCall
from evalkit.records.judges import BatchConfig
from evalkit.records.verdicts import Reply

CHAT_PATH = "/v1/chat/completions"
"""Where each request of a batch would go by itself; the provider's own path, whatever the base URL."""
WINDOW = "24h"
"""The one completion window there is."""
ENDED = frozenset({"completed", "failed", "expired", "cancelled"})
"""States in which nothing more happens to a batch."""
RUNNING = frozenset({"validating", "in_progress", "finalizing", "cancelling"})
LONGEST_ID = 200
_ID = re.compile(r"(?!\.{1,2}$)[!-~]+")
"""Visible ASCII, and no step up in a path."""


@dataclass(frozen=True, slots=True)
class BatchState:
    """A batch as the provider sees it."""

    id: str
    status: str
    """One of `ENDED` or `RUNNING`, or `unknown`, which counts as running."""
    input_file: str | None
    output_file: str | None
    """Requests that were answered; there may be none."""
    error_file: str | None
    """Requests that failed or expired; there may be none."""
    done: int
    """Requests that were answered or have failed."""
    problem: str
    """Why the whole batch failed, in the provider's words, scrubbed; empty where it did not."""

    @property
    def ended(self) -> bool:
        """Whether nothing more happens to it."""
        return self.status in ENDED


@dataclass(slots=True)
class BatchResults:
    """What stands in the result files of a batch."""

    replies: dict[str, Reply] = field(default_factory=dict)
    """Key of a call -> its reply."""
    failed: Counter[str] = field(default_factory=Counter)
    """Reason -> requests that the provider says have failed."""
    unreadable: int = 0
    """Lines that are no result."""
    doubled: set[str] = field(default_factory=set)
    """Keys with two results that differ; neither is taken."""


def line_of(call: ChatCall) -> bytes:
    """Return a call as a line of a batch's file, its line end included."""
    line = {"custom_id": call.key, "method": "POST", "url": CHAT_PATH, "body": body_of(call)}
    return json.dumps(line, separators=(",", ":")).encode("ascii") + b"\n"


@dataclass(slots=True)
class Packing:
    """How requests fill batches, in order."""

    config: BatchConfig
    batches: int = 0
    """Batches so far, the last one included."""
    requests: int = 0
    """Of the last batch."""
    size: int = 0
    """Bytes of the last batch."""

    def add(self, length: int) -> int | None:
        """Return the place, from 0, that a request of so many bytes has in its batch; None where it is too large for any."""
        if length > self.config.max_bytes:
            return None
        full = self.requests == self.config.max_requests or self.size + length > self.config.max_bytes
        if not self.batches or full:
            self.batches, self.requests, self.size = self.batches + 1, 0, 0
        self.requests, self.size = self.requests + 1, self.size + length
        return self.requests - 1


def sized(calls: Sequence[ChatCall], config: BatchConfig) -> Iterator[list[ChatCall]]:
    """Yield the calls of each batch, in order, none larger than the limits; a call too large for any batch is left out."""
    packing = Packing(config)
    batch: list[ChatCall] = []
    for call in calls:
        place = packing.add(len(line_of(call)))
        if place is None:
            continue
        if place == 0 and batch:
            yield batch
            batch = []
        batch.append(call)
    if batch:
        yield batch


def state_of(data: Json, key: str | None) -> BatchState:
    """Return the state in a batch object. Raises ProviderError(bad_response) where it is none."""
    found = data if isinstance(data, dict) else {}
    batch_id = identifier(found.get("id"))
    if batch_id is None or not isinstance(found.get("status"), str):
        raise ProviderError("bad_response", "the server's JSON has no `id` and `status`, so it is no batch")
    counts = found.get("request_counts")
    counts = counts if isinstance(counts, dict) else {}
    status = found["status"] if found["status"] in ENDED | RUNNING else "unknown"
    return BatchState(
        id=batch_id,
        status=status,
        input_file=identifier(found.get("input_file_id")),
        output_file=identifier(found.get("output_file_id")),
        error_file=identifier(found.get("error_file_id")),
        done=(whole_count(counts.get("completed")) or 0) + (whole_count(counts.get("failed")) or 0),
        problem=brief(scrub(_problems(found.get("errors")), key)),
    )


def states_of(data: Json, key: str | None) -> list[BatchState]:
    """Return the states in a list of batches; what is no batch is left out."""
    entries = data.get("data") if isinstance(data, dict) else None
    found = []
    for entry in entries if isinstance(entries, list) else ():
        try:
            found.append(state_of(entry, key))
        except ProviderError:
            continue
    return found


def identifier(value: Json) -> str | None:
    """Return an id that a server gave, or None for anything that can be none."""
    return value if isinstance(value, str) and len(value) <= LONGEST_ID and _ID.fullmatch(value) else None


def _problems(errors: Json) -> str:
    entries = errors.get("data") if isinstance(errors, dict) else None
    found = [entry for entry in entries if isinstance(entry, dict)] if isinstance(entries, list) else []
    return "; ".join(_said(entry) for entry in found)


def _said(error: Json) -> str:
    if not isinstance(error, dict):
        return str(error)
    return " ".join(str(error[name]) for name in ("code", "message") if error.get(name))


def read_results(files: Sequence[bytes], key: str | None) -> BatchResults:
    """Return what the result files of one batch hold, whatever they hold; `key` is removed from every text."""
    results = BatchResults()
    for body in files:
        for line in body.split(b"\n"):
            if line.strip():
                _read_line(line, results, key)
    for doubled in results.doubled:
        results.replies.pop(doubled, None)
    return results


def _read_line(line: bytes, results: BatchResults, key: str | None) -> None:
    try:
        data: Json = json.loads(line)
    except (ValueError, RecursionError):
        data = None
    name = data.get("custom_id") if isinstance(data, dict) else None
    if not isinstance(data, dict) or not isinstance(name, str):
        results.unreadable += 1
        return
    try:
        reply = reply_without_key(_reply(data), key)
    except ProviderError as error:
        results.failed[brief(scrub(str(error), key))] += 1
        return
    if results.replies.setdefault(name, reply) != reply:
        results.doubled.add(name)


def _reply(data: dict[str, Json]) -> Reply:
    response = data.get("response")
    if data.get("error"):
        raise ProviderError("server", _said(data["error"]))
    if not isinstance(response, dict):
        raise ProviderError("bad_response", "no response")
    status, body = response.get("status_code"), response.get("body")
    if status != 200:
        error = body.get("error") if isinstance(body, dict) else None
        raise ProviderError("server", f"HTTP {status} {_said(error) if error else ''}".strip())
    return reply_of(body)
