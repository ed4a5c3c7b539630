"""A live generator: what it is asked, how it is configured, and what a turn of it comes to.

It gets the request, the feedback and the attempt's number, and nothing of the golden set that says what is right. The request is the same
at every attempt. It never says whether its own candidate passes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from evalkit.records.base import Json
from evalkit.records.cases import Case
from evalkit.records.judges import JudgeConfig
from evalkit.records.outputs import Candidate, Output


@dataclass(frozen=True, slots=True, kw_only=True)
class GeneratorConfig:
    """A command, or a model."""

    command: tuple[str, ...] = ()
    """The program and its arguments; with `shell` one line for the shell."""
    shell: bool = False
    model: JudgeConfig | None = None
    """A model on a server, configured as a judge is."""
    folder: Path = Path()
    """To which a recording of the model's replies is relative."""
    time_limit_s: float = 120.0
    """Seconds after which a command and everything that it started is killed."""
    max_bytes: int = 1 << 20
    """Most bytes of a command's output."""
    jobs: int = 4
    """Turns at once."""
    candidate: Candidate = field(default_factory=Candidate)
    """What is known about it, for independence."""

    @property
    def identity(self) -> dict[str, Json]:
        """What makes its attempts another's: the command line, or model, endpoint and parameters."""
        if self.model is None:
            return {"command": list(self.command), "shell": self.shell}
        asked = self.model
        return {"model": asked.model, "endpoint": asked.endpoint or asked.base_url, "params": asked.params.as_sent()}

    @property
    def declared(self) -> dict[str, str]:
        """Which model of which family stands behind it, as far as it was said."""
        said = {"model": self.candidate.model, "family": self.candidate.family}
        return {name: value for name, value in said.items() if value}


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One candidate that is wanted."""

    case: Case
    attempt: int
    feedback: str | None
    previous: Output | None
    """The candidate that the feedback is about."""
    resends: int
    """How often a failed call may still be sent again."""

    @property
    def request(self) -> dict[str, Json]:
        """The request as a generator may see it: nothing of what is expected."""
        return request_of(self.case)


class GenerationError(Exception):
    """A turn without a candidate. `kind` is a stable word: time_limit, exit_status, output_size, unreadable_output, provider, rejected."""

    def __init__(self, kind: str, detail: str) -> None:
        super().__init__(f"{kind}: {detail}")
        self.kind = kind


Done = Callable[[Turn, Output], None]


class Generator(Protocol):
    """Makes candidates."""

    def generate(self, turns: Sequence[Turn], done: Done) -> None:
        """Take all turns and tell each one's output as soon as it is there, a failed one's too. Raises KeyboardInterrupt."""
        ...


def request_of(case: Case) -> dict[str, Json]:
    """Return what a generator sees of a case: id, input, context and evidence."""
    seen = {"id", "input", "context", "evidence"}
    return case.model_dump(mode="json", include=seen, exclude_none=True)


def failed(turn: Turn, error: GenerationError, resent: int) -> Output:
    """Return the output of a turn that failed for good."""
    return Output(
        case_id=turn.case.id,
        attempt=turn.attempt,
        feedback=turn.feedback,
        error=str(error),
        transport_retries=resent,
    )
