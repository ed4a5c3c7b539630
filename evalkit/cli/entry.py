"""Where the process begins and ends: streams, signals, and every error as a message and an exit status.

A user's error is a message; an interruption says what is kept; a bug leaves a file with the traceback and a short message that
names it. Keys are taken out of whatever is printed or written here.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable

from evalkit.cli.exits import Exit
from evalkit.errors import EvalkitError, InputError, UserError
from evalkit.reporting.console import escape_what_cannot_be_shown

MESSAGE_CHARS = 2000


def run_and_exit(app: Callable[[], object]) -> None:
    """Run the app on the process's own arguments and leave with its exit status."""
    for stream in (sys.stdout, sys.stderr):
        escape_what_cannot_be_shown(stream)
    _treat_terminate_as_interrupt()
    sys.exit(_status(app))


def _treat_terminate_as_interrupt() -> None:
    """Let SIGTERM take the way of Ctrl-C, whichever handler stands there."""
    signal.signal(signal.SIGTERM, lambda *_: signal.raise_signal(signal.SIGINT))


def _status(app: Callable[[], object]) -> int:
    status = int(Exit.DONE)
    try:
        app()
        sys.stdout.flush()
    except SystemExit as leaving:
        status = _status_of(leaving)
    except KeyboardInterrupt:
        status = _interrupted()
    except BrokenPipeError:
        status = _pipe_closed()
    except EvalkitError as error:
        status = _failed(error)
    except OSError as error:
        _complain(f"{error.filename or 'a file'}: {error.strerror or error}")
        status = Exit.BAD_INPUT
    except Exception as error:  # noqa: BLE001 - the one place where a bug becomes a file and an exit status
        status = _bug(error)
    return status


def _status_of(leaving: SystemExit) -> int:
    if isinstance(leaving.__context__, BrokenPipeError):
        return _pipe_closed()
    code = leaving.code
    status = code if isinstance(code, int) else Exit.DONE if code is None else Exit.BAD_INPUT
    return _interrupted() if status == Exit.INTERRUPTED else status


def _interrupted() -> int:
    _complain("interrupted; verdicts that were bought are in the cache, and a rerun buys only what is missing")
    return Exit.INTERRUPTED


def _pipe_closed() -> int:
    """Leave quietly; Python would complain once more while it flushes at the end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return Exit.PIPE_CLOSED


def _failed(error: EvalkitError) -> int:
    from evalkit.providers.keys import without_known_keys

    if isinstance(error, InputError):
        # A fault names a field of the user's own file; what only looks like a secret there ("Authorization: ...") is its name.
        for line in str(error).split("\n"):
            _say(without_known_keys(line))
    else:
        _complain(str(error))
    return Exit.BAD_INPUT if isinstance(error, UserError) else Exit.UNREACHABLE


def _complain(message: str) -> None:
    from evalkit.providers.keys import scrub

    _say(scrub(message))


def _say(message: str) -> None:
    from evalkit.reporting.escape import one_line

    print(f"evalkit: {one_line(message, MESSAGE_CHARS)}", file=sys.stderr)


def _bug(error: Exception) -> int:
    import tempfile
    import traceback

    from evalkit.providers.keys import scrub
    from evalkit.runstore.files import UNSHOWN

    text = UNSHOWN.sub(lambda match: ascii(match.group())[1:-1], "".join(traceback.format_exception(error)))
    message = f"{type(error).__name__}: {error}"
    try:
        handle, name = tempfile.mkstemp(prefix="evalkit-", suffix=".traceback.txt")
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(scrub(text))
        _complain(f"this is a bug in evalkit: {message}")
        _complain(f"please report it with {name}; look through it first, it may quote your data")
    except OSError:
        _complain(f"this is a bug in evalkit: {message} (no traceback file could be written)")
    return Exit.BUG
