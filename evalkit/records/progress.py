"""What a long stage tells whoever watches. Rooms report; only cli shows."""

from __future__ import annotations

from typing import Protocol


class Progress(Protocol):
    """A watcher of a run. Calls are cheap and may come from the event loop."""

    def stage(self, name: str, total: int | None) -> None:
        """A stage began; `total` is the number of steps, where known."""
        ...

    def step(self, done: int, *, cost_usd: float | None = None) -> None:
        """`done` steps of the stage are finished; `cost_usd` is what was spent so far, None where unknown."""
        ...

    def note(self, message: str) -> None:
        """Something worth a line, e.g. a damaged cache that was moved aside."""
        ...


class Silent:
    """Nobody watches."""

    def stage(self, name: str, total: int | None) -> None:
        """Ignore."""

    def step(self, done: int, *, cost_usd: float | None = None) -> None:
        """Ignore."""

    def note(self, message: str) -> None:
        """Ignore."""
