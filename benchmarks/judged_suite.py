"""Suites for the benchmarks, and the server that judges them: every case has a context and an answer of its own, one verdict fits all."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from urllib.request import urlopen

from benchmarks.measure import ROOT

PROSE = (
    "Only a workspace owner can ask, from the settings page or by mail from the address on file. Each request is confirmed "
    "within two business days. Approved money goes back to the original payment method; cards show it after some days, bank "
    "transfers take longer. Seats that were added mid-term follow the window of the invoice on which they were charged. "
)
QUOTE = "within 30 days of purchase"
VERDICT = {
    "claims": [
        {
            "id": 1,
            "text": "Refunds are possible within 30 days of purchase.",
            "evidence": [{"id": "e1", "source": "billing/refunds", "quote": QUOTE}],
            "cites": ["billing/refunds"],
            "status": "supported",
        }
    ],
    "evidence": [],
    "findings": [],
    "criteria": {
        name: {"claims": [1], "evidence": ["e1"], "rationale": "The quoted window is the one claimed.", "grade": "pass"}
        for name in ("F1", "F2", "F3")
    },
    "overall_pass": True,
}


def write_judged_suite(folder: Path, cases: int) -> None:
    """Write a suite of `cases` cases of about 6 KB of prompt each, judged for faithfulness."""
    outputs = folder / "outputs" / "candidate"
    outputs.mkdir(parents=True)
    (folder / "suite.yaml").write_text(
        "name: bench\njudge: judge.yaml\ncapabilities:\n  - name: faithfulness\n    judge: [{rubric: faithfulness}]\n",
        encoding="utf-8",
    )
    with (
        (folder / "golden.jsonl").open("w", encoding="utf-8") as golden,
        (outputs / "outputs.jsonl").open("w", encoding="utf-8") as answers,
    ):
        for number in range(cases):
            text = f"Article {number}. You may ask for a refund {QUOTE}. {PROSE * 4}"
            case = {
                "id": f"case-{number:06d}",
                "capabilities": ["faithfulness"],
                "input": f"How long can I return order {number}?",
                "context": [{"id": "billing/refunds", "text": text}, {"id": "billing/cards", "text": PROSE * 3}],
            }
            golden.write(json.dumps(case) + "\n")
            answer = f"Order {number} can be refunded {QUOTE} [billing/refunds]."
            answers.write(json.dumps({"case_id": case["id"], "text": answer}) + "\n")


def write_judge(folder: Path, url: str, client: str, in_flight: int) -> None:
    """Write the suite's judge.yaml for a server."""
    model = "openai/stub" if client == "litellm" else "stub"
    (folder / "judge.yaml").write_text(
        f"schema_version: 1\nclient: {client}\nmodel: {model}\nbase_url: {url}\nmax_in_flight: {in_flight}\n"
        "params: {max_tokens: 1000}\n",
        encoding="utf-8",
    )


def first_body(suite: Path) -> dict[str, object]:
    """Return what goes over the wire for the suite's first case."""
    from evalkit.judging.requests import Measurement, requests_for
    from evalkit.loading.golden import GoldenSet
    from evalkit.loading.outputs import open_outputs
    from evalkit.loading.suites import load_suite
    from evalkit.providers.chat_wire import body_of

    loaded = load_suite(suite)
    case = next(iter(GoldenSet(suite / "golden.jsonl")))
    output = open_outputs(suite, None).last_attempt(case.id)
    if output is None:
        raise RuntimeError(f"{case.id} has no output")
    measurement = Measurement("faithfulness", loaded.rubrics["faithfulness"], loaded.judge)
    return body_of(requests_for(measurement, case, output)[0].call())


class Server:
    """The loopback judge in a process of its own, so that its CPU is not counted."""

    def __init__(self, url: str) -> None:
        self.url = url

    def stats(self) -> dict[str, int]:
        """Return how many requests it saw and the most at once."""
        with urlopen(self.url.removesuffix("/v1") + "/stats", timeout=10) as answer:  # noqa: S310 - the loopback
            found: dict[str, int] = json.load(answer)
        return found


@contextlib.contextmanager
def judge_server(folder: Path, latency_s: float) -> Iterator[Server]:
    """Serve the one verdict after a latency."""
    reply = folder / "reply.json"
    reply.write_text(json.dumps(VERDICT), encoding="utf-8")
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "tests")}
    command = [sys.executable, "-m", "fakes.chat_server", "--reply", str(reply), "--latency", str(latency_s)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)
    try:
        if process.stdout is None:
            raise RuntimeError("the server has no output to tell its address on")
        yield Server(process.stdout.readline().strip())
    finally:
        process.kill()
        process.wait()
