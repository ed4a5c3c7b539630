"""The standard output as commands see it: a write that fails there is never taken for the error of some file."""

from __future__ import annotations

from typing import Any, TextIO


class OutputLost(Exception):  # noqa: N818 - it says what happened, and is no error of the user's files
    """The standard output cannot be written, e.g. because a disk is full."""


class WatchedOutput:
    """Passes everything on to a stream. A failed write raises OutputLost; a reader that went away stays BrokenPipeError."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self.written = False
        """Whether a text was handed over."""

    def write(self, text: str) -> int:
        """Write a text. Raises OutputLost, BrokenPipeError."""
        self.written = self.written or bool(text)
        try:
            return self._stream.write(text)
        except BrokenPipeError:
            raise
        except OSError as error:
            raise OutputLost(error.strerror or str(error)) from error

    def flush(self) -> None:
        """Hand on what was written. Raises OutputLost, BrokenPipeError."""
        try:
            self._stream.flush()
        except BrokenPipeError:
            raise
        except OSError as error:
            raise OutputLost(error.strerror or str(error)) from error

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)
