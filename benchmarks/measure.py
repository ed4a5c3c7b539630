"""Whole processes, measured by the operating system: CPU and wall seconds, largest resident memory.

They run from bytecode, as whatever is installed does. Where the environment forbids to write it (PYTHONDONTWRITEBYTECODE), each
process would compile evalkit anew, which costs more than the bare imports that figures are held against.
"""

from __future__ import annotations

import compileall
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

PYTHON = sys.executable
EVALKIT = (PYTHON, "-m", "evalkit")
ROOT = Path(__file__).resolve().parent.parent


class Spent(NamedTuple):
    """What one process took."""

    cpu_s: float
    wall_s: float
    memory_mb: float
    status: int


def compile_bytecode() -> None:
    """Write the bytecode of evalkit and of what stands beside these modules, for every process that is measured."""
    for folder in ("evalkit", "benchmarks", "tests/fakes"):
        compileall.compile_dir(ROOT / folder, quiet=1)


def spend(command: Sequence[str], cwd: Path | None = None, env: Mapping[str, str] | None = None) -> Spent:
    """Run a command to its end, its output thrown away, and return what it took."""
    started = time.perf_counter()
    surroundings = {**os.environ, "NO_COLOR": "1", **(env or {})}
    process = subprocess.Popen(command, cwd=cwd, env=surroundings, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    wall = time.perf_counter() - started
    process.returncode = os.waitstatus_to_exitcode(status)
    return Spent(usage.ru_utime + usage.ru_stime, wall, usage.ru_maxrss / 1024, process.returncode)


def median(samples: Sequence[Spent]) -> Spent:
    """Return the median of each figure."""
    figures = [statistics.median(column) for column in zip(*(s[:3] for s in samples), strict=True)]
    return Spent(*figures, status=samples[-1].status)


def in_turn(commands: Mapping[str, Sequence[str]], rounds: int, cwd: Path | None = None) -> dict[str, Spent]:
    """Return the median of each command over rounds in which they run one after the other, after one round to warm up."""
    samples: dict[str, list[Spent]] = {name: [] for name in commands}
    for number in range(rounds + 1):
        for name, command in commands.items():
            spent = spend(command, cwd)
            if number:
                samples[name].append(spent)
    return {name: median(found) for name, found in samples.items()}


class Target(NamedTuple):
    """One figure beside what it may be."""

    what: str
    figure: float
    at_most: float
    unit: str = "x"
    detail: str = ""

    def __str__(self) -> str:
        """Return the line that is printed."""
        verdict = "ok  " if self.figure <= self.at_most else "MISS"
        return f"{verdict}  {self.what}: {self.figure:.2f} {self.unit} (at most {self.at_most:g} {self.unit})  {self.detail}"
