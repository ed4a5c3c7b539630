"""Ctrl-C during an experiment: what was bought is kept, the file says incomplete, and the next time buys only the rest."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time


def test_an_interrupted_experiment_is_written_incomplete_and_taken_up_again(bench):
    suite = bench.suite(golden=12, max_in_flight=1, timeout_s=300.0)
    bench.server.held_after = 3
    command = [sys.executable, "-m", "evalkit", "stability", str(suite), "--runs", "2", "--json", "--quiet"]
    child = subprocess.Popen(command, cwd=bench.root, stdout=subprocess.PIPE, env={**os.environ})
    while len(bench.server.requests) < 4:
        time.sleep(0.05)
        assert child.poll() is None
    child.send_signal(signal.SIGINT)
    out, _ = child.communicate(timeout=60)
    assert child.returncode == 130
    experiment = json.loads(out)["experiment"]
    assert (experiment["completeness"], experiment["purchases"]["stopped"]) == ("incomplete", "interrupted")
    bought = experiment["purchases"]["bought"]
    assert bought == 3
    bench.server.held_after = None
    bench.calls()
    assert bench.command("stability", suite, "--runs", "2").status == 0
    assert len(bench.calls()) == 24 - bought


def test_a_drift_that_was_killed_goes_on_where_it_stood_and_then_another_one_begins(bench):
    suite = bench.suite(golden=12, max_in_flight=1, timeout_s=300.0)
    bench.run(suite)
    bench.server.reset()
    bench.server.held_after = 3
    child = subprocess.Popen(
        [sys.executable, "-m", "evalkit", "drift", str(suite), "--quiet"], cwd=bench.root, env={**os.environ}
    )
    while len(bench.server.requests) < 4:
        time.sleep(0.05)
        assert child.poll() is None
    child.kill()
    child.wait(timeout=60)
    bench.server.held_after = None
    found = [bench.command("drift", suite, "--json").json["experiment"] for _ in range(2)]
    assert [(one["purchases"]["bought"], one["purchases"]["cached"]) for one in found] == [(9, 3), (12, 0)]
    assert found[1]["settings"]["round"] == found[0]["settings"]["round"] + 1
