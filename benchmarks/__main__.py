"""`python -m benchmarks [NAME ...]`."""

from __future__ import annotations

import importlib
import sys
import tempfile
from pathlib import Path

from benchmarks.measure import compile_bytecode

NAMES = ("start_up", "harness_cpu", "judged", "cached", "big")


def main() -> int:
    """Run the named benchmarks, or all; return 1 where a target is missed."""
    unknown = set(sys.argv[1:]) - set(NAMES)
    if unknown:
        print(f"unknown benchmark {', '.join(sorted(unknown))}; known: {', '.join(NAMES)}", file=sys.stderr)
        return 2
    compile_bytecode()
    missed = 0
    for name in sys.argv[1:] or NAMES:
        with tempfile.TemporaryDirectory() as folder:
            for target in importlib.import_module(f"benchmarks.{name}").run(Path(folder)):
                print(f"{name:<12} {target}", flush=True)
                missed += target.figure > target.at_most
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
