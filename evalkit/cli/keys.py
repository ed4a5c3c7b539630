"""Single keys from a terminal, and a line of text between them.

A key counts only after the question is on the screen: what was typed before is thrown away, and so are pasted texts and escape
sequences (an arrow key sends `ESC [ A`), so that no label is ever given by accident.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Protocol

from evalkit.errors import UsageError

END = "\x04"
"""Ctrl-D, and what a terminal that went away gives."""
NO_KEY = ""
"""More than one key at once."""


class Keys(Protocol):
    """Reads from the terminal."""

    def forget(self) -> None:
        """Throw away what was typed so far; to be called before the question is complete on the screen."""
        ...

    def key(self) -> str:
        """Wait for one key and return it in lower case; `END` at the end, `NO_KEY` for what is no single key."""
        ...

    def line(self, prompt: str) -> str:
        """Ask for a line of text; empty where nothing, or nothing readable, was typed."""
        ...


def require_terminal(instead: str) -> None:
    """Raise UsageError where nobody sits in front of this process, with what to do instead."""
    streams = (sys.stdin, sys.stdout)
    if not all(stream is not None and stream.isatty() for stream in streams):
        raise UsageError(f"this asks for keys and needs a terminal; {instead}")


def _typed_line(prompt: str) -> str:
    try:
        return input(prompt).strip()
    except (EOFError, UnicodeDecodeError):
        return ""


if sys.platform == "win32":
    import msvcrt

    class _Console:
        def forget(self) -> None:
            while msvcrt.kbhit():
                msvcrt.getwch()

        def key(self) -> str:
            sys.stdout.flush()
            key = msvcrt.getwch()
            if key in {"\x00", "\xe0"}:  # a function key sends two
                msvcrt.getwch()
                return NO_KEY
            if key == "\x03":
                raise KeyboardInterrupt
            return key.lower()

        def line(self, prompt: str) -> str:
            return _typed_line(prompt)

    @contextmanager
    def keyboard() -> Iterator[Keys]:
        """Read keys for as long as the block lasts."""
        yield _Console()

else:
    import select
    import termios
    import tty

    AFTER_ESCAPE_S = 0.05
    """Longest pause within the bytes of one key."""

    class _Terminal:
        def __init__(self, handle: int) -> None:
            self._handle = handle
            self._as_it_was = termios.tcgetattr(handle)

        def single(self) -> None:
            tty.setcbreak(self._handle)  # not raw: Ctrl-C stays a signal

        def restore(self) -> None:
            with suppress(termios.error):  # a terminal that went away has nothing to be put back
                termios.tcsetattr(self._handle, termios.TCSADRAIN, self._as_it_was)

        def forget(self) -> None:
            termios.tcflush(self._handle, termios.TCIFLUSH)

        def key(self) -> str:
            sys.stdout.flush()
            try:
                typed = os.read(self._handle, 64)
            except OSError:  # the terminal went away
                return END
            while typed[:1] == b"\x1b" and select.select([self._handle], [], [], AFTER_ESCAPE_S)[0]:
                more = os.read(self._handle, 64)
                if not more:
                    break
                typed += more
            if not typed:
                return END
            return typed.decode("ascii").lower() if len(typed) == 1 and typed.isascii() else NO_KEY

        def line(self, prompt: str) -> str:
            self.restore()
            try:
                return _typed_line(prompt)
            finally:
                self.single()

    @contextmanager
    def keyboard() -> Iterator[Keys]:
        """Read keys for as long as the block lasts; the terminal is put back as it was, whatever happens."""
        terminal = _Terminal(sys.stdin.fileno())
        terminal.single()
        try:
            yield terminal
        finally:
            terminal.restore()
