"""An event loop whose clock jumps to the next timer whenever nothing else is to be done: waits take no time and are exact.

Only for code that waits for nothing but timers. Where a socket is read the clock would run ahead of the other side.
"""

from __future__ import annotations

import asyncio
import selectors
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


class _Jumping(selectors.DefaultSelector):
    """Passes the time that it was asked to wait instead of waiting."""

    now = 0.0
    """Seconds since the loop began."""

    def select(self, timeout: float | None = None) -> Any:
        ready = super().select(0 if timeout else timeout)
        if not ready and timeout:
            self.now += timeout
        return ready


class _OwnClock(asyncio.SelectorEventLoop):
    def __init__(self) -> None:
        self.clock = _Jumping()
        super().__init__(self.clock)

    def time(self) -> float:
        return self.clock.now


def run_timed(work: Callable[[], Coroutine[Any, Any, T]]) -> tuple[T, float]:
    """Run a coroutine on a clock of its own; return its result and the seconds that passed on that clock."""
    with asyncio.Runner(loop_factory=_OwnClock) as runner:
        result = runner.run(work())
        return result, runner.get_loop().time()


def seconds_of(work: Callable[[], Coroutine[Any, Any, object]]) -> float:
    """Return the seconds that a coroutine takes on a clock of its own."""
    return run_timed(work)[1]
