"""Coverage's tracer, stopped where it would measure nothing new: under it everything, other people's code too, takes two to three times as long."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

VARIABLES = ("COVERAGE_PROCESS_CONFIG", "COVERAGE_PROCESS_START")
"""What tells a process that is started to measure itself."""
UNMEASURED: Mapping[str, str] = dict.fromkeys(VARIABLES, "")
"""The environment's change for a process that is not to measure itself."""


@contextmanager
def untraced() -> Iterator[None]:
    """Run a block, and the processes that it starts, without coverage; nothing changes where nobody measures."""
    coverage = sys.modules.get("coverage")
    current = coverage.Coverage.current() if coverage is not None else None
    if current is None:
        yield
        return
    kept = {name: os.environ.pop(name) for name in VARIABLES if name in os.environ}
    current.stop()
    try:
        yield
    finally:
        current.start()
        os.environ.update(kept)
