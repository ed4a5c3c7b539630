"""The harness's own CPU per judged case, client and HTTP excluded: prompt, identity, cache, reading and checking the reply."""

from __future__ import annotations

import json
import time
from pathlib import Path

from benchmarks.judged_suite import VERDICT, write_judge, write_judged_suite
from benchmarks.measure import Target

CASES = 500


def run(folder: Path) -> list[Target]:
    """Return milliseconds per case of everything between a joined case and its folded rows, with a reply that is already there."""
    from evalkit.judging.requests import Measurement, requests_for
    from evalkit.judging.results import results_of
    from evalkit.judging.verdicts import lookup
    from evalkit.loading.golden import GoldenSet
    from evalkit.loading.outputs import open_outputs
    from evalkit.loading.suites import load_suite
    from evalkit.providers.reply_cache import open_cache
    from evalkit.records.verdicts import Purchase, Reply, StoredReply

    suite = folder / "suite"
    write_judged_suite(suite, CASES)
    write_judge(suite, "http://127.0.0.1:9/v1", "openai", 1)
    loaded = load_suite(suite)
    measurement = Measurement("faithfulness", loaded.rubrics["faithfulness"], loaded.judge)
    outputs = open_outputs(suite, None)
    reply = Reply(text=json.dumps(VERDICT), finish_reason="stop", model="stub", input_tokens=1800, output_tokens=220)
    cache = open_cache(folder / "cache", print)
    cases = [(case, outputs.last_attempt(case.id)) for case in GoldenSet(suite / "golden.jsonl")]
    started = time.process_time()
    for case, output in cases:
        if output is None:
            raise RuntimeError(f"{case.id} has no output")
        requests = requests_for(measurement, case, output)
        lookup(requests, cache)
        cache.put(requests[0].key, StoredReply(reply=reply, purchase=Purchase(tries=1, model="stub")))
        found, _ = lookup(requests, cache)
        results_of(measurement, [judgement for judgement in found if judgement])
    spent = (time.process_time() - started) / CASES * 1000
    cache.close()
    return [Target("harness CPU per judged case: ask, miss, store, read back, check", spent, 1.0, "ms")]
