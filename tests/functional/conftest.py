"""Fixtures of the functional tests: the command line in a folder of its own, and a bench with a judge's server."""

from __future__ import annotations

from pathlib import Path

import pytest
from fakes.chat_server import ChatServer
from fakes.command_line import CommandLine
from fakes.judged_suites import Bench
from fakes.reading_judge import judge


@pytest.fixture
def evalkit(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    tmp_path_factory: pytest.TempPathFactory,
) -> CommandLine:
    """Run evalkit within this process, in an empty folder, without the caller's settings, where no line is too long to be found whole.

    What it, or a process that it starts, puts into the folder for temporary files goes where the test's own files go.
    """
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("tempfile.tempdir", None)
    monkeypatch.setenv("TMPDIR", str(tmp_path_factory.getbasetemp()))
    monkeypatch.setenv("COLUMNS", "10000")
    for name in ("EVALKIT_CACHE_DIR", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    return CommandLine(monkeypatch, capsys)


@pytest.fixture
def bench(evalkit: CommandLine, chat_server: ChatServer, tmp_path: Path) -> Bench:
    """Return a folder, a server that judges right, and the command line."""
    chat_server.reply = judge
    return Bench(tmp_path, chat_server, evalkit)
