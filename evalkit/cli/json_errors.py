"""A command that fails under `--json`: stdout still holds one JSON document, which says why. stderr says it in words as always."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import asdict
from itertools import takewhile

from evalkit.errors import CacheError, InputError, NamedFileError, ProviderError, RunStoreError, UsageError

_KINDS: tuple[tuple[type[BaseException], str], ...] = (
    (InputError, "input"),
    (UsageError, "usage"),
    (NamedFileError, "file"),
    (RunStoreError, "run"),
    (ProviderError, "provider"),
    (CacheError, "cache"),
    (OSError, "file"),
    (KeyboardInterrupt, "interrupted"),
)
BUG = "bug"


def json_wanted(arguments: Iterable[str]) -> bool:
    """Tell whether a command line asks for JSON; behind `--` nothing is an option."""
    return "--json" in takewhile(lambda argument: argument != "--", arguments)


def kind_of(error: BaseException) -> str:
    """Return the stable word for an error; whatever is not raised on purpose is a bug."""
    return next((word for family, word in _KINDS if isinstance(error, family)), BUG)


def print_error(
    kind: str, message: str, exit_status: int, *, error: BaseException | None = None, clean: Callable[[str], str]
) -> None:
    """Print `{"error": {kind, message, faults, total_faults, exit_status}}`; `clean` takes keys out of every text."""
    from evalkit.cli import streams

    faults = [asdict(fault) for fault in error.faults] if isinstance(error, InputError) else []
    for fault in faults:
        fault.update({name: clean(text) for name, text in fault.items() if isinstance(text, str)})
    streams.print_json(
        {
            "error": {
                "kind": kind,
                "message": clean(message),
                "faults": faults,
                "total_faults": error.total if isinstance(error, InputError) else 0,
                "exit_status": int(exit_status),
            }
        }
    )
