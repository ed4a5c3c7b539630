"""A generator that is a command: one JSON object on its stdin, one on its stdout, each turn a process of its own.

No shell unless it was asked for. The command leads a process group; at the time limit, when it writes too much, when it ends and leaves
others behind, and at Ctrl-C the whole group is killed. What it wrote to stderr is quoted, its end only, where a turn fails.
"""

from __future__ import annotations

import json
import os
import shlex
import shutil
import signal
import subprocess
import threading
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from queue import Empty, SimpleQueue
from typing import IO

from evalkit.acceptance.events import RESENDABLE
from evalkit.acceptance.generator import Done, GenerationError, GeneratorConfig, Turn, failed
from evalkit.errors import UsageError
from evalkit.loading.output_objects import UnreadableOutputError, output_of
from evalkit.providers.keys import scrub
from evalkit.records.outputs import Output

STDERR_CHARS = 400
"""The end of stderr that an error repeats."""
_STDERR_KEPT = 8192
_GRACE_S = 0.5
"""Seconds that output may take to arrive after the process ended."""
_TICK_S = 0.02
_LOOK_S = 0.2
"""Longest time until Ctrl-C is seen."""
_WINDOWS = os.name == "nt"


def parse_command(text: str, *, shell: bool) -> tuple[str, ...]:
    """Return a command's words; with `shell` the line as it is. Raises UsageError where there is no such program."""
    if shell:
        return (text,)
    try:
        words = tuple(shlex.split(text))
    except ValueError as error:
        raise UsageError(f"--generator {text[:120]!r}: {error}") from None
    if not words:
        raise UsageError("--generator names no command")
    if shutil.which(words[0]) is None:
        raise UsageError(
            f"--generator: there is no program {words[0][:120]!r}; no shell is used, so aliases and variables mean nothing (--shell)"
        )
    return words


Ended = SimpleQueue[tuple[Turn, Output | BaseException]]
"""Turns that ended, each with its output or with the error to be raised where it is asked for."""


def _next(ended: Ended) -> tuple[Turn, Output | BaseException]:
    """Wait in short steps: a signal just before a wait without end would be seen when it ends, which may be never."""
    while True:
        with suppress(Empty):
            return ended.get(timeout=_LOOK_S)


@dataclass
class CommandGenerator:
    """Runs a command per turn, several at once."""

    config: GeneratorConfig
    _stopped: threading.Event = field(default_factory=threading.Event)

    def generate(self, turns: Sequence[Turn], done: Done) -> None:
        """Take all turns; outputs are told in the calling thread as they come. At Ctrl-C every process group is killed."""
        self._stopped.clear()
        ended: Ended = SimpleQueue()
        pool = ThreadPoolExecutor(max_workers=max(1, self.config.jobs))
        try:
            for turn in turns:
                pool.submit(self._tell, turn, ended)
            for _ in turns:
                turn, output = _next(ended)
                if isinstance(output, BaseException):
                    raise output
                done(turn, output)
        finally:
            self._stopped.set()
            pool.shutdown(wait=True, cancel_futures=True)

    def _tell(self, turn: Turn, ended: Ended) -> None:
        try:
            ended.put((turn, self.turn(turn)))
        except BaseException as error:  # noqa: BLE001 - raised in the thread that asked
            ended.put((turn, error))

    def turn(self, turn: Turn) -> Output:
        """Return a turn's output; failed calls are sent again as often as they may."""
        for resent in range(turn.resends + 1):
            try:
                return self._once(turn, resent)
            except GenerationError as error:
                if error.kind not in RESENDABLE or resent == turn.resends or self._stopped.is_set():
                    return failed(turn, error, resent)
        raise AssertionError("a turn has at least one call")

    def _once(self, turn: Turn, resent: int) -> Output:
        asked = {"request": turn.request, "feedback": turn.feedback, "attempt": turn.attempt}
        began = time.monotonic()
        text = run_command(self.config, json.dumps(asked).encode("ascii") + b"\n", self._stopped)
        took = (time.monotonic() - began) * 1000
        try:
            output = output_of(text, turn.case.id, turn.attempt, turn.feedback)
        except UnreadableOutputError as error:
            raise GenerationError("unreadable_output", str(error)) from None
        changes: dict[str, object] = {}
        if output.latency_ms is None:
            changes["latency_ms"] = round(took, 1)
        if resent:
            changes["transport_retries"] = (output.transport_retries or 0) + resent
        return output.model_copy(update=changes) if changes else output


def run_command(config: GeneratorConfig, given: bytes, stopped: threading.Event) -> str:
    """Return what a command wrote to stdout. Raises GenerationError (time_limit, exit_status, output_size, unreadable_output)."""
    try:
        process = subprocess.Popen(  # noqa: S603  (the user's own command, without a shell unless --shell asks for one)
            config.command[0] if config.shell else list(config.command),
            shell=config.shell,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,  # a group of its own, so that it can be killed with what it started
        )
    except OSError as error:
        raise GenerationError("exit_status", f"it cannot be started: {error.strerror or error}") from None
    pipes = _Pipes(process, given, config.max_bytes)
    try:
        _wait(process, pipes, config, stopped)
    finally:
        _kill_group(process)
        pipes.close()
    return pipes.text()


def _wait(process: subprocess.Popen[bytes], pipes: _Pipes, config: GeneratorConfig, stopped: threading.Event) -> None:
    deadline = time.monotonic() + config.time_limit_s
    while process.poll() is None:
        if pipes.too_much.is_set():
            raise GenerationError("output_size", f"it wrote more than {config.max_bytes:,} bytes and was killed")
        if stopped.is_set():
            raise GenerationError("interrupted", "it was killed")
        if time.monotonic() >= deadline:
            said = pipes.said()
            raise GenerationError("time_limit", f"no answer within {config.time_limit_s:g} s; it was killed{said}")
        time.sleep(_TICK_S)
    pipes.arrived(_GRACE_S)
    if pipes.too_much.is_set():
        raise GenerationError("output_size", f"it wrote more than {config.max_bytes:,} bytes")
    if process.returncode:
        how = f"signal {-process.returncode}" if process.returncode < 0 else f"exit status {process.returncode}"
        raise GenerationError("exit_status", f"{how}{pipes.said()}")


def _kill_group(process: subprocess.Popen[bytes]) -> None:
    """Kill the command with everything that it started and that did not leave its group."""
    with suppress(ProcessLookupError, PermissionError):
        if _WINDOWS:
            process.kill()
        else:
            os.killpg(process.pid, signal.SIGKILL)
    process.wait()


class _Pipes:
    """The three pipes of a process, each with a thread, so that none can block another."""

    def __init__(self, process: subprocess.Popen[bytes], given: bytes, most: int) -> None:
        self.too_much = threading.Event()
        self._process = process
        self._most = most
        self._out = bytearray()
        self._err = bytearray()
        self._threads = [
            threading.Thread(target=work, args=arguments, daemon=True)
            for work, arguments in (
                (self._feed, (process.stdin, given)),
                (self._read_out, (process.stdout,)),
                (self._read_err, (process.stderr,)),
            )
        ]
        for thread in self._threads:
            thread.start()

    def arrived(self, seconds: float) -> None:
        """Wait until both outputs have ended, or for so long: a process left behind may hold them open."""
        end = time.monotonic() + seconds
        for thread in self._threads[1:]:
            thread.join(max(0.0, end - time.monotonic()))

    def close(self) -> None:
        """Let the threads end; the process group is dead."""
        self.arrived(_GRACE_S)
        for pipe, thread in zip(
            (self._process.stdin, self._process.stdout, self._process.stderr), self._threads, strict=True
        ):
            thread.join(_GRACE_S)
            if pipe is not None and not thread.is_alive():  # a pipe that is being read cannot be closed
                with suppress(OSError):
                    pipe.close()

    def text(self) -> str:
        """Return stdout. Raises GenerationError where it is no UTF-8."""
        try:
            return bytes(self._out).decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise GenerationError("unreadable_output", f"it is not UTF-8 (byte {error.start})") from None

    def said(self) -> str:
        """Return the end of stderr as the end of a sentence, without keys; empty where it said nothing."""
        words = " ".join(bytes(self._err).decode("utf-8", "replace").split())
        if not words:
            return ""
        cut = words if len(words) <= STDERR_CHARS else f"...{words[-STDERR_CHARS:]}"
        return f"; stderr ends: {scrub(cut)}"

    def _feed(self, pipe: IO[bytes], given: bytes) -> None:
        with suppress(OSError, ValueError):  # it need not read what it is told
            pipe.write(given)
            pipe.flush()
        with suppress(OSError, ValueError):
            pipe.close()

    def _read_out(self, pipe: IO[bytes]) -> None:
        while chunk := _chunk(pipe):
            if len(self._out) + len(chunk) > self._most:
                self.too_much.set()
                return
            self._out += chunk

    def _read_err(self, pipe: IO[bytes]) -> None:
        while chunk := _chunk(pipe):
            self._err += chunk
            del self._err[:-_STDERR_KEPT]


def _chunk(pipe: IO[bytes]) -> bytes:
    try:
        return os.read(pipe.fileno(), 65536)
    except (OSError, ValueError):
        return b""
