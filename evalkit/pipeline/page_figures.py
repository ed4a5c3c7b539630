"""Figures that only a page needs, from a stored run's verdicts: pass rate by answer length, tokens by capability and component."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from evalkit.aggregation.length_bands import LengthBand, length_bands
from evalkit.judging.results import grade_of
from evalkit.records.outputs import Output
from evalkit.records.reports import Report
from evalkit.records.verdicts import Judgement, Purchase


class RowBands(NamedTuple):
    """The bands of one judge row."""

    capability: str
    criterion: str
    bands: tuple[LengthBand, ...]


class TokenUse(NamedTuple):
    """Tokens that the questions of one capability took when they were bought, by this run or an earlier one."""

    capability: str
    questions: int
    """Questions that a server answered, each once however often it was tried, whether or not a verdict came of it."""
    fresh: int
    """Input tokens that were read anew."""
    cached: int
    """Input tokens from the provider's own cache."""
    output: int
    unknown: int
    """Questions whose usage the server did not say; the sums are lower bounds where this is not 0."""


def bands_by_row(
    report: Report, judgements: Iterable[Judgement], outputs: Mapping[str, Output]
) -> tuple[RowBands, ...]:
    """Return the length bands of each judge row whose cases have a length; a case whose samples differ is left out."""
    criteria = defaultdict(list)
    for row in report.rows:
        if row.kind == "judge":
            criteria[row.capability, row.scorer].append(row.criterion)
    grades: dict[tuple[str, str, str], dict[str, set[object]]] = defaultdict(lambda: defaultdict(set))
    for judgement in judgements:
        for criterion in criteria[judgement.capability, judgement.rubric]:
            key = judgement.capability, judgement.rubric, criterion
            grades[key][judgement.case_id].add(_grade(criterion, judgement))
    found = []
    for (capability, _, criterion), by_case in grades.items():
        cases = [
            (len(outputs[case_id].text or ""), labels == {"pass"})
            for case_id, labels in by_case.items()
            if case_id in outputs and len(labels) == 1 and labels <= {"pass", "partial", "fail"}
        ]
        if cases:
            found.append(RowBands(capability, criterion, length_bands(cases)))
    return tuple(found)


def _grade(criterion: str, judgement: Judgement) -> object:
    if criterion != "overall" and judgement.verdict is not None and criterion not in judgement.verdict.criteria:
        return None
    return grade_of(criterion, judgement)


def tokens_by_capability(judgements: Iterable[Judgement]) -> tuple[TokenUse, ...]:
    """Return tokens per capability, in the order of the run; capabilities for which no server was asked are left out.

    A purchase that several capabilities share is counted in the first.
    """
    purchases: dict[str, dict[str, Purchase]] = defaultdict(dict)
    seen: set[str] = set()
    for judgement in judgements:
        if judgement.purchase is not None and judgement.request_key not in seen:
            seen.add(judgement.request_key)
            purchases[judgement.capability][judgement.request_key] = judgement.purchase
    return tuple(_summed(capability, list(bought.values())) for capability, bought in purchases.items())


def _summed(capability: str, bought: list[Purchase]) -> TokenUse:
    cached = sum(purchase.cached_tokens or 0 for purchase in bought)
    return TokenUse(
        capability=capability,
        questions=len(bought),
        fresh=sum(purchase.input_tokens or 0 for purchase in bought) - cached,
        cached=cached,
        output=sum(purchase.output_tokens or 0 for purchase in bought),
        unknown=sum(purchase.input_tokens is None or purchase.output_tokens is None for purchase in bought),
    )
