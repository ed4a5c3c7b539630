"""Start-up: `evalkit --help` and `evalkit check` against the bare imports that any such tool pays."""

from __future__ import annotations

from pathlib import Path

from benchmarks.measure import EVALKIT, PYTHON, Target, in_turn, spend

BARE = (PYTHON, "-c", "import typer, rich, pydantic, yaml")
ROUNDS = 9


def run(folder: Path) -> list[Target]:
    """Return the CPU ratios; `check` reads the suite that `evalkit init` writes."""
    suite = folder / "suite"
    spend([*EVALKIT, "init", str(suite)])
    found = in_turn(
        {"bare": BARE, "help": [*EVALKIT, "--help"], "check": [*EVALKIT, "check", str(suite)]}, ROUNDS, folder
    )
    bare = found["bare"].cpu_s
    detail = f"bare imports {bare:.2f} s CPU"
    return [
        Target("evalkit --help, CPU over bare imports", found["help"].cpu_s / bare, 2.5, detail=detail),
        Target("evalkit check, CPU over bare imports", found["check"].cpu_s / bare, 4.0, detail=detail),
    ]
