"""Lines of scores.jsonl: what code decided about a case, and which case and output it was."""

from __future__ import annotations

import json
from hashlib import sha256

from evalkit.records.base import Json
from evalkit.records.cases import Case
from evalkit.records.outputs import Output

DIGITS = 16
"""Hex digits of a hash in a line: enough to tell changed from unchanged, and short."""


def score_line(case: Case, golden_line: bytes, output: Output | None, scores: dict[int, Json]) -> dict[str, Json]:
    """Return a case's line; `golden_line` is the case's own line in the golden set, `scores` maps rows to results."""
    line: dict[str, Json] = {
        "case_id": case.id,
        "case": sha256(golden_line.rstrip()).hexdigest()[:DIGITS],
        "output": None if output is None else output_digest(output),
    }
    cluster = case.cluster
    if cluster is not None:
        line["cluster"] = cluster
    line["scores"] = scores
    return line


def output_digest(output: Output) -> str:
    """Return 16 hex digits of the SHA-256 of all that a scorer could read of an output, who wrote it and when aside."""
    parts: list[Json] = [
        output.text,
        output.citations,
        output.retrieved,
        output.items and [[item.text, item.evidence_path] for item in output.items],
        output.tool_calls,
        output.tools_offered,
        output.approvals,
        output.finish_reason,
        output.latency_ms,
        output.usage and [output.usage.input_tokens, output.usage.output_tokens],
        output.cost_usd,
        output.tool_turns,
        output.transport_retries,
        output.error,
    ]
    return sha256(json.dumps(parts).encode("ascii")).hexdigest()[:DIGITS]
