"""A terminal in front of `evalkit ARGUMENTS`: a real pty, read until a prompt stands there, then a key."""

from __future__ import annotations

import os
import pty
import re
import select
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Self

PATIENCE_S = 120.0
_STYLE = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")


class Terminal:
    """One command in a pty. A context manager: the command never outlives it."""

    def __init__(self, *arguments: object, cwd: Path) -> None:
        self._ours, theirs = pty.openpty()
        self._process = subprocess.Popen(
            [sys.executable, "-m", "evalkit", *map(str, arguments)],
            cwd=cwd,
            env={**os.environ, "TERM": "xterm", "COLUMNS": "120", "LINES": "50"},
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            start_new_session=True,
        )
        os.close(theirs)
        self._gone = False
        self._seen = ""
        self.raw = ""
        """All that was written, control sequences included."""

    def until(self, mark: str) -> str:
        """Wait for a text and return all from the last one up to it, without colours."""
        deadline = time.monotonic() + PATIENCE_S
        while mark not in self._seen:
            assert time.monotonic() < deadline, f"waited for {mark!r} and saw: {self._seen[-2000:]}"
            if not self._read():
                raise AssertionError(f"the command ended before {mark!r}: {self._seen[-2000:]}")
        seen, found, self._seen = self._seen.partition(mark)
        return seen + found

    def press(self, keys: str) -> None:
        """Type."""
        os.write(self._ours, keys.encode("utf-8", "surrogateescape"))

    def answer(self, *keys: str, prompt: str = "[q] quit") -> list[str]:
        """Wait for the keys' line and press a key, for each key; return what stood before each."""
        seen = []
        for key in keys:
            seen.append(self.until(prompt))
            self.press(key)
        return seen

    def interrupt(self) -> None:
        """Press Ctrl-C, as the terminal would signal it."""
        os.kill(self._process.pid, signal.SIGINT)

    def go_away(self) -> int:
        """Close the terminal's window, as it were; return the exit status of what ran in it."""
        os.close(self._ours)
        self._gone = True
        return self._process.wait(PATIENCE_S)

    def ended(self) -> tuple[int, str]:
        """Wait for the end; return the exit status and what came last."""
        deadline = time.monotonic() + PATIENCE_S
        while self._read():
            assert time.monotonic() < deadline, f"it does not end, and shows: {self._seen[-2000:]}"
        return self._process.wait(PATIENCE_S), self._seen

    def _read(self) -> bool:
        if not select.select([self._ours], [], [], 0.2)[0]:
            return True
        try:
            data = os.read(self._ours, 1 << 16)
        except OSError:  # Linux says so where the other side is closed
            return False
        text = data.decode("utf-8", "replace")
        self.raw += text
        self._seen += _STYLE.sub("", text).replace("\r\n", "\n")
        return bool(data)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._process.poll() is None:
            self._process.kill()
            self._process.wait()
        if not self._gone:
            os.close(self._ours)
