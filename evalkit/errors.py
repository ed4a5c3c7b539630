"""Errors that leave a room. One root, two families; what fails inside a run is a value, not an exception.

EvalkitError
├── UserError            the user must change something (exit status 2)
│   ├── InputError       files that people write: every fault names file, line, field, what was expected, what to do
│   ├── UsageError       the command line, or a request that cannot be run as asked
│   └── RunStoreError    a run folder that is missing, torn, or belongs to another suite
└── TransientError       trying again may help
    ├── ProviderError    a model server did not answer; carries a kind and, where given, the seconds to wait
    └── CacheError       the reply cache cannot be used; the run can go on without it
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

FAULTS_SHOWN = 20
"""Faults listed one by one in an InputError; the rest are counted."""


class EvalkitError(Exception):
    """Root of every error that evalkit raises on purpose."""


class UserError(EvalkitError):
    """The user must change something; trying again unchanged gives the same error."""


class UsageError(UserError):
    """The command line or the request cannot be run as asked."""


class RunStoreError(UserError):
    """A run folder is missing, torn, tampered with, or belongs to another suite."""


class NamedFileError(RunStoreError):
    """A file that the command line names for output cannot be written."""


class TransientError(EvalkitError):
    """Trying again may help."""


class ProviderError(TransientError):
    """A call to a model server failed.

    `kind` is a stable word for counting (rate_limited, server, timeout, connection, bad_response, rejected);
    `permanent` is true where the same call can only fail again; `refused` where every other call will fail, too, because the server
    takes no call with this key (HTTP 401, 403); `retry_after` is in seconds, as the server asked; `status` is the HTTP status that the server answered with, where it did.
    The message never holds a key, a header or a URL's query.
    """

    def __init__(
        self,
        kind: str,
        message: str,
        *,
        permanent: bool = False,
        retry_after: float | None = None,
        refused: bool = False,
        status: int | None = None,
    ) -> None:
        super().__init__(message)
        self.kind = kind
        self.permanent = permanent
        self.retry_after = retry_after
        self.refused = refused
        self.status = status


class CacheError(TransientError):
    """The reply cache cannot be opened, read or written."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """One thing that is wrong in a file that somebody wrote."""

    file: str
    """Path as the user would type it."""
    line: int | None = None
    """Physical line, from 1; None where the fault has no line."""
    field: str | None = None
    """Dotted path of the field, e.g. `expected.tool_calls.0.name`."""
    problem: str
    """What is wrong, in words, with the value where that helps."""
    remedy: str = ""
    """What was expected or what to do."""

    def __str__(self) -> str:
        place = self.file if self.line is None else f"{self.file}:{self.line}"
        field = f" {self.field}:" if self.field else ""
        remedy = f" ({self.remedy})" if self.remedy else ""
        return f"{place}:{field} {self.problem}{remedy}"


class InputError(UserError):
    """Faults in the files that people write, all of them at once: the first 20 in full, the rest counted."""

    def __init__(self, faults: Sequence[Fault], total: int | None = None) -> None:
        self.faults = tuple(faults[:FAULTS_SHOWN])
        self.total = len(faults) if total is None else total
        lines = [str(fault) for fault in self.faults]
        if self.total > len(self.faults):
            lines.append(f"... and {self.total - len(self.faults)} more")
        super().__init__("\n".join(lines))
