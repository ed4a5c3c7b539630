"""Progress on stderr: one line that is written over on a terminal, a plain line every few seconds elsewhere.

Each shows how far the stage is, its rate, what was spent so far and the time left. No thread and no hidden cursor: a process
that is killed leaves the terminal as it was.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TextIO

from evalkit.records.progress import Silent
from evalkit.reporting import figures
from evalkit.reporting.escape import one_line

OVERWRITE_EVERY_S = 0.1
PLAIN_EVERY_S = 5.0
SETTLING_S = 1.0
"""Seconds of a stage before its rate says anything about the time left."""


class Watcher:
    """Shows a run's progress on a stream."""

    def __init__(self, stream: TextIO, *, overwrite: bool) -> None:
        self._stream = stream
        self._overwrite = overwrite
        self._every = OVERWRITE_EVERY_S if overwrite else PLAIN_EVERY_S
        self._name = ""
        self._total: int | None = None
        self._began = self._shown = time.monotonic()
        self._open = False

    def stage(self, name: str, total: int | None) -> None:
        """A stage began; its first sign comes when it has taken a moment."""
        self.close()
        self._name, self._total = name, total
        self._began = self._shown = time.monotonic()

    def step(self, done: int, *, cost_usd: float | None = None) -> None:
        """Show how far the stage is, unless that was shown a moment ago and more is to come."""
        now = time.monotonic()
        if now - self._shown < self._every and not (self._open and done == self._total):
            return
        self._shown = now
        self._put(self._sentence(done, now - self._began, cost_usd))

    def note(self, message: str) -> None:
        """Print a line that stays."""
        self.close()
        self._stream.write(f"note: {one_line(message, 1000)}\n")
        self._stream.flush()

    def close(self) -> None:
        """End a line that is being written over."""
        if self._open:
            self._stream.write("\n")
            self._stream.flush()
            self._open = False

    def _sentence(self, done: int, elapsed: float, cost_usd: float | None) -> str:
        of = "" if self._total is None else f" of {self._total:,}"
        parts = [f"{self._name} {done:,}{of}"]
        if elapsed > 0:
            parts.append(f"{done / elapsed:,.1f}/s")
        if cost_usd is not None:
            parts.append(f"{figures.dollars(cost_usd)} so far")
        if self._total is not None and done and elapsed >= SETTLING_S:
            parts.append(f"{_clock(elapsed / done * (self._total - done))} left")
        return ", ".join(parts)

    def _put(self, sentence: str) -> None:
        if self._overwrite:
            self._stream.write(f"\r{sentence}\x1b[K")
            self._open = True
        else:
            self._stream.write(f"{sentence}\n")
        self._stream.flush()


def _clock(seconds: float) -> str:
    whole = round(seconds)
    return (
        f"{whole // 3600}:{whole // 60 % 60:02}:{whole % 60:02}" if whole >= 3600 else f"{whole // 60}:{whole % 60:02}"
    )


@contextmanager
def watcher(stream: TextIO, *, quiet: bool) -> Iterator[Watcher | Silent]:
    """Give a watcher of a stream, or one that says nothing; a line that is being written over ends with the block."""
    if quiet:
        yield Silent()
        return
    shown = Watcher(stream, overwrite=stream.isatty())
    try:
        yield shown
    finally:
        shown.close()
