"""Where the process begins and ends: streams, signals, and every error as a message and an exit status.

A user's error is a message; an interruption says what is kept; a bug leaves a file with the traceback and a short message that
names it. Under `--json` stdout gets the same as one JSON document. Keys are taken out of whatever is printed or written here.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import TextIO, cast

from evalkit.cli.closed_streams import reopen_closed
from evalkit.cli.exits import Exit
from evalkit.cli.json_errors import BUG, json_wanted, kind_of, print_error
from evalkit.cli.stdout import OutputLost, WatchedOutput
from evalkit.errors import EvalkitError, InputError, UserError
from evalkit.reporting.console import escape_what_cannot_be_shown

MESSAGE_CHARS = 2000
KEPT = "interrupted; verdicts that were bought are in the cache, and a rerun buys only what is missing"

KEPT_BY_HAND = "interrupted; what was given is on the disk, and the same command goes on where it stopped"
BY_HAND = frozenset({"label", "review"})
"""Commands in which a person decides and nothing is bought."""


def run_and_exit(app: Callable[[], object]) -> None:
    """Run the app on the process's own arguments and leave with its exit status."""
    reopen_closed()
    for stream in (sys.stdout, sys.stderr):
        escape_what_cannot_be_shown(stream)
    _treat_terminate_as_interrupt()
    stdout = sys.stdout
    sys.stdout = cast("TextIO", WatchedOutput(stdout))
    try:
        status = _delivered(app)
    finally:
        sys.stdout = stdout
    sys.exit(status)


def _treat_terminate_as_interrupt() -> None:
    """Let SIGTERM take the way of Ctrl-C, whichever handler stands there."""
    signal.signal(signal.SIGTERM, lambda *_: signal.raise_signal(signal.SIGINT))


def _delivered(app: Callable[[], object]) -> int:
    """Return the app's exit status, or what became of its output where that did not arrive."""
    try:
        status = _status(app)
        sys.stdout.flush()
    except BrokenPipeError:
        status = _give_up_stdout(Exit.PIPE_CLOSED)
    except OutputLost as lost:
        _complain(f"the standard output cannot be written: {lost}; what the command wrote to files is complete")
        status = _give_up_stdout(Exit.OUTPUT_LOST)
    return status


def _status(app: Callable[[], object]) -> int:
    status = int(Exit.DONE)
    try:
        app()
    except SystemExit as leaving:
        status = _status_of(leaving)
    except KeyboardInterrupt as error:
        status = _ended(error, _kept(), Exit.INTERRUPTED)
    except (BrokenPipeError, OutputLost):
        raise
    except EvalkitError as error:
        status = _failed(error)
    except OSError as error:
        status = _ended(error, f"{error.filename or 'a file'}: {error.strerror or error}", Exit.BAD_INPUT)
    except Exception as error:  # noqa: BLE001 - the one place where a bug becomes a file and an exit status
        status = _bug(error)
    return status


def _status_of(leaving: SystemExit) -> int:
    """Return the status with which the app left; typer turns bad usage, Ctrl-C and closed pipes into SystemExit."""
    cause = leaving.__context__
    if isinstance(cause, BrokenPipeError):
        raise cause
    code = leaving.code
    status = code if isinstance(code, int) else Exit.DONE if code is None else Exit.BAD_INPUT
    words = getattr(cause, "format_message", None)  # of a usage error, which typer has printed already
    if words is not None:
        _as_json("usage", words(), status)
    elif status == Exit.INTERRUPTED and cause is not None and isinstance(cause.__cause__, KeyboardInterrupt):
        return _ended(cause.__cause__, _kept(), Exit.INTERRUPTED)
    elif status == Exit.INTERRUPTED:
        _complain(_kept())
    return status


def _kept() -> str:
    return KEPT_BY_HAND if sys.argv[1:2] and sys.argv[1] in BY_HAND else KEPT


def _give_up_stdout(status: Exit) -> int:
    """Drop what could not be written; Python would complain once more while it flushes at the end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return status


def _failed(error: EvalkitError) -> int:
    from evalkit.providers.keys import without_known_keys

    status = Exit.BAD_INPUT if isinstance(error, UserError) else Exit.UNREACHABLE
    if not isinstance(error, InputError):
        return _ended(error, str(error), status)
    # A fault names a field of the user's own file; what only looks like a secret there ("Authorization: ...") is its name.
    for line in str(error).split("\n"):
        _say(without_known_keys(line))
    _as_json(kind_of(error), str(error), status, error=error)
    return status


def _ended(error: BaseException, message: str, status: Exit) -> int:
    _complain(message)
    _as_json(kind_of(error), message, status)
    return status


def _as_json(kind: str, message: str, status: int, *, error: InputError | None = None) -> None:
    from evalkit.providers.keys import scrub, without_known_keys

    if json_wanted(sys.argv[1:]) and not getattr(
        sys.stdout, "written", False
    ):  # one document, whatever happens after it
        print_error(kind, message, status, error=error, clean=scrub if error is None else without_known_keys)


def _complain(message: str) -> None:
    from evalkit.providers.keys import scrub

    _say(scrub(message))


def _say(message: str) -> None:
    from evalkit.reporting.escape import one_line

    with suppress(OSError):  # a standard error that is gone too changes no exit status
        print(f"evalkit: {one_line(message, MESSAGE_CHARS)}", file=sys.stderr)


def _bug(error: Exception) -> int:
    import tempfile
    import traceback

    from evalkit.providers.keys import scrub
    from evalkit.runstore.files import UNSHOWN

    text = UNSHOWN.sub(lambda match: ascii(match.group())[1:-1], "".join(traceback.format_exception(error)))
    message = f"this is a bug in evalkit: {type(error).__name__}: {error}"
    try:
        handle, name = tempfile.mkstemp(prefix="evalkit-", suffix=".traceback.txt")
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(scrub(text))
        _complain(message)
        _complain(f"please report it with {name}; look through it first, it may quote your data")
    except OSError:
        _complain(f"{message} (no traceback file could be written)")
    _as_json(BUG, message, Exit.BUG)
    return Exit.BUG
