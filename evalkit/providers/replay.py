"""Recorded replies instead of a server, and the recorder that writes them: JSONL, {"key", "label", "reply"} a line.

For CI without keys. A miss is an error that names the case: a recording that no longer fits must not go unnoticed. The last line of
a key counts, so a recording that was continued holds.
"""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path
from typing import IO

from pydantic import ValidationError

from evalkit.errors import Fault, InputError, NamedFileError, UsageError
from evalkit.records.chat import ChatCall
from evalkit.records.verdicts import Reply

LINE_FIELDS = {"key", "label", "reply"}


class ReplayClient:
    """Answers from a recording that is read once, at the start."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._replies = read_recording(path)

    async def complete(self, call: ChatCall) -> Reply:
        """Return the recorded reply. Raises UsageError where there is none: a replay that does not fit measures nothing."""
        reply = self._replies.get(call.key)
        if reply is None:
            raise UsageError(
                f"{self._path} holds no recorded reply for {call.label!r} (key {call.key[:16]}...): the request has changed or "
                "was never recorded; record it anew with `evalkit run --record FILE`"
            )
        return reply

    async def aclose(self) -> None:
        """Nothing is open."""


class Recorder:
    """Appends replies to a recording; each line is handed to the system before the next reply."""

    def __init__(self, path: Path) -> None:
        """Open the file. Raises NamedFileError where it cannot be written: better said before anything is bought."""
        self._path = path
        self._file: IO[bytes] | None = None
        try:
            self._file = _open_for_append(path)
        except OSError as error:
            raise self._unwritable(error) from None

    def write(self, key: str, label: str, reply: Reply) -> None:
        """Append one reply. Raises NamedFileError where the file cannot be written."""
        line = json.dumps({"key": key, "label": label, "reply": reply.model_dump(mode="json")})
        try:
            if self._file is None:
                self._file = _open_for_append(self._path)
            self._file.write(line.encode("ascii") + b"\n")
            self._file.flush()
        except OSError as error:
            raise self._unwritable(error) from None

    def close(self) -> None:
        """Close the file; what a full disk did not take was said when it was written."""
        if self._file is not None:
            with suppress(OSError):
                self._file.close()
            self._file = None

    def _unwritable(self, error: OSError) -> NamedFileError:
        reason = error.strerror or type(error).__name__
        return NamedFileError(f"{self._path}: the recording cannot be written: {reason}")


def read_recording(path: Path) -> dict[str, Reply]:
    """Return the replies of a recording by key. Raises InputError with every faulty line."""
    replies: dict[str, Reply] = {}
    faults: list[Fault] = []
    try:
        with path.open("rb") as file:
            for number, line in enumerate(file, start=1):
                if not line.strip():
                    continue
                try:
                    key, reply = _read_line(line)
                except ValueError as error:
                    faults.append(Fault(file=str(path), line=number, problem=str(error), remedy=_LINE_REMEDY))
                else:
                    replies[key] = reply
    except OSError as error:
        reason = error.strerror or type(error).__name__
        remedy = "`evalkit run --record FILE` writes a recording"
        raise InputError(
            [Fault(file=str(path), problem=f"the recording cannot be read: {reason}", remedy=remedy)]
        ) from None
    if faults:
        raise InputError(faults)
    return replies


_LINE_REMEDY = 'expected {"key": ..., "label": ..., "reply": {...}} as `evalkit run --record` writes it; delete the line or record anew'


def _read_line(line: bytes) -> tuple[str, Reply]:
    try:
        data = json.loads(line)
    except (ValueError, RecursionError):
        raise ValueError("not a JSON object (a line cut short by a kill, perhaps)") from None
    if not isinstance(data, dict) or set(data) != LINE_FIELDS or not isinstance(data["key"], str):
        raise ValueError("not a recorded reply")
    try:
        return data["key"], Reply.model_validate(data["reply"])
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in ("reply", *first["loc"]))
        raise ValueError(f"{place}: {first['msg']}") from None


def _open_for_append(path: Path) -> IO[bytes]:
    """Open a recording for appending; a last line that was cut short stays a line of its own."""
    file = path.open("a+b")
    if file.tell() > 0:
        file.seek(-1, 2)
        if file.read(1) != b"\n":
            file.write(b"\n")
    return file
