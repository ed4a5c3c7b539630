"""What the gates came to, as Markdown for a pull request or a CI summary."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from evalkit.reporting import wording
from evalkit.reporting.escape import markdown as cell
from evalkit.reporting.gated_cases import GatedRun, behind

CASES_SHOWN = 20


def gate_markdown(runs: Sequence[GatedRun]) -> str:
    """Return the summary of one or several runs."""
    return "\n".join(line for run in runs for line in _lines(run)) + "\n"


def _lines(run: GatedRun) -> Iterator[str]:
    found, failures = run
    yield f"## {cell(found.suite)}, run {cell(found.run)}: gate {found.state.upper()}"
    yield from ("", "| state | what | asked | came to |", "| --- | --- | --- | --- |")
    for result in found.results:
        yield f"| {result.state} | {cell(result.name)} | {cell(result.demand)} | {cell(result.reason, 400)} |"
    for result in found.results:
        shown = list(islice(behind(result, failures), CASES_SHOWN + 1)) if result.state == "failed" else []
        if shown:
            yield from ("", f"### {cell(result.name)}: failing cases", "", "| case | why |", "| --- | --- |")
            for line in shown[:CASES_SHOWN]:
                yield f"| {cell(str(line.get('case_id')), 80)} | {cell(wording.why(line))} |"
            if len(shown) > CASES_SHOWN:
                yield from ("", "... and more in failures.jsonl")
    yield ""
