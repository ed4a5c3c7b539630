"""Annotations for GitHub Actions: `::error title=...::message`, each value escaped as the runner reads it.

The runner shows ten errors of a step; failed gates come first, then failing cases.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from evalkit.reporting import wording
from evalkit.reporting.escape import one_line
from evalkit.reporting.gated_cases import GatedRun, behind

CASES_SHOWN = 10


def annotation_lines(runs: Sequence[GatedRun]) -> Iterator[str]:
    """Yield a line for each gate that did not pass, then for the first failing cases of each failed one."""
    for found, _ in runs:
        for result in found.results:
            if result.state != "passed":
                level = "error" if result.state == "failed" else "warning"
                yield _command(level, f"gate {result.state}: {result.name}", f"{result.demand}: {result.reason}")
    for found, failures in runs:
        for result in found.results:
            if result.state == "failed":
                for line in islice(behind(result, failures), CASES_SHOWN):
                    yield _command("error", f"{line.get('case_id')}: {result.name}", wording.why(line))


def _command(level: str, title: str, message: str) -> str:
    return f"::{level} title={_escaped(one_line(title)).replace(':', '%3A').replace(',', '%2C')}::{_escaped(one_line(message))}"


def _escaped(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
