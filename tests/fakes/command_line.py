"""The command line as a user drives it: in this process where that is enough, in one of its own where it is not."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from typer.core import TyperCommand, TyperGroup

from evalkit.cli import main
from evalkit.cli.commands import COMMANDS, load
from fakes.measuring import UNMEASURED


def commands() -> dict[tuple[str, ...], TyperCommand]:
    """Return every command that does something, by its words; all of them are imported."""
    found: dict[tuple[str, ...], TyperCommand] = {}

    def walk(command: TyperCommand | TyperGroup, path: tuple[str, ...]) -> None:
        if not isinstance(command, TyperGroup):
            found[path] = command
            return
        for name, inner in command.commands.items():
            walk(inner, (*path, name))

    for name in COMMANDS:
        walk(load(name), (name,))
    return found


PATIENCE_S = 300
"""Seconds after which a command counts as one that never ends."""


@dataclass(frozen=True)
class Ended:
    """What a command left behind."""

    status: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The one JSON document on stdout."""
        return json.loads(self.out, parse_constant=pytest.fail)


@dataclass
class CommandLine:
    """Runs evalkit within this process, in a folder of its own."""

    monkeypatch: pytest.MonkeyPatch
    capsys: pytest.CaptureFixture[str]

    def __call__(self, *arguments: object) -> Ended:
        """Run `evalkit ARGUMENTS`."""
        self.monkeypatch.setattr(sys, "argv", ["evalkit", *map(str, arguments)])
        with pytest.raises(SystemExit) as leaving:
            main()
        out, err = self.capsys.readouterr()
        return Ended(int(leaving.value.code or 0), out, err)


def spawn(*arguments: object, cwd: Path, **environment: str) -> Ended:
    """Run `evalkit ARGUMENTS` in a process of its own, which coverage does not measure: it does what other tests do in theirs."""
    done = subprocess.run(
        [sys.executable, "-m", "evalkit", *map(str, arguments)],
        cwd=cwd,
        env={**os.environ, **UNMEASURED, **environment},
        capture_output=True,
        check=False,
        timeout=PATIENCE_S,
    )
    return Ended(done.returncode, done.stdout.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace"))


_PROBE = """\
import atexit, sys
file = sys.argv.pop(1)
atexit.register(lambda: open(file, "w", encoding="utf-8").write("\\n".join(sys.modules)))
from evalkit.cli import main
main()
"""


def modules_of(*arguments: object, cwd: Path, **environment: str) -> tuple[set[str], Ended]:
    """Run `evalkit ARGUMENTS` in a fresh process and return the names of all modules that it had loaded at its end."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "modules.txt")
        done = subprocess.run(
            [sys.executable, "-c", _PROBE, str(file), *map(str, arguments)],
            cwd=cwd,
            env={**os.environ, **UNMEASURED, **environment},
            capture_output=True,
            check=False,
            timeout=PATIENCE_S,
        )
        loaded = set(file.read_text(encoding="utf-8").split("\n"))
    return loaded, Ended(
        done.returncode, done.stdout.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace")
    )
