"""500 judged cases: cold and warm, over the OpenAI wire and through litellm, and the harness's own CPU per judged case."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from benchmarks.judged_suite import first_body, judge_server, write_judge, write_judged_suite
from benchmarks.measure import EVALKIT, PYTHON, ROOT, Spent, Target, in_turn, median, spend
from benchmarks.start_up import BARE

CASES = 500
IN_FLIGHT = 50
LATENCY_S = 0.2
IDEAL_S = CASES / IN_FLIGHT * LATENCY_S
ROUNDS = 3


def _run(folder: Path, cache: str) -> list[str]:
    return [
        *EVALKIT,
        "run",
        str(folder / "suite"),
        "--out",
        str(folder / "runs"),
        "--run-id",
        "b",
        "--quiet",
        "--cache",
        cache,
    ]


def _cold(folder: Path, rounds: int) -> Spent:
    """Return the median of runs that each begin with an empty cache."""
    samples = []
    for number in range(rounds):
        cache = folder / f"cache-{number}"
        shutil.rmtree(cache, ignore_errors=True)
        samples.append(spend(_run(folder, str(cache)), folder))
        if samples[-1].status != 0:
            raise RuntimeError(f"the run ended with status {samples[-1].status}")
    return median(samples)


def run(folder: Path) -> list[Target]:
    """Return cold wall time over the ideal, warm CPU over --help, and what litellm's own cost leaves to us."""
    write_judged_suite(folder / "suite", CASES)
    with judge_server(folder, LATENCY_S) as server:
        write_judge(folder / "suite", server.url, "openai", IN_FLIGHT)
        cold = _cold(folder, ROUNDS)
        seen = server.stats()
        warm = _run(folder, str(folder / "cache-0"))
        commands = {"bare": BARE, "help": [*EVALKIT, "--help"], "warm": warm}
        found = in_turn({**commands, "check": [*EVALKIT, "check", str(folder / "suite")]}, 7, folder)
        bought_warm = server.stats()["requests"] - seen["requests"]
        start = found["check"].wall_s
        targets = [
            Target(
                "cold over the OpenAI wire, wall less start-up (evalkit check) over the ideal",
                (cold.wall_s - start) / IDEAL_S,
                1.5,
                detail=f"wall {cold.wall_s:.2f} s, ideal {IDEAL_S:.1f} s, CPU {cold.cpu_s:.2f} s, {cold.memory_mb:.0f} MB",
            ),
            Target("calls missing in flight of 50", IN_FLIGHT - seen["most_in_flight"], 0, "calls"),
            Target("warm rerun, calls bought", bought_warm, 0, "calls"),
            Target(
                "warm rerun, CPU over evalkit --help",
                found["warm"].cpu_s / found["help"].cpu_s,
                3.0,
                detail=f"{found['warm'].cpu_s:.2f} s CPU, {found['warm'].wall_s:.2f} s wall; --help {found['help'].cpu_s:.2f} s",
            ),
            Target(
                "warm rerun, CPU over the bare imports",
                found["warm"].cpu_s / found["bare"].cpu_s,
                7.5,
                detail="3 x 2.5: what --help may cost, three times",
            ),
        ]
        return targets + _litellm(folder, server.url)


def _litellm(folder: Path, url: str) -> list[Target]:
    """Return our cold run through litellm over litellm's own import and calls, in turn within one run."""
    write_judge(folder / "suite", url, "litellm", IN_FLIGHT)
    body = folder / "body.json"
    body.write_text(json.dumps(first_body(folder / "suite")), encoding="utf-8")
    bare = [PYTHON, str(ROOT / "benchmarks" / "bare_litellm.py"), url, str(CASES), str(IN_FLIGHT), str(body)]
    ours, theirs = [], []
    for _ in range(ROUNDS):
        theirs.append(spend(bare, folder))
        ours.append(_cold(folder, 1))
    us, them = median(ours), median(theirs)
    detail = f"ours {us.wall_s:.2f} s, litellm alone {them.wall_s:.2f} s wall"
    return [
        Target(
            "cold through litellm, wall over import and calls of litellm alone",
            us.wall_s / them.wall_s,
            1.15,
            detail=detail,
        )
    ]
