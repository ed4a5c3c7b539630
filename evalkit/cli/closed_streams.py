"""Streams that the caller closed (`>&-`): each gets one again before anything is read or written.

A closed stream is None in Python, which no command expects, and its number would go to the next file that is opened. The new standard
output refuses every write, as a full disk does; the standard error takes every write and keeps none; the input is at its end.
"""

from __future__ import annotations

import os
import sys
from typing import Literal, TextIO

_FLAGS = (os.O_RDONLY, os.O_RDONLY, os.O_WRONLY)
"""How the device behind each number is opened; a standard output that can only be read fails when it is written."""


def reopen_closed() -> None:
    """Open whichever of the three standard streams is closed."""
    for number, flags in enumerate(_FLAGS):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, flags)  # takes the lowest free number, which is this one
    sys.stdin = sys.stdin or _stream(0, "r")
    sys.stdout = sys.stdout or _stream(1, "w")
    sys.stderr = sys.stderr or _stream(2, "w")


def _stream(number: int, mode: Literal["r", "w"]) -> TextIO:
    return open(number, mode, encoding="utf-8", closefd=False)
