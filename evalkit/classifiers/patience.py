"""When to stop asking: a server that fails again and again, or refuses the key, is left alone.

One object per classifier, shared by all who ask it; what is in flight when it gives up still ends.
"""

from __future__ import annotations

from dataclasses import dataclass

from evalkit.errors import EvalkitError, ProviderError

FAILURES_ALLOWED = 20
"""Failures in a row after which nothing more is asked."""


@dataclass(slots=True)
class Patience:
    """Counts the failures since the last answer."""

    allowed: int = FAILURES_ALLOWED
    gave_up: str = ""
    """The failure after which nothing more is asked; empty while asking goes on."""
    _failures: int = 0

    def is_over(self) -> bool:
        """Tell whether nothing more is asked."""
        return bool(self.gave_up)

    def answered(self) -> None:
        """Take an answer: failures are counted anew."""
        self._failures = 0

    def failed(self, problem: str, error: EvalkitError | None = None) -> None:
        """Take a failure; the last one allowed ends the asking, a refused key (HTTP 401 or 403) at once."""
        self._failures += 1
        refused = isinstance(error, ProviderError) and error.refused
        if (refused or self._failures >= self.allowed) and not self.gave_up:
            self.gave_up = problem
