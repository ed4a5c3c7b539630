"""When to stop asking: a server that fails again and again, or refuses the key, is left alone.

One object per classifier, shared by all who ask it (`Patiences`); what is in flight when it gives up still ends.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from evalkit.errors import EvalkitError, ProviderError
from evalkit.records.base import Json
from evalkit.records.identity import canonical_json

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


@dataclass(slots=True)
class Patiences:
    """One patience per classifier of a run: whoever asks the same one, as a scorer or before a judge, gives up with the others."""

    allowed: int = FAILURES_ALLOWED
    _known: dict[bytes, Patience] = field(default_factory=dict)

    def of(self, identity: Mapping[str, Json]) -> Patience:
        """Return the patience with the classifier of this identity."""
        return self._known.setdefault(canonical_json(dict(identity)), Patience(self.allowed))
