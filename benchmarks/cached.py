"""20,000 cached verdicts, warm: what the cache costs a case, and that the whole run grows with the number of cases and no faster."""

from __future__ import annotations

import json
import time
from pathlib import Path

from benchmarks.judged_suite import VERDICT, write_judge, write_judged_suite
from benchmarks.measure import EVALKIT, Target, spend

CASES = 20_000
SMALL = 5_000
BATCH = 256
"""Requests looked up at once, as a run does."""


def run(folder: Path) -> list[Target]:
    """Return microseconds of cache per case and the cost of a case in a large run over that in a small one."""
    per_case = {}
    for cases in (SMALL, CASES):
        suite = folder / str(cases) / "suite"
        write_judged_suite(suite, cases)
        write_judge(suite, "http://127.0.0.1:9/v1", "openai", 1)
        keys = _fill(suite, suite.parent / "cache")
        command = [*EVALKIT, "run", str(suite), "--out", str(suite.parent / "runs"), "--run-id", "b", "--quiet"]
        spent = spend([*command, "--cache", str(suite.parent / "cache")], suite.parent)
        if spent.status != 0:
            raise RuntimeError(f"the warm run ended with status {spent.status}: it tried to buy")
        per_case[cases] = spent.cpu_s / cases
        cache_us = _read(suite.parent / "cache", keys)
    detail = f"{per_case[CASES] * 1e6:.0f} us CPU a case at {CASES}, {per_case[SMALL] * 1e6:.0f} us at {SMALL}"
    return [
        Target(f"cache, per case of {CASES}", cache_us, 60, "us"),
        Target("cost of a case in a run four times as large", per_case[CASES] / per_case[SMALL], 1.2, detail=detail),
    ]


def _fill(suite: Path, folder: Path) -> list[str]:
    """Put a verdict for every case into a cache; return the keys."""
    from evalkit.judging.requests import Measurement, requests_for
    from evalkit.loading.golden import GoldenSet
    from evalkit.loading.outputs import open_outputs
    from evalkit.loading.suites import load_suite
    from evalkit.providers.reply_cache import open_cache
    from evalkit.records.verdicts import Purchase, Reply, StoredReply

    loaded = load_suite(suite)
    measurement = Measurement("faithfulness", loaded.rubrics["faithfulness"], loaded.judge)
    outputs = open_outputs(suite, None)
    reply = Reply(text=json.dumps(VERDICT), finish_reason="stop", model="stub", input_tokens=1800, output_tokens=220)
    stored = StoredReply(reply=reply, purchase=Purchase(tries=1, model="stub", input_tokens=1800, output_tokens=220))
    cache = open_cache(folder, print)
    keys = []
    for case in GoldenSet(suite / "golden.jsonl"):
        output = outputs.last_attempt(case.id)
        if output is None:
            raise RuntimeError(f"{case.id} has no output")
        keys.append(requests_for(measurement, case, output)[0].key)
        cache.put(keys[-1], stored)
    cache.close()
    return keys


def _read(folder: Path, keys: list[str]) -> float:
    from evalkit.providers.reply_cache import open_cache

    started = time.process_time()
    cache = open_cache(folder, print)
    found = sum(len(cache.get_many(keys[at : at + BATCH])) for at in range(0, len(keys), BATCH))
    cache.close()
    if found != len(keys):
        raise RuntimeError(f"{len(keys) - found} verdicts are not in the cache")
    return (time.process_time() - started) / len(keys) * 1e6
