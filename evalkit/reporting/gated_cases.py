"""Which failure lines stand behind a gate's result."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from evalkit.records.base import Json
from evalkit.records.gates import Gated, GateResult

Failure = Mapping[str, Json]
GatedRun = tuple[Gated, Sequence[Failure]]
"""What a run's gates came to, and its lines of failures.jsonl."""


def behind(result: GateResult, failures: Iterable[Failure]) -> Iterator[Failure]:
    """Yield the failed cases of the row or condition that a result is about."""
    for line in failures:
        names = tuple(str(line.get(name)) for name in ("capability", "scorer", "criterion"))
        if result.kind == "threshold":
            matches = "/".join(dict.fromkeys(names)) == result.name
        else:
            matches = result.kind == names[0] == "policy" and names[1] == result.name.partition(":")[0]
            matches = matches and str(line.get("case_id")) in result.cases
        if matches and line.get("kind") == "failed":
            yield line
