"""100,000 cases without a judge: CPU against a bare loop that computes the same numbers, and memory."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

from benchmarks.big_suite import write_big_suite
from benchmarks.measure import EVALKIT, PYTHON, ROOT, Target, in_turn

CASES = 100_000
ROUNDS = 3


def run(folder: Path) -> list[Target]:
    """Return the targets for answers of 25 and of 220 words."""
    return [target for words in (25, 220) for target in _size(folder / str(words), words)]


def _size(folder: Path, words: int) -> list[Target]:
    suite = folder / "suite"
    write_big_suite(suite, CASES, words)
    bare = [PYTHON, str(ROOT / "benchmarks" / "bare_loop.py"), str(suite)]
    ours = [*EVALKIT, "run", str(suite), "--out", str(folder / "runs"), "--run-id", "b", "--quiet"]
    found = in_turn({"bare": bare, "ours": ours}, ROUNDS, folder)
    _same_numbers(json.loads(subprocess.run(bare, capture_output=True, check=True).stdout), folder / "runs" / "b")
    us, them = found["ours"], found["bare"]
    detail = f"ours {us.cpu_s:.1f} s, bare loop {them.cpu_s:.1f} s CPU"
    return [
        Target(f"{CASES} cases, {words} words, CPU over a bare loop", us.cpu_s / them.cpu_s, 2.0, detail=detail),
        Target(f"{CASES} cases, {words} words, memory", us.memory_mb, 250, "MB"),
    ]


def _same_numbers(bare: dict[str, float], run_folder: Path) -> None:
    rows = {
        row["criterion"]: row for row in json.loads((run_folder / "report.json").read_text(encoding="utf-8"))["rows"]
    }
    ours = (rows["exact_match"]["passed"], rows["resolve"]["passed"], rows["match"]["passed"])
    if ours != (bare["exact"], bare["resolved"], bare["matched"]):
        raise RuntimeError(f"the two do not compute the same: {ours} against {bare}")
    if abs(rows["token_f1"]["value"] - bare["f1"]) > 1e-9:
        raise RuntimeError(f"token F1 differs: {rows['token_f1']['value']} against {bare['f1']}")
