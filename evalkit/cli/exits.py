"""Exit statuses of every command, by name."""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntEnum


class Exit(IntEnum):
    """What a command's exit status says."""

    DONE = 0
    """Done."""
    FAILED = 1
    """A policy condition, a gate or a self-test failed, or not every result is complete."""
    BAD_INPUT = 2
    """Bad input or usage."""
    INVALID = 3
    """The run is invalid for gating: error budget, instability, incomplete."""
    NOT_COMPARABLE = 4
    """Two runs cannot be compared."""
    UNREACHABLE = 69
    """A model server or the cache could not be reached; trying again may help."""
    BUG = 70
    """A fault of evalkit's own; a file with the traceback was written."""
    OUTPUT_LOST = 74
    """The standard output cannot be written, e.g. on a full disk or closed; says nothing of the run, which is in its folder."""
    INTERRUPTED = 130
    """Interrupted; what was bought is in the cache."""
    PIPE_CLOSED = 141
    """Whoever read the output went away."""


_WORST_FIRST = (Exit.INTERRUPTED, Exit.FAILED, Exit.INVALID)


def worst(statuses: Iterable[int]) -> int:
    """Return the status of several runs together: interrupted before failed before invalid before done."""
    found = set(statuses)
    return next((int(status) for status in _WORST_FIRST if status in found), int(Exit.DONE))
