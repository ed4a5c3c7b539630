"""Where candidates come from: a recording of attempts, or a generator that is asked now with what was recorded before it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from evalkit.acceptance.chain import Chain
from evalkit.errors import Fault, InputError
from evalkit.loading.outputs import OutputsFolder
from evalkit.records.outputs import Output


class Source(Protocol):
    """Brings a candidate to each chain that wants one."""

    def serve(self, chains: Sequence[Chain]) -> None:
        """Give each of these chains its next attempt, or say that there is none. All of them want a candidate."""
        ...

    def unread(self, chain: Chain) -> int:
        """Return how many recorded attempts of an ended chain nobody looked at."""
        ...


@dataclass
class Recording:
    """Cached attempts 1..k, replayed in order."""

    outputs: OutputsFolder

    def serve(self, chains: Sequence[Chain]) -> None:
        """Give each chain its next cached attempt. Raises InputError for a case one of whose attempts is missing between others."""
        for chain in chains:
            attempts = self._attempts(chain.case.id)
            read = _read(chain)
            if not attempts:
                chain.nothing("missing_output")
            elif read < len(attempts):
                chain.take(attempts[read], more=read + 1 < len(attempts))
            else:
                asked = "the next one was asked for"
                chain.nothing("cached_attempts", f"{read} cached, {asked}", exhausted=True)

    def unread(self, chain: Chain) -> int:
        """Return how many cached attempts come after the ending."""
        return len(self.outputs.attempts(chain.case.id)) - _read(chain)

    def _attempts(self, case_id: str) -> list[Output]:
        attempts = self.outputs.attempts(case_id)
        for number, output in enumerate(attempts, 1):
            if output.attempt != number:
                problem = f"attempt {number} of case {case_id[:60]!r} is missing, attempt {output.attempt} is there"
                remedy = "decisions are replayed in order: number attempts 1, 2, 3 without a gap"
                raise InputError([Fault(file=str(self.outputs.path), field="attempt", problem=problem, remedy=remedy)])
        return attempts


def _read(chain: Chain) -> int:
    return sum(line.attempt is not None for line in chain.lines)
