"""The standard output as commands see it: a write that fails there is never taken for the error of some file."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, BinaryIO, TextIO


class OutputLost(Exception):  # noqa: N818 - it says what happened, and is no error of the user's files
    """The standard output cannot be written, e.g. because a disk is full."""


class WatchedOutput:
    """Passes everything on to a stream, bytes for its `buffer` too.

    A failed write raises OutputLost; a reader that went away stays BrokenPipeError.
    """

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self.written = False
        """Whether a text, or bytes, were handed over."""

    def write(self, text: str) -> int:
        """Write a text. Raises OutputLost, BrokenPipeError."""
        self.written = self.written or bool(text)
        with _lost():
            return self._stream.write(text)

    def flush(self) -> None:
        """Hand on what was written. Raises OutputLost, BrokenPipeError."""
        with _lost():
            self._stream.flush()

    @property
    def buffer(self) -> WatchedBytes:
        """The stream's bytes, as closely watched."""
        return WatchedBytes(self, self._stream.buffer)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


class WatchedBytes:
    """The binary side of a watched output."""

    def __init__(self, watched: WatchedOutput, stream: BinaryIO) -> None:
        self._watched = watched
        self._stream = stream

    def write(self, data: bytes) -> int:
        """Write bytes. Raises OutputLost, BrokenPipeError."""
        self._watched.written = self._watched.written or bool(data)
        with _lost():
            return self._stream.write(data)

    def flush(self) -> None:
        """Hand on what was written. Raises OutputLost, BrokenPipeError."""
        with _lost():
            self._stream.flush()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


@contextmanager
def _lost() -> Iterator[None]:
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        raise OutputLost(error.strerror or str(error)) from error
